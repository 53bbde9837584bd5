// RUN: mlopt-opt %s -pass-pipeline='builtin.module(func.func(mlopt-fuse{wgmma=true}))' | FileCheck %s
// RUN: mlopt-opt %s -pass-pipeline='builtin.module(func.func(mlopt-fuse))' | FileCheck %s --check-prefix=WITHOUT
// WITHOUT-NOT: mlopt.reduce add

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

// Products that share a factor, and so a kernel, are cut alike, and still do.
// CHECK-LABEL: @together
// CHECK-COUNT-3: mlopt.reshape
// CHECK-NOT:     mlopt.reshape
// CHECK:         mlopt.fusion
// CHECK:           mlopt.dot {{.*}} -> tensor<[[PIECES:[0-9]+]]x96x328xf32>
// CHECK-NEXT:      mlopt.dot {{.*}} -> tensor<[[PIECES]]x96x328xf32>
// CHECK:         mlopt.fusion
// CHECK-COUNT-2:   mlopt.reduce add
// CHECK:           mlopt.mul
// CHECK-NOT:     mlopt.fusion
// CHECK:         return
func.func @together(%a: tensor<96x4096xbf16>, %b: tensor<328x4096xbf16>, %c: tensor<328x4096xbf16>) -> tensor<96x328xf32> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<96x4096xbf16>, tensor<328x4096xbf16>) -> tensor<96x328xf32>
  %1 = mlopt.dot %a, %c contract [1] x [1] : (tensor<96x4096xbf16>, tensor<328x4096xbf16>) -> tensor<96x328xf32>
  %2 = mlopt.mul %0, %1 : tensor<96x328xf32>
  return %2 : tensor<96x328xf32>
}

// Those whose tiles are a list of enough stay one kernel, though each alone would
// be cut.
// CHECK-LABEL: @list
// CHECK-NOT:     batch
// CHECK-COUNT-3: mlopt.dot
// CHECK-NOT:     mlopt.fusion
// CHECK-LABEL: @alone
// CHECK:         mlopt.dot {{.*}} batch
func.func @list(%a: tensor<256x800xbf16>, %q: tensor<512x800xbf16>, %k: tensor<128x800xbf16>, %v: tensor<128x800xbf16>) -> (tensor<256x512xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>) {
  %0 = mlopt.dot %a, %q contract [1] x [1] : (tensor<256x800xbf16>, tensor<512x800xbf16>) -> tensor<256x512xbf16>
  %1 = mlopt.dot %a, %k contract [1] x [1] : (tensor<256x800xbf16>, tensor<128x800xbf16>) -> tensor<256x128xbf16>
  %2 = mlopt.dot %a, %v contract [1] x [1] : (tensor<256x800xbf16>, tensor<128x800xbf16>) -> tensor<256x128xbf16>
  return %0, %1, %2 : tensor<256x512xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>
}
func.func @alone(%a: tensor<256x800xbf16>, %k: tensor<128x800xbf16>) -> tensor<256x128xbf16> {
  %0 = mlopt.dot %a, %k contract [1] x [1] : (tensor<256x800xbf16>, tensor<128x800xbf16>) -> tensor<256x128xbf16>
  return %0 : tensor<256x128xbf16>
}

// No kernel computes a product and what follows from it: each on its own.
// CHECK-LABEL: @one_after_the_other
// CHECK:         mlopt.dot {{.*}} -> tensor<{{[0-9]+}}x40x64xf32>
// CHECK:         mlopt.reduce max
// CHECK:         mlopt.dot {{.*}} -> tensor<{{[0-9]+}}x40x64xf32>
// CHECK:         mlopt.fusion
// CHECK:         return
func.func @one_after_the_other(%a: tensor<40x8192xbf16>, %b: tensor<64x8192xbf16>) -> tensor<40x64xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<40x8192xbf16>, tensor<64x8192xbf16>) -> tensor<40x64xbf16>
  %1 = mlopt.reduce max %0 dims [0] : (tensor<40x64xbf16>) -> tensor<64xbf16>
  %2 = mlopt.broadcast %1 dims [0] : tensor<64xbf16> -> tensor<64x8192xbf16>
  %3 = mlopt.mul %b, %2 : tensor<64x8192xbf16>
  %4 = mlopt.dot %a, %3 contract [1] x [1] : (tensor<40x8192xbf16>, tensor<64x8192xbf16>) -> tensor<40x64xbf16>
  return %4 : tensor<40x64xbf16>
}

// Beside one too narrow to be cut, all stay whole.
// CHECK-LABEL: @beside_narrow
// CHECK-NOT:     batch
// CHECK-COUNT-2: mlopt.dot
func.func @beside_narrow(%a: tensor<256x16384xbf16>, %b: tensor<256x16384xbf16>, %c: tensor<8x16384xbf16>) -> (tensor<256x256xbf16>, tensor<256x8xbf16>) {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<256x16384xbf16>, tensor<256x16384xbf16>) -> tensor<256x256xbf16>
  %1 = mlopt.dot %a, %c contract [1] x [1] : (tensor<256x16384xbf16>, tensor<8x16384xbf16>) -> tensor<256x8xbf16>
  return %0, %1 : tensor<256x256xbf16>, tensor<256x8xbf16>
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
