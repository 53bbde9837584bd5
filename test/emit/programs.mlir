// Every kind of program becomes an artifact, for each chip, whose kernels ptxas
// assembles, and which the CPU runs as it runs the source.
//
// RUN: mlopt-compile %s -o %t.mlopt
// RUN: mlopt-compile %s -o %t.again.mlopt && cmp %t.mlopt %t.again.mlopt
// RUN: mlopt-run --show %t.mlopt | FileCheck %s
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: mlopt-compile %s -o %t.80.mlopt --chip=sm_80 --ptx=75 %if ptxas %{ --ptxas=%ptxas %} 2>&1 | count 0
// RUN: mlopt-compile %s -o %t.89.mlopt --chip=sm_89 %if ptxas %{ --ptxas=%ptxas %} 2>&1 | count 0
// RUN: mlopt-compile %s -o %t.90.mlopt --chip=sm_90a %if ptxas %{ --ptxas=%ptxas %} 2>&1 | count 0
// RUN: mlopt-compile %s -o %t.100.mlopt --chip=sm_100 %if ptxas %{ --ptxas=%ptxas %} 2>&1 | count 0
// RUN: %if ptxas %{ mlopt-run --show %t.90.mlopt | FileCheck %s --check-prefix=CUBIN %}
// CUBIN: cubin of {{[0-9]+}} bytes for sm_90a
//
// RUN: mlopt-run %s --device=cpu --entry=types --outputs=%t.npz
// RUN: mlopt-run %t.mlopt --device=cpu --entry=types --expect=%t.npz --tolerance=0
// RUN: mlopt-run %s --device=cpu --entry=loop --outputs=%t.npz
// RUN: mlopt-run %t.mlopt --device=cpu --entry=loop --expect=%t.npz --tolerance=0
//
// No fused multiply-add and no flush of denormals that nobody asked for.
// PTX-NOT: fma.rn
// PTX-NOT: .ftz

// Each element type is read, computed with and written.
// CHECK-LABEL: entry types,
// CHECK: argument 0, in0: tensor<5xf64>, 40 bytes
// CHECK: argument 7, in7: tensor<5xi4>, 3 bytes
// CHECK: argument 8, in8: tensor<5xi1>, 5 bytes
func.func @types(%f64: tensor<5xf64>, %f32: tensor<5xf32>, %f16: tensor<5xf16>,
                 %bf16: tensor<5xbf16>, %e4: tensor<5xf8E4M3FN>,
                 %e5: tensor<5xf8E5M2>, %i64: tensor<5xi64>, %i4: tensor<5xi4>,
                 %i1: tensor<5xi1>)
    -> (tensor<5xf64>, tensor<5xf32>, tensor<5xf16>, tensor<5xbf16>,
        tensor<5xf8E4M3FN>, tensor<5xf8E5M2>, tensor<5xi64>, tensor<5xi4>,
        tensor<5xi1>, tensor<5xi32>) {
  %0 = mlopt.add %f64, %f64 : tensor<5xf64>
  %1 = mlopt.div %f32, %f32 : tensor<5xf32>
  %2 = mlopt.mul %f16, %f16 : tensor<5xf16>
  %3 = mlopt.sub %bf16, %bf16 : tensor<5xbf16>
  %4 = mlopt.add %e4, %e4 : tensor<5xf8E4M3FN>
  %5 = mlopt.convert %f32 : tensor<5xf32> -> tensor<5xf8E5M2>
  %6 = mlopt.rem %i64, %i64 : tensor<5xi64>
  %7 = mlopt.convert %i64 : tensor<5xi64> -> tensor<5xi4>
  %8 = mlopt.compare lt, %f32, %1 : tensor<5xf32>
  %n = mlopt.iota dim 0 : tensor<5xindex>
  %9 = mlopt.convert %n : tensor<5xindex> -> tensor<5xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9
      : tensor<5xf64>, tensor<5xf32>, tensor<5xf16>, tensor<5xbf16>,
        tensor<5xf8E4M3FN>, tensor<5xf8E5M2>, tensor<5xi64>, tensor<5xi4>,
        tensor<5xi1>, tensor<5xi32>
}

// Results that are arguments, constants, or each other, are copies.
// CHECK-LABEL: entry same,
// CHECK-NOT: launch main
// CHECK: copy
func.func @same(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xi4>, tensor<2xi1>, tensor<3xf32>, tensor<3xf32>) {
  %0 = mlopt.constant dense<[1, 2, -3]> : tensor<3xi4>
  %1 = mlopt.constant dense<[true, false]> : tensor<2xi1>
  %2 = mlopt.neg %x : tensor<3xf32>
  return %x, %x, %0, %1, %2, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xi4>, tensor<2xi1>, tensor<3xf32>, tensor<3xf32>
}

// Nothing is launched for tensors without elements.
// CHECK-LABEL: entry empty, 0 launches
func.func @empty(%x: tensor<0x4xf32>) -> (tensor<0x4xf32>, tensor<0x4xi1>) {
  %0 = mlopt.add %x, %x : tensor<0x4xf32>
  %1 = mlopt.compare eq, %x, %x : tensor<0x4xf32>
  return %0, %1 : tensor<0x4xf32>, tensor<0x4xi1>
}

// A sum of no elements is its start.
// CHECK-LABEL: entry empty_sum,
func.func @empty_sum(%x: tensor<0x4xf32>) -> tensor<4xf32> {
  %0 = mlopt.reduce add %x dims [0] : (tensor<0x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Rank 0.
// CHECK-LABEL: entry scalars,
// CHECK: argument 0, in0: tensor<f32>, 4 bytes
func.func @scalars(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %0 = mlopt.max %x, %y : tensor<f32>
  %1 = mlopt.compare lt, %x, %y : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<i1>
}

// CHECK-LABEL: entry scatter_add,
func.func @scatter_add(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %0 = mlopt.scatter add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: entry sort_pairs,
func.func @sort_pairs(%k: tensor<7x3xbf16>, %v: tensor<7x3xi64>) -> (tensor<7x3xbf16>, tensor<7x3xi64>) {
  %0:2 = mlopt.sort %k, %v dim 0 keys 1 : (tensor<7x3xbf16>, tensor<7x3xi64>) -> (tensor<7x3xbf16>, tensor<7x3xi64>)
  return %0#0, %0#1 : tensor<7x3xbf16>, tensor<7x3xi64>
}

// CHECK-LABEL: entry running,
func.func @running(%x: tensor<3x9xf64>) -> tensor<3x9xf64> {
  %0 = mlopt.scan add %x dim 1 reverse : (tensor<3x9xf64>) -> tensor<3x9xf64>
  return %0 : tensor<3x9xf64>
}

// What rounds the sums is in the same kernel.
// CHECK-LABEL: entry running_narrow, 1 launches
func.func @running_narrow(%x: tensor<3x9xbf16>) -> tensor<3x9xbf16> {
  %0 = mlopt.scan add %x dim 0 : (tensor<3x9xbf16>) -> tensor<3x9xbf16>
  return %0 : tensor<3x9xbf16>
}

// CHECK-LABEL: entry largest,
func.func @largest(%x: tensor<3x9xf16>) -> (tensor<3xf16>, tensor<3xi32>) {
  %0, %1 = mlopt.arg_reduce max %x dim 1 : tensor<3x9xf16> -> (tensor<3xf16>, tensor<3xi32>)
  return %0, %1 : tensor<3xf16>, tensor<3xi32>
}

// CHECK-LABEL: entry gather_rows,
func.func @gather_rows(%x: tensor<8x4xf32>, %i: tensor<3x1xi64>) -> tensor<3x4xf32> {
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: entry slices,
func.func @slices(%x: tensor<8x4xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<8x4xf32> {
  %0 = mlopt.dynamic_slice %x, %i, %j sizes [2, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %1 = mlopt.dynamic_update_slice %x, %0, %j, %i : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// The host reads one flag for each turn of a loop, one number for a choice.
// CHECK-LABEL: entry loop,
// CHECK: while
// CHECK: segment 1
// CHECK: segment 2
func.func @loop(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>) {
  %zero = mlopt.constant dense<0> : tensor<i32>
  %one = mlopt.constant dense<1> : tensor<i32>
  %ten = mlopt.constant dense<10> : tensor<i32>
  %0:2 = scf.while (%a = %x, %n = %zero) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
    %c = mlopt.compare lt, %n, %ten : tensor<i32>
    %go = tensor.extract %c[] : tensor<i1>
    scf.condition(%go) %a, %n : tensor<4xf32>, tensor<i32>
  } do {
  ^bb0(%a: tensor<4xf32>, %n: tensor<i32>):
    %b = mlopt.add %a, %a : tensor<4xf32>
    %m = mlopt.add %n, %one : tensor<i32>
    scf.yield %b, %m : tensor<4xf32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<i32>
}

// CHECK-LABEL: entry choice,
// CHECK: switch
func.func @choice(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %go = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %go -> tensor<4xf32> {
    %1 = mlopt.neg %x : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: entry image,
func.func @image(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32> {
  %0 = mlopt.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] groups 1 : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

// CHECK-LABEL: entry pooled,
func.func @pooled(%x: tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32> {
  %0 = mlopt.reduce_window max %x window [1, 2, 2, 1] strides [1, 2, 2, 1] base_dilations [1, 1, 1, 1] window_dilations [1, 1, 1, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}

// CHECK-LABEL: entry moved,
func.func @moved(%x: tensor<3x5xi8>, %v: tensor<i8>) -> tensor<9x6xi8> {
  %0 = mlopt.transpose %x perm [1, 0] : tensor<3x5xi8> -> tensor<5x3xi8>
  %1 = mlopt.pad %0, %v low [1, -1] high [0, 1] interior [0, 2] : tensor<5x3xi8>, tensor<i8> -> tensor<6x7xi8>
  %2 = mlopt.slice %1 starts [0, 1] limits [6, 7] strides [2, 1] : tensor<6x7xi8> -> tensor<3x6xi8>
  %3 = mlopt.reverse %2 dims [1] : tensor<3x6xi8>
  %4 = mlopt.concat %2, %3, %2 dim 0 : (tensor<3x6xi8>, tensor<3x6xi8>, tensor<3x6xi8>) -> tensor<9x6xi8>
  return %4 : tensor<9x6xi8>
}

// CHECK-LABEL: entry product,
func.func @product(%x: tensor<2x4x8xf64>, %y: tensor<2x8x3xf64>) -> tensor<2x4x3xf64> {
  %0 = mlopt.dot %x, %y batch [0] x [0] contract [2] x [1] : (tensor<2x4x8xf64>, tensor<2x8x3xf64>) -> tensor<2x4x3xf64>
  return %0 : tensor<2x4x3xf64>
}

// What a reduction adds up may be looked up in what the same kernel computes.
// CHECK-LABEL: entry looked_up,
// CHECK: launch looked_up_kernel_0
// CHECK-NOT: launch looked_up_kernel_1
func.func @looked_up(%x: tensor<32x10xf32>, %i: tensor<32xi32>) -> tensor<f32> {
  %e = mlopt.neg %x : tensor<32x10xf32>
  %j = mlopt.reshape %i : tensor<32xi32> -> tensor<32x1x1xi32>
  %g = mlopt.gather %e, %j collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [0] start_index_map [1] index_vector_dim 2 slice_sizes [1, 1] : (tensor<32x10xf32>, tensor<32x1x1xi32>) -> tensor<32x1xf32>
  %h = mlopt.reshape %g : tensor<32x1xf32> -> tensor<32xf32>
  %n = mlopt.constant dense<9> : tensor<32xi32>
  %z = mlopt.constant dense<0.0> : tensor<32xf32>
  %c = mlopt.compare lt, %i, %n : tensor<32xi32>
  %s = mlopt.select %c, %h, %z : tensor<32xf32>
  %r = mlopt.reduce add %s dims [0] : (tensor<32xf32>) -> tensor<f32>
  return %r : tensor<f32>
}
