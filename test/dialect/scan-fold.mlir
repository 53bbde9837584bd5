// Scans and sorts of constants, and those that change nothing.
// RUN: mlopt-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @scans(
func.func @scans() -> (tensor<2x3xi8>, tensor<2x3xi8>, tensor<2x3xi8>, tensor<4xf32>) {
  %c = mlopt.constant dense<[[100, 27, 2], [-128, -1, 3]]> : tensor<2x3xi8>
  %v = mlopt.constant dense<1> : tensor<i8>
  %f = mlopt.constant dense<[1.0, -0.0, 0x7FC00000, 2.0]> : tensor<4xf32>
  // CHECK-DAG: %[[A:.*]] = mlopt.constant dense<{{\[\[}}101, -128, -126], [-127, -128, -125]]>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<{{\[\[}}-127, 29, 2], [-126, 2, 3]]>
  // CHECK-DAG: %[[C:.*]] = mlopt.constant dense<{{\[\[}}100, 27, 2], [-128, -1, 2]]>
  // CHECK-DAG: %[[D:.*]] = mlopt.constant dense<[1.000000e+00, -0.000000e+00, 0x7FC00000, 0x7FC00000]>
  %0 = mlopt.scan add %c, %v dim 1 : (tensor<2x3xi8>, tensor<i8>) -> tensor<2x3xi8>
  %1 = mlopt.scan add %c dim 1 reverse : (tensor<2x3xi8>) -> tensor<2x3xi8>
  %2 = mlopt.scan min %c dim 0 : (tensor<2x3xi8>) -> tensor<2x3xi8>
  %3 = mlopt.scan min %f dim 0 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %0, %1, %2, %3 : tensor<2x3xi8>, tensor<2x3xi8>, tensor<2x3xi8>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @scans_that_keep(
// CHECK-SAME: %[[X:.*]]: tensor<4x1xf32>
func.func @scans_that_keep(%x: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<9999xf32>, tensor<4x1xf32>, tensor<3xf32>) {
  %s = mlopt.constant dense<2.0> : tensor<9999xf32>
  %f = mlopt.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  // CHECK-DAG: %[[S:.*]] = mlopt.constant dense<2.000000e+00>
  // CHECK-DAG: %[[A:.*]] = mlopt.scan add %[[X]] dim 1
  // CHECK-DAG: %[[B:.*]] = mlopt.scan add %{{.*}} dim 0
  %0 = mlopt.scan mul %x dim 1 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = mlopt.scan max %s dim 0 : (tensor<9999xf32>) -> tensor<9999xf32>
  %2 = mlopt.scan add %x dim 1 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %3 = mlopt.scan add %f dim 0 : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: return %[[X]], %[[S]], %[[A]], %[[B]]
  return %0, %1, %2, %3 : tensor<4x1xf32>, tensor<9999xf32>, tensor<4x1xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: @sorts(
func.func @sorts() -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %c = mlopt.constant dense<[0x7FC00001, 1.0, 0.0, 0xFF800000, 0xFFC00000, -0.0]> : tensor<6xf32>
  // CHECK-DAG: %[[A:.*]] = mlopt.constant dense<[0xFF800000, 0.000000e+00, -0.000000e+00, 1.000000e+00, 0x7FC00001, 0xFFC00000]>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<[0x7FC00001, 0xFFC00000, 1.000000e+00, 0.000000e+00, -0.000000e+00, 0xFF800000]>
  // CHECK-DAG: %[[C:.*]] = mlopt.constant dense<[0xFFC00000, 0xFF800000, -0.000000e+00, 0.000000e+00, 1.000000e+00, 0x7FC00001]>
  %0 = mlopt.sort %c dim 0 : (tensor<6xf32>) -> tensor<6xf32>
  %1 = mlopt.sort %c dim 0 descending : (tensor<6xf32>) -> tensor<6xf32>
  %2 = mlopt.sort %c dim 0 total_order : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  return %0, %1, %2 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

// -----

// Two keys and a value, along the first of two dimensions.
// CHECK-LABEL: @sort_rows(
func.func @sort_rows() -> (tensor<3x2xi8>, tensor<3x2xi1>, tensor<3x2xf16>) {
  %a = mlopt.constant dense<[[1, -1], [1, 0], [0, 1]]> : tensor<3x2xi8>
  %b = mlopt.constant dense<[[true, true], [false, true], [true, true]]> : tensor<3x2xi1>
  %v = mlopt.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf16>
  // CHECK-DAG: %[[A:.*]] = mlopt.constant dense<{{\[\[}}0, 0], [1, 1], [1, -1]]>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<{{\[\[}}true, true], [false, true], [true, true]]>
  // CHECK-DAG: %[[V:.*]] = mlopt.constant dense<{{\[\[}}5.000000e+00, 4.000000e+00], [3.000000e+00, 6.000000e+00], [1.000000e+00, 2.000000e+00]]>
  %0:3 = mlopt.sort %a, %b, %v dim 0 keys 2 unsigned_keys : (tensor<3x2xi8>, tensor<3x2xi1>, tensor<3x2xf16>) -> (tensor<3x2xi8>, tensor<3x2xi1>, tensor<3x2xf16>)
  // CHECK: return %[[A]], %[[B]], %[[V]]
  return %0#0, %0#1, %0#2 : tensor<3x2xi8>, tensor<3x2xi1>, tensor<3x2xf16>
}

// -----

// One row is sorted, and equal keys stay where they are.
// CHECK-LABEL: @sorts_that_keep(
// CHECK-SAME: %[[X:.*]]: tensor<4x1xf32>, %[[Y:.*]]: tensor<4x1xf32>
func.func @sorts_that_keep(%x: tensor<4x1xf32>, %y: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %k = mlopt.constant dense<1> : tensor<4x1xi32>
  // CHECK-NEXT: return %[[X]], %[[Y]], %[[Y]]
  %0:2 = mlopt.sort %x, %y dim 1 : (tensor<4x1xf32>, tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %lt = mlopt.compare lt, %a, %b : f32
    mlopt.yield %lt : i1
  }
  %1:2 = mlopt.sort %k, %y dim 0 descending : (tensor<4x1xi32>, tensor<4x1xf32>) -> (tensor<4x1xi32>, tensor<4x1xf32>)
  return %0#0, %0#1, %1#1 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}
