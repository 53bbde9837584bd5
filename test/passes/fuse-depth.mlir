// RUN: mlopt-opt %s -pass-pipeline='builtin.module(func.func(mlopt-fuse{wgmma=true}))' | FileCheck %s
// RUN: mlopt-opt %s -pass-pipeline='builtin.module(func.func(mlopt-fuse))' | FileCheck %s --check-prefix=WITHOUT
// WITHOUT-NOT: mlopt.reduce

// Few tiles and a long contracted dimension: a batch of pieces, whose sums are
// added together with what follows.
// CHECK-LABEL: @few_tiles
// CHECK:         mlopt.reshape {{.*}} : tensor<256x16384xbf16> -> tensor<256x8x2048xbf16>
// CHECK:         mlopt.fusion
// CHECK:           mlopt.dot {{.*}} batch [1] x [1] contract [2] x [2] : (tensor<256x8x2048xbf16>, tensor<256x8x2048xbf16>) -> tensor<8x256x256xf32>
// CHECK:         mlopt.fusion
// CHECK:           mlopt.reduce add {{.*}} dims [0] : (tensor<8x65536xf32>) -> tensor<65536xf32>
// CHECK:           mlopt.convert {{.*}} : tensor<65536xf32> -> tensor<65536xbf16>
// CHECK:           mlopt.exp
func.func @few_tiles(%a: tensor<256x16384xbf16>, %b: tensor<256x16384xbf16>) -> tensor<256x256xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<256x16384xbf16>, tensor<256x16384xbf16>) -> tensor<256x256xbf16>
  %1 = mlopt.exp %0 : tensor<256x256xbf16>
  return %1 : tensor<256x256xbf16>
}

// Whichever way the factors lie, and with batches, behind which the pieces'
// dimension is counted on.
// CHECK-LABEL: @other_layouts
// CHECK:         mlopt.dot {{.*}} batch [1, 0] x [0, 2] contract [2] x [1] : (tensor<2x{{[0-9]+}}x{{[0-9]+}}x128xf16>, tensor<{{[0-9]+}}x{{[0-9]+}}x2x128xf16>) -> tensor<{{[0-9]+}}x2x128x128xf32>
func.func @other_layouts(%a: tensor<2x16384x128xf16>, %b: tensor<16384x2x128xf16>) -> tensor<2x128x128xf32> {
  %0 = mlopt.dot %a, %b batch [0] x [1] contract [1] x [0] : (tensor<2x16384x128xf16>, tensor<16384x2x128xf16>) -> tensor<2x128x128xf32>
  return %0 : tensor<2x128x128xf32>
}

// As many tiles as there are multiprocessors stay whole, and so do a narrow side,
// a dimension without divisors, one chain of sums, and sums that are not in f32.
// CHECK-LABEL: @many_tiles
// CHECK-NOT:     batch
func.func @many_tiles(%a: tensor<1024x1024xbf16>, %b: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  return %0 : tensor<1024x1024xbf16>
}
func.func @narrow(%a: tensor<1x14336xbf16>, %b: tensor<4096x14336xbf16>) -> tensor<1x4096xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<1x14336xbf16>, tensor<4096x14336xbf16>) -> tensor<1x4096xbf16>
  return %0 : tensor<1x4096xbf16>
}
func.func @prime(%a: tensor<16381x256xbf16>, %b: tensor<16381x256xbf16>) -> tensor<256x256xbf16> {
  %0 = mlopt.dot %a, %b contract [0] x [0] : (tensor<16381x256xbf16>, tensor<16381x256xbf16>) -> tensor<256x256xbf16>
  return %0 : tensor<256x256xbf16>
}
func.func @strict(%a: tensor<256x16384xbf16>, %b: tensor<256x16384xbf16>) -> tensor<256x256xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] {numerics = #mlopt.numerics<strict>} : (tensor<256x16384xbf16>, tensor<256x16384xbf16>) -> tensor<256x256xbf16>
  return %0 : tensor<256x256xbf16>
}
func.func @wide_sums(%a: tensor<256x16384xbf16>, %b: tensor<256x16384xbf16>) -> tensor<256x256xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] accumulate f64 : (tensor<256x16384xbf16>, tensor<256x16384xbf16>) -> tensor<256x256xbf16>
  return %0 : tensor<256x256xbf16>
}
