// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-fuse{wgmma=true}))' | FileCheck %s
// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-fuse))' | FileCheck %s --check-prefix=OTHER

// No kernel but those of wgmma computes several products.
// OTHER-NOT: kernels = 1 :

// Two dots that share a factor, and what follows both.
// CHECK-LABEL: func.func @gated
// CHECK-SAME: kernels = 1
func.func @gated(%a: tensor<64x32xbf16>, %w: tensor<48x32xbf16>, %v: tensor<48x32xbf16>) -> tensor<64x48xf32> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xf32>
  %1 = mlopt.dot %a, %v contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xf32>
  %2 = mlopt.mul %0, %1 : tensor<64x48xf32>
  return %2 : tensor<64x48xf32>
}

// -----

// Of any elements that wgmma takes.
// CHECK-LABEL: func.func @small_floats
// CHECK-SAME: kernels = 1
func.func @small_floats(%a: tensor<64x32xf8E4M3FN>, %w: tensor<48x32xf8E5M2>, %v: tensor<48x32xf8E5M2>) -> tensor<64x48xf32> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<64x32xf8E4M3FN>, tensor<48x32xf8E5M2>) -> tensor<64x48xf32>
  %1 = mlopt.dot %a, %v contract [1] x [1] : (tensor<64x32xf8E4M3FN>, tensor<48x32xf8E5M2>) -> tensor<64x48xf32>
  %2 = mlopt.mul %0, %1 : tensor<64x48xf32>
  return %2 : tensor<64x48xf32>
}
// CHECK-LABEL: func.func @integers
// CHECK-SAME: kernels = 1
func.func @integers(%a: tensor<64x32xi8>, %w: tensor<48x32xi8>, %v: tensor<48x32xi8>) -> tensor<64x48xi32> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<64x32xi8>, tensor<48x32xi8>) -> tensor<64x48xi32>
  %1 = mlopt.dot %a, %v contract [1] x [1] : (tensor<64x32xi8>, tensor<48x32xi8>) -> tensor<64x48xi32>
  %2 = mlopt.mul %0, %1 : tensor<64x48xi32>
  return %2 : tensor<64x48xi32>
}
// CHECK-LABEL: func.func @rounded
// CHECK-SAME: kernels = 1
func.func @rounded(%a: tensor<64x32xf32>, %w: tensor<48x32xf32>, %v: tensor<48x32xf32>) -> tensor<64x48xf32> {
  %0 = mlopt.dot %a, %w contract [1] x [1] {numerics = #mlopt.numerics<fast>} : (tensor<64x32xf32>, tensor<48x32xf32>) -> tensor<64x48xf32>
  %1 = mlopt.dot %a, %v contract [1] x [1] {numerics = #mlopt.numerics<fast>} : (tensor<64x32xf32>, tensor<48x32xf32>) -> tensor<64x48xf32>
  %2 = mlopt.mul %0, %1 : tensor<64x48xf32>
  return %2 : tensor<64x48xf32>
}

// -----

// Three, as queries, keys and values are; of four, the last one is apart.
// CHECK-LABEL: func.func @three
// CHECK-SAME: kernels = 1
func.func @three(%x: tensor<64x32xbf16>, %q: tensor<48x32xbf16>, %k: tensor<48x32xbf16>, %v: tensor<48x32xbf16>) -> (tensor<64x48xbf16>, tensor<64x48xbf16>, tensor<64x48xbf16>) {
  %0 = mlopt.dot %x, %q contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xbf16>
  %1 = mlopt.dot %x, %k contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xbf16>
  %2 = mlopt.dot %x, %v contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xbf16>
  return %0, %1, %2 : tensor<64x48xbf16>, tensor<64x48xbf16>, tensor<64x48xbf16>
}
// CHECK-LABEL: func.func @four
// CHECK-SAME: kernels = 2
func.func @four(%x: tensor<64x32xbf16>, %q: tensor<48x32xbf16>, %k: tensor<48x32xbf16>, %v: tensor<48x32xbf16>, %g: tensor<48x32xbf16>) -> tensor<64x48xbf16> {
  %0 = mlopt.dot %x, %q contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xbf16>
  %1 = mlopt.dot %x, %k contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xbf16>
  %2 = mlopt.dot %x, %v contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xbf16>
  %3 = mlopt.dot %x, %g contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xbf16>
  %4 = mlopt.add %0, %1 : tensor<64x48xbf16>
  %5 = mlopt.add %4, %2 : tensor<64x48xbf16>
  %6 = mlopt.add %5, %3 : tensor<64x48xbf16>
  return %6 : tensor<64x48xbf16>
}
// CHECK-LABEL: func.func @not_all_of_one
// CHECK-SAME: kernels = 2
// CHECK: reason = "products"
func.func @not_all_of_one(%x: tensor<64x32xbf16>, %y: tensor<64x32xbf16>, %q: tensor<64x32xbf16>, %k: tensor<64x32xbf16>) -> tensor<64x64xbf16> {
  %0 = mlopt.dot %x, %q contract [1] x [1] : (tensor<64x32xbf16>, tensor<64x32xbf16>) -> tensor<64x64xbf16>
  %1 = mlopt.dot %x, %k contract [1] x [1] : (tensor<64x32xbf16>, tensor<64x32xbf16>) -> tensor<64x64xbf16>
  %2 = mlopt.dot %y, %q contract [1] x [1] : (tensor<64x32xbf16>, tensor<64x32xbf16>) -> tensor<64x64xbf16>
  %3 = mlopt.add %0, %1 : tensor<64x64xbf16>
  %4 = mlopt.add %3, %2 : tensor<64x64xbf16>
  return %4 : tensor<64x64xbf16>
}

// -----

// Products of other widths have tiles of their own, in one list: queries beside
// keys and values of fewer heads, each with what follows it.
// CHECK-LABEL: func.func @grouped
// CHECK-SAME: kernels = 1
func.func @grouped(%x: tensor<64x32xbf16>, %q: tensor<64x32xbf16>, %k: tensor<16x32xbf16>, %v: tensor<16x32xbf16>, %b: tensor<64xbf16>) -> (tensor<64x64xbf16>, tensor<64x16xf32>, tensor<64x16xbf16>) {
  %0 = mlopt.dot %x, %q contract [1] x [1] : (tensor<64x32xbf16>, tensor<64x32xbf16>) -> tensor<64x64xbf16>
  %1 = mlopt.dot %x, %k contract [1] x [1] : (tensor<64x32xbf16>, tensor<16x32xbf16>) -> tensor<64x16xf32>
  %2 = mlopt.dot %x, %v contract [1] x [1] : (tensor<64x32xbf16>, tensor<16x32xbf16>) -> tensor<64x16xbf16>
  %3 = mlopt.broadcast %b dims [1] : tensor<64xbf16> -> tensor<64x64xbf16>
  %4 = mlopt.add %0, %3 : tensor<64x64xbf16>
  %5 = mlopt.tanh %1 : tensor<64x16xf32>
  return %4, %5, %2 : tensor<64x64xbf16>, tensor<64x16xf32>, tensor<64x16xbf16>
}
// The factor that they share may be the other one.
// CHECK-LABEL: func.func @two_inputs
// CHECK-SAME: kernels = 1
func.func @two_inputs(%x: tensor<64x32xbf16>, %y: tensor<128x32xbf16>, %w: tensor<48x32xbf16>) -> (tensor<64x48xbf16>, tensor<128x48xbf16>) {
  %0 = mlopt.dot %x, %w contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xbf16>
  %1 = mlopt.dot %y, %w contract [1] x [1] : (tensor<128x32xbf16>, tensor<48x32xbf16>) -> tensor<128x48xbf16>
  return %0, %1 : tensor<64x48xbf16>, tensor<128x48xbf16>
}
// Four alike that nothing joins; a fifth is apart.
// CHECK-LABEL: func.func @four_apart
// CHECK-SAME: kernels = 1
func.func @four_apart(%x: tensor<64x32xbf16>, %q: tensor<48x32xbf16>, %k: tensor<48x32xbf16>, %v: tensor<48x32xbf16>, %g: tensor<48x32xbf16>) -> (tensor<64x48xbf16>, tensor<64x48xbf16>, tensor<64x48xbf16>, tensor<64x48xbf16>) {
  %0 = mlopt.dot %x, %q contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xbf16>
  %1 = mlopt.dot %x, %k contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xbf16>
  %2 = mlopt.dot %x, %v contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xbf16>
  %3 = mlopt.dot %x, %g contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xbf16>
  return %0, %1, %2, %3 : tensor<64x48xbf16>, tensor<64x48xbf16>, tensor<64x48xbf16>, tensor<64x48xbf16>
}
// CHECK-LABEL: func.func @five
// CHECK-SAME: kernels = 2
func.func @five(%x: tensor<64x32xbf16>, %q: tensor<48x32xbf16>, %k: tensor<40x32xbf16>, %v: tensor<32x32xbf16>, %g: tensor<24x32xbf16>, %h: tensor<16x32xbf16>) -> (tensor<64x48xbf16>, tensor<64x40xbf16>, tensor<64x32xbf16>, tensor<64x24xbf16>, tensor<64x16xbf16>) {
  %0 = mlopt.dot %x, %q contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xbf16>
  %1 = mlopt.dot %x, %k contract [1] x [1] : (tensor<64x32xbf16>, tensor<40x32xbf16>) -> tensor<64x40xbf16>
  %2 = mlopt.dot %x, %v contract [1] x [1] : (tensor<64x32xbf16>, tensor<32x32xbf16>) -> tensor<64x32xbf16>
  %3 = mlopt.dot %x, %g contract [1] x [1] : (tensor<64x32xbf16>, tensor<24x32xbf16>) -> tensor<64x24xbf16>
  %4 = mlopt.dot %x, %h contract [1] x [1] : (tensor<64x32xbf16>, tensor<16x32xbf16>) -> tensor<64x16xbf16>
  return %0, %1, %2, %3, %4 : tensor<64x48xbf16>, tensor<64x40xbf16>, tensor<64x32xbf16>, tensor<64x24xbf16>, tensor<64x16xbf16>
}
// Not where something takes elements of two.
// CHECK-LABEL: func.func @inputs_joined
// CHECK-SAME: kernels = 2
// CHECK: reason = "products"
func.func @inputs_joined(%x: tensor<64x32xbf16>, %y: tensor<64x32xbf16>, %w: tensor<32x48xbf16>, %v: tensor<32x48xbf16>, %u: tensor<32x40xbf16>) -> (tensor<64x48xbf16>, tensor<64x40xbf16>) {
  %0 = mlopt.dot %x, %w contract [1] x [0] : (tensor<64x32xbf16>, tensor<32x48xbf16>) -> tensor<64x48xbf16>
  %1 = mlopt.dot %x, %u contract [1] x [0] : (tensor<64x32xbf16>, tensor<32x40xbf16>) -> tensor<64x40xbf16>
  %2 = mlopt.dot %y, %v contract [1] x [0] : (tensor<64x32xbf16>, tensor<32x48xbf16>) -> tensor<64x48xbf16>
  %3 = mlopt.add %0, %2 : tensor<64x48xbf16>
  return %3, %1 : tensor<64x48xbf16>, tensor<64x40xbf16>
}
// Nor where steps would not be alike: other rows of k.
// CHECK-LABEL: func.func @other_rows
// CHECK-SAME: kernels = 2
func.func @other_rows(%x: tensor<64x32xbf16>, %q: tensor<64x32xbf16>, %k: tensor<32x16xbf16>) -> (tensor<64x64xbf16>, tensor<64x16xbf16>) {
  %0 = mlopt.dot %x, %q contract [1] x [1] : (tensor<64x32xbf16>, tensor<64x32xbf16>) -> tensor<64x64xbf16>
  %1 = mlopt.dot %x, %k contract [1] x [0] : (tensor<64x32xbf16>, tensor<32x16xbf16>) -> tensor<64x16xbf16>
  return %0, %1 : tensor<64x64xbf16>, tensor<64x16xbf16>
}
// Rows of one result along the shared factor, of the other along its own.
// CHECK-LABEL: func.func @both_ways
// CHECK-SAME: kernels = 2
func.func @both_ways(%x: tensor<64x32xbf16>, %q: tensor<64x32xbf16>, %k: tensor<16x32xbf16>) -> (tensor<64x64xbf16>, tensor<16x64xbf16>) {
  %0 = mlopt.dot %x, %q contract [1] x [1] : (tensor<64x32xbf16>, tensor<64x32xbf16>) -> tensor<64x64xbf16>
  %1 = mlopt.dot %x, %k contract [1] x [1] : (tensor<64x32xbf16>, tensor<16x32xbf16>) -> tensor<64x16xbf16>
  %2 = mlopt.transpose %1 perm [1, 0] : tensor<64x16xbf16> -> tensor<16x64xbf16>
  return %0, %2 : tensor<64x64xbf16>, tensor<16x64xbf16>
}

// -----

// A few rows beside large weights: kernels that stream one factor each.
// CHECK-LABEL: func.func @few_rows
// CHECK-SAME: kernels = 2
func.func @few_rows(%x: tensor<16x4096xbf16>, %q: tensor<4096x4096xbf16>, %k: tensor<4096x4096xbf16>) -> (tensor<16x4096xbf16>, tensor<16x4096xbf16>) {
  %0 = mlopt.dot %x, %q contract [1] x [1] : (tensor<16x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<16x4096xbf16>
  %1 = mlopt.dot %x, %k contract [1] x [1] : (tensor<16x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<16x4096xbf16>
  return %0, %1 : tensor<16x4096xbf16>, tensor<16x4096xbf16>
}
// Large results beside small factors.
// CHECK-LABEL: func.func @wide
// CHECK-SAME: kernels = 1
func.func @wide(%x: tensor<512x256xbf16>, %q: tensor<4096x256xbf16>, %k: tensor<4096x256xbf16>) -> (tensor<512x4096xbf16>, tensor<512x4096xbf16>) {
  %0 = mlopt.dot %x, %q contract [1] x [1] : (tensor<512x256xbf16>, tensor<4096x256xbf16>) -> tensor<512x4096xbf16>
  %1 = mlopt.dot %x, %k contract [1] x [1] : (tensor<512x256xbf16>, tensor<4096x256xbf16>) -> tensor<512x4096xbf16>
  return %0, %1 : tensor<512x4096xbf16>, tensor<512x4096xbf16>
}

// -----

// Not where TMA does not take rows, or their depth is less than wgmma's.
// CHECK-LABEL: func.func @unaligned
// CHECK-SAME: kernels = 2
// CHECK: reason = "products"
func.func @unaligned(%a: tensor<64x33xbf16>, %w: tensor<48x33xbf16>, %v: tensor<48x33xbf16>) -> tensor<64x48xf32> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<64x33xbf16>, tensor<48x33xbf16>) -> tensor<64x48xf32>
  %1 = mlopt.dot %a, %v contract [1] x [1] : (tensor<64x33xbf16>, tensor<48x33xbf16>) -> tensor<64x48xf32>
  %2 = mlopt.mul %0, %1 : tensor<64x48xf32>
  return %2 : tensor<64x48xf32>
}
// CHECK-LABEL: func.func @short
// CHECK-SAME: kernels = 2
func.func @short(%a: tensor<64x8xbf16>, %w: tensor<48x8xbf16>, %v: tensor<48x8xbf16>) -> tensor<64x48xf32> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<64x8xbf16>, tensor<48x8xbf16>) -> tensor<64x48xf32>
  %1 = mlopt.dot %a, %v contract [1] x [1] : (tensor<64x8xbf16>, tensor<48x8xbf16>) -> tensor<64x48xf32>
  %2 = mlopt.mul %0, %1 : tensor<64x48xf32>
  return %2 : tensor<64x48xf32>
}
// CHECK-LABEL: func.func @exact
// CHECK-SAME: kernels = 2
func.func @exact(%a: tensor<64x32xf64>, %w: tensor<48x32xf64>, %v: tensor<48x32xf64>) -> tensor<64x48xf64> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<64x32xf64>, tensor<48x32xf64>) -> tensor<64x48xf64>
  %1 = mlopt.dot %a, %v contract [1] x [1] : (tensor<64x32xf64>, tensor<48x32xf64>) -> tensor<64x48xf64>
  %2 = mlopt.mul %0, %1 : tensor<64x48xf64>
  return %2 : tensor<64x48xf64>
}

// -----

// Rows of the result run along the factor that is shared: two kernels.
// CHECK-LABEL: func.func @across
// CHECK-SAME: kernels = 2
// CHECK: reason = "products"
func.func @across(%a: tensor<64x32xbf16>, %w: tensor<48x32xbf16>, %v: tensor<48x32xbf16>) -> tensor<48x64xbf16> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xf32>
  %1 = mlopt.dot %a, %v contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xf32>
  %2 = mlopt.mul %0, %1 : tensor<64x48xf32>
  %3 = mlopt.convert %2 : tensor<64x48xf32> -> tensor<64x48xbf16>
  %4 = mlopt.transpose %3 perm [1, 0] : tensor<64x48xbf16> -> tensor<48x64xbf16>
  return %4 : tensor<48x64xbf16>
}
