// A fusion keeps the operands that its body uses and the results that others
// use, each once.
// RUN: mlopt-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @operands(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[Z:.*]]: tensor<4xf32>
func.func @operands(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = mlopt.fusion (%[[A:.*]] = %[[Z]] : tensor<4xf32>, %[[B:.*]] = %[[X]] : tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[S:.*]] = mlopt.sub %[[A]], %[[B]]
  // CHECK-NEXT: %[[T:.*]] = mlopt.sub %[[S]], %[[A]]
  // CHECK-NEXT: mlopt.yield %[[T]]
  %r = mlopt.fusion (%a = %z : tensor<4xf32>, %b = %y : tensor<4xf32>, %c = %x : tensor<4xf32>, %d = %z : tensor<4xf32>) -> tensor<4xf32> {
    %s = mlopt.sub %d, %c : tensor<4xf32>
    %t = mlopt.sub %s, %d : tensor<4xf32>
    mlopt.yield %t : tensor<4xf32>
  }
  // CHECK: return %[[R]]
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: @results(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[R:.*]]:2 = mlopt.fusion (%[[A:.*]] = %[[X]] : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[E:.*]] = mlopt.exp %[[A]]
  // CHECK-DAG: %[[L:.*]] = mlopt.log %[[A]]
  // CHECK: mlopt.yield %[[E]], %[[L]] : tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: } {my.note}
  %r:5 = mlopt.fusion (%a = %x : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %sin = mlopt.sin %a : tensor<4xf32>
    %exp = mlopt.exp %a : tensor<4xf32>
    %log = mlopt.log %a : tensor<4xf32>
    mlopt.yield %sin, %exp, %a, %log, %exp : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } {my.note}
  // CHECK: return %[[R]]#0, %[[X]], %[[R]]#1, %[[R]]#0
  return %r#1, %r#2, %r#3, %r#4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @nothing(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<f32>
func.func @nothing(%x: tensor<4xf32>, %y: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  // CHECK-NEXT: return %[[Y]], %[[X]]
  %r:2 = mlopt.fusion (%a = %x : tensor<4xf32>, %b = %y : tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
    mlopt.yield %b, %a : tensor<f32>, tensor<4xf32>
  }
  %unused = mlopt.fusion (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %0 = mlopt.exp %a : tensor<4xf32>
    mlopt.yield %0 : tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<4xf32>
}
