// Contractions of integers, of nothing, and of converted factors.
// RUN: mlopt-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @integer_dots(
func.func @integer_dots() -> (tensor<2x2xi32>, tensor<i8>, tensor<i16>, tensor<i16>, tensor<2x1x2xi32>, tensor<i1>) {
  %a = mlopt.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %b = mlopt.constant dense<[100, 100]> : tensor<2xi8>
  %m = mlopt.constant dense<[-1, 3]> : tensor<2xi8>
  %l = mlopt.constant dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xi32>
  %r = mlopt.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi32>
  %p = mlopt.constant dense<[true, true, false]> : tensor<3xi1>
  // CHECK-DAG: %[[A:.*]] = mlopt.constant dense<{{\[\[}}14, 32], [32, 77]]>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<32> : tensor<i8>
  // CHECK-DAG: %[[C:.*]] = mlopt.constant dense<200> : tensor<i16>
  // CHECK-DAG: %[[D:.*]] = mlopt.constant dense<25800> : tensor<i16>
  // CHECK-DAG: %[[E:.*]] = mlopt.constant dense<{{\[\[\[}}7, 10]], {{\[\[}}43, 50]]]>
  // CHECK-DAG: %[[F:.*]] = mlopt.constant dense<true> : tensor<i1>
  %0 = mlopt.dot %a, %a contract [1] x [1] : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x2xi32>
  %1 = mlopt.dot %b, %b contract [0] x [0] : (tensor<2xi8>, tensor<2xi8>) -> tensor<i8>
  %2 = mlopt.dot %b, %m contract [0] x [0] : (tensor<2xi8>, tensor<2xi8>) -> tensor<i16>
  %3 = mlopt.dot %b, %m contract [0] x [0] accumulate i32 unsigned : (tensor<2xi8>, tensor<2xi8>) -> tensor<i16>
  %4 = mlopt.dot %l, %r batch [0] x [0] contract [1] x [1] : (tensor<2x2x1xi32>, tensor<2x2x2xi32>) -> tensor<2x1x2xi32>
  %5 = mlopt.dot %p, %p contract [0] x [0] : (tensor<3xi1>, tensor<3xi1>) -> tensor<i1>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]]
  return %0, %1, %2, %3, %4, %5 : tensor<2x2xi32>, tensor<i8>, tensor<i16>, tensor<i16>, tensor<2x1x2xi32>, tensor<i1>
}

// -----

// CHECK-LABEL: @zeros(
func.func @zeros(%x: tensor<4x8xi32>, %e: tensor<3x0xf32>, %f: tensor<1x4x4x0xf32>, %w: tensor<3x3x0x2xf32>) -> (tensor<4x5xi32>, tensor<3x3xf32>, tensor<1x2x2x2xf32>) {
  %z = mlopt.constant dense<0> : tensor<8x5xi32>
  // CHECK-DAG: %[[A:.*]] = mlopt.constant dense<0> : tensor<4x5xi32>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<0.000000e+00> : tensor<3x3xf32>
  // CHECK-DAG: %[[C:.*]] = mlopt.constant dense<0.000000e+00> : tensor<1x2x2x2xf32>
  %0 = mlopt.dot %x, %z contract [1] x [0] : (tensor<4x8xi32>, tensor<8x5xi32>) -> tensor<4x5xi32>
  %1 = mlopt.dot %e, %e contract [1] x [1] : (tensor<3x0xf32>, tensor<3x0xf32>) -> tensor<3x3xf32>
  %2 = mlopt.conv %f, %w strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] window_dilation [1, 1] : (tensor<1x4x4x0xf32>, tensor<3x3x0x2xf32>) -> tensor<1x2x2x2xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  return %0, %1, %2 : tensor<4x5xi32>, tensor<3x3xf32>, tensor<1x2x2x2xf32>
}

// -----

// 0 times an infinity is NaN.
// CHECK-LABEL: @float_zeros(
func.func @float_zeros(%x: tensor<4x8xf32>) -> tensor<4x5xf32> {
  %z = mlopt.constant dense<0.0> : tensor<8x5xf32>
  // CHECK: mlopt.dot
  %0 = mlopt.dot %x, %z contract [1] x [0] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// A contraction converts its factors itself.
// CHECK-LABEL: @widened_factors(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xbf16>, %[[Y:.*]]: tensor<8x5xbf16>, %[[I:.*]]: tensor<4x8xi8>, %[[J:.*]]: tensor<8x5xi8>, %[[C:.*]]: tensor<1x4x4x3xf16>, %[[W:.*]]: tensor<3x3x3x2xf16>)
func.func @widened_factors(%x: tensor<4x8xbf16>, %y: tensor<8x5xbf16>, %i: tensor<4x8xi8>, %j: tensor<8x5xi8>, %c: tensor<1x4x4x3xf16>, %w: tensor<3x3x3x2xf16>) -> (tensor<4x5xf32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<1x2x2x2xf32>) {
  %fx = mlopt.convert %x : tensor<4x8xbf16> -> tensor<4x8xf32>
  %fy = mlopt.convert %y : tensor<8x5xbf16> -> tensor<8x5xf32>
  // CHECK-DAG: mlopt.dot %[[X]], %[[Y]] contract [1] x [0] : (tensor<4x8xbf16>, tensor<8x5xbf16>) -> tensor<4x5xf32>
  %0 = mlopt.dot %fx, %fy contract [1] x [0] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %si = mlopt.convert %i : tensor<4x8xi8> -> tensor<4x8xi32>
  %sj = mlopt.convert %j : tensor<8x5xi8> -> tensor<8x5xi32>
  // CHECK-DAG: mlopt.dot %[[I]], %[[J]] contract [1] x [0] : (tensor<4x8xi8>, tensor<8x5xi8>) -> tensor<4x5xi32>
  %1 = mlopt.dot %si, %sj contract [1] x [0] unsigned : (tensor<4x8xi32>, tensor<8x5xi32>) -> tensor<4x5xi32>
  %ui = mlopt.convertu %i : tensor<4x8xi8> -> tensor<4x8xi32>
  %uj = mlopt.convertu %j : tensor<8x5xi8> -> tensor<8x5xi32>
  // CHECK-DAG: mlopt.dot %[[I]], %[[J]] contract [1] x [0] unsigned : (tensor<4x8xi8>, tensor<8x5xi8>) -> tensor<4x5xi32>
  %2 = mlopt.dot %ui, %uj contract [1] x [0] : (tensor<4x8xi32>, tensor<8x5xi32>) -> tensor<4x5xi32>
  %fc = mlopt.convert %c : tensor<1x4x4x3xf16> -> tensor<1x4x4x3xf32>
  %fw = mlopt.convert %w : tensor<3x3x3x2xf16> -> tensor<3x3x3x2xf32>
  // CHECK-DAG: mlopt.conv %[[C]], %[[W]] {{.*}} : (tensor<1x4x4x3xf16>, tensor<3x3x3x2xf16>) -> tensor<1x2x2x2xf32>
  %3 = mlopt.conv %fc, %fw strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] window_dilation [1, 1] : (tensor<1x4x4x3xf32>, tensor<3x3x3x2xf32>) -> tensor<1x2x2x2xf32>
  return %0, %1, %2, %3 : tensor<4x5xf32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<1x2x2x2xf32>
}

// -----

// These conversions are not what the contraction would do.
// CHECK-LABEL: @other_conversions(
func.func @other_conversions(%x: tensor<4x8xbf16>, %y: tensor<8x5xf16>, %b: tensor<8x5xbf16>, %w: tensor<4x8xf64>, %i: tensor<4x8xi8>, %j: tensor<8x5xi8>, %p: tensor<4x8xi1>, %q: tensor<8x5xi1>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf64>, tensor<4x5xi32>, tensor<4x5xi64>, tensor<4x5xi32>) {
  %fx = mlopt.convert %x : tensor<4x8xbf16> -> tensor<4x8xf32>
  %fy = mlopt.convert %y : tensor<8x5xf16> -> tensor<8x5xf32>
  %fb = mlopt.convert %b : tensor<8x5xbf16> -> tensor<8x5xf32>
  %fw = mlopt.convert %w : tensor<4x8xf64> -> tensor<4x8xf32>
  // Two types of factors: only bf16 is read beside f32.
  // CHECK-DAG: mlopt.dot {{.*}} : (tensor<4x8xbf16>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %0 = mlopt.dot %fx, %fy contract [1] x [0] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  // One of them rounded.
  // CHECK-DAG: mlopt.dot {{.*}} : (tensor<4x8xf32>, tensor<8x5xbf16>) -> tensor<4x5xf32>
  %1 = mlopt.dot %fw, %fb contract [1] x [0] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  // Another accumulator than the converted type.
  // CHECK-DAG: mlopt.dot {{.*}} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf64>
  %2 = mlopt.dot %fx, %fb contract [1] x [0] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf64>
  %si = mlopt.convert %i : tensor<4x8xi8> -> tensor<4x8xi32>
  %uj = mlopt.convertu %j : tensor<8x5xi8> -> tensor<8x5xi32>
  // Signed and unsigned.
  // CHECK-DAG: mlopt.dot {{.*}} : (tensor<4x8xi32>, tensor<8x5xi32>) -> tensor<4x5xi32>
  %3 = mlopt.dot %si, %uj contract [1] x [0] : (tensor<4x8xi32>, tensor<8x5xi32>) -> tensor<4x5xi32>
  %sj = mlopt.convert %j : tensor<8x5xi8> -> tensor<8x5xi32>
  // CHECK-DAG: mlopt.dot {{.*}} unsigned : (tensor<4x8xi32>, tensor<8x5xi32>) -> tensor<4x5xi64>
  %4 = mlopt.dot %si, %sj contract [1] x [0] unsigned : (tensor<4x8xi32>, tensor<8x5xi32>) -> tensor<4x5xi64>
  // Products of i1 are and, their sums or.
  %ip = mlopt.convert %p : tensor<4x8xi1> -> tensor<4x8xi32>
  %iq = mlopt.convert %q : tensor<8x5xi1> -> tensor<8x5xi32>
  // CHECK-DAG: mlopt.dot {{.*}} : (tensor<4x8xi32>, tensor<8x5xi32>) -> tensor<4x5xi32>
  %5 = mlopt.dot %ip, %iq contract [1] x [0] : (tensor<4x8xi32>, tensor<8x5xi32>) -> tensor<4x5xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf64>, tensor<4x5xi32>, tensor<4x5xi64>, tensor<4x5xi32>
}
