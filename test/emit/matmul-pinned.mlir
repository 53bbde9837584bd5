// RUN: mlopt-opt %s -mlopt-to-gpu | FileCheck %s

// The blocks of a cluster load B into each other, and say so to each other when
// they are done with it.
// CHECK:       gpu.binary @cluster_kernel_0
// CHECK:       .reqnctapercluster 2, 1, 1
// CHECK:       barrier.cluster.wait
// CHECK:       mapa.shared::cluster.u32
// CHECK:       cp.async.bulk.tensor.2d.shared::cta.global
// CHECK:       multicast::cluster
// CHECK:       barrier.cluster.wait
// CHECK:       func.func @cluster
func.func @cluster(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {band = 8 : i64, cluster = 2 : i64, family = "matmul", stages = 4 : i64, tile = array<i64: 128, 256, 64>}}
  return %0 : tensor<512x384xbf16>
}

// Consumers that alternate wait for their turn, and give it to the other.
// CHECK:       gpu.binary @alternate_kernel_0
// CHECK:       barrier.cta.arrive.aligned
// CHECK:       bar.sync {{[^;]*}}, 256;
// CHECK:       wgmma.mma_async
// CHECK:       barrier.cta.arrive.aligned
// CHECK:       wgmma.wait_group.sync.aligned 0
// CHECK:       func.func @alternate
func.func @alternate(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {alternate, band = 8 : i64, family = "matmul", stages = 4 : i64, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<512x384xbf16>
}

// Two slabs of 64 rows for each consumer: the same columns of B, two descriptors
// of A.
// CHECK:       gpu.binary @slabs_kernel_0
// CHECK:       add.s64 c, a, 512; wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{[^;]*}}, c, b,
// CHECK:       func.func @slabs
func.func @slabs(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {band = 8 : i64, family = "matmul", stages = 4 : i64, tile = array<i64: 256, 128, 64>}}
  return %0 : tensor<512x384xbf16>
}

// Few tiles, many steps: blocks of a cluster share a tile's k, and send their
// sums to the block that adds them up.
// CHECK:       gpu.binary @split_kernel_0
// CHECK:       .reqnctapercluster 4, 1, 1
// CHECK:       wgmma.wait_group.sync.aligned 0
// CHECK:       barrier.cluster.wait
// CHECK:       st.shared::cluster.v4.b32
// CHECK:       barrier.cluster.wait
// CHECK:       ld.shared.v4.b32
// CHECK:       add.rn.f32
// CHECK:       cp.async.bulk.tensor.2d.global.shared::cta
// CHECK:       func.func @split
func.func @split(%a: tensor<128x4096xbf16>, %b: tensor<2048x4096xbf16>) -> tensor<128x2048xbf16> {
  %0 = mlopt.fusion (%x = %a : tensor<128x4096xbf16>, %y = %b : tensor<2048x4096xbf16>) -> tensor<128x2048xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<128x4096xbf16>, tensor<2048x4096xbf16>) -> tensor<128x2048xbf16>
    mlopt.yield %1 : tensor<128x2048xbf16>
  } {mlopt.schedule = {band = 8 : i64, family = "matmul", splits = 4 : i64, stages = 4 : i64, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<128x2048xbf16>
}

// Blocks share the tiles of a last round that is not full: some send the sums of
// a tile's last steps, and then a flag, to those that add and store them.
// CHECK:       gpu.binary @tail_kernel_0
// CHECK-DAG:   ld.acquire.gpu.global.b32
// CHECK-DAG:   ld.global.v4.b32
// CHECK-DAG:   st.global.v4.b32
// CHECK-DAG:   st.release.gpu.global.b32
// CHECK:       func.func @tail
// CHECK:       gpu.memset
// CHECK:       gpu.launch_func @tail_kernel_0
func.func @tail(%a: tensor<2048x1024xbf16>, %b: tensor<2304x1024xbf16>) -> tensor<2048x2304xbf16> {
  %0 = mlopt.fusion (%x = %a : tensor<2048x1024xbf16>, %y = %b : tensor<2304x1024xbf16>) -> tensor<2048x2304xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<2048x1024xbf16>, tensor<2304x1024xbf16>) -> tensor<2048x2304xbf16>
    mlopt.yield %1 : tensor<2048x2304xbf16>
  } {mlopt.schedule = {band = 8 : i64, family = "matmul", stages = 4 : i64, tail, tile = array<i64: 128, 256, 64>}}
  return %0 : tensor<2048x2304xbf16>
}
