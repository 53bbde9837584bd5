// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-form-kernels),mlopt-outline-kernels{wgmma=true})' | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#s = affine_map<(m, n, k) -> (n)>
#c = affine_map<(m, n, k) -> (m, n)>

// What computes a factor in the body of a product becomes an operation of its
// own, whose dimensions are in the order of what it reads whole.
// CHECK:       llvm.func @{{.*}} attributes {{.*}}family = "matmul"
// CHECK:       %[[F:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]{{.*}} ins(%{{.*}}, %{{.*}} : tensor<264x192xi8>, tensor<264xbf16>)
// CHECK:         arith.sitofp
// CHECK:         arith.mulf {{.*}} : bf16
// CHECK:       linalg.generic {{.*}} ins(%{{.*}}, %[[F]] : tensor<200x192xbf16>, tensor<264x192xbf16>)
// CHECK-NEXT:    ^bb0
// CHECK-NOT:     arith.sitofp
// CHECK:         arith.addf
func.func @scaled(%x: tensor<200x192xbf16>, %w: tensor<264x192xi8>, %s: tensor<264xbf16>) -> tensor<200x264xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<200x264xf32>
  %i = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<200x264xf32>) {
  ^bb0(%out: f32):
    linalg.yield %z : f32
  } -> tensor<200x264xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #s, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w, %s : tensor<200x192xbf16>, tensor<264x192xi8>, tensor<264xbf16>) outs(%i : tensor<200x264xf32>) {
  ^bb0(%p: bf16, %q: i8, %t: bf16, %acc: f32):
    %0 = arith.sitofp %q : i8 to bf16
    %1 = arith.mulf %0, %t : bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.extf %p : bf16 to f32
    %4 = arith.mulf %3, %2 : f32
    %5 = arith.addf %acc, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<200x264xf32>
  return %r : tensor<200x264xf32>
}

// -----

#r = affine_map<(m, k) -> (m, k)>
#o = affine_map<(m, k) -> (m)>

// The sum of a row's products has no rows of two factors: it stays whole.
// CHECK:       linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]{{.*}} ins(%{{.*}}, %{{.*}} : tensor<64x512xf32>, tensor<64x512xf32>)
// CHECK:         math.absf
// CHECK:         arith.mulf
func.func @rows(%x: tensor<64x512xf32>, %y: tensor<64x512xf32>) -> tensor<64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %i = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>], iterator_types = ["parallel"]} outs(%e : tensor<64xf32>) {
  ^bb0(%out: f32):
    linalg.yield %z : f32
  } -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#r, #r, #o], iterator_types = ["parallel", "reduction"]} ins(%x, %y : tensor<64x512xf32>, tensor<64x512xf32>) outs(%i : tensor<64xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %0 = math.absf %p : f32
    %1 = arith.mulf %0, %q : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<64xf32>
  return %s : tensor<64xf32>
}
