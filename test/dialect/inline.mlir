// Operations of the dialect may be inlined anywhere; a function marked as the
// source of an entry's arguments stays.
// RUN: mlopt-opt %s -inline | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  // CHECK-NOT: call
  // CHECK: %[[E:.*]] = mlopt.exp %[[X]]
  // CHECK: %[[R:.*]] = mlopt.reduce %[[E]]
  // CHECK: mlopt.add
  // CHECK: mlopt.yield
  // CHECK: return %[[R]]
  %0 = func.call @callee(%x) : (tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func private @callee(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = mlopt.constant dense<0.0> : tensor<f32>
  %e = mlopt.exp %x : tensor<4xf32>
  %r = mlopt.reduce %e, %zero dims [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    %s = mlopt.add %a, %b : f32
    mlopt.yield %s : f32
  }
  return %r : tensor<f32>
}

// Into a fusion as well.
// CHECK-LABEL: func.func @into_a_fusion(
func.func @into_a_fusion(%x: tensor<4xf32>) -> tensor<f32> {
  // CHECK: mlopt.fusion
  // CHECK-NOT: call
  // CHECK: mlopt.exp
  // CHECK: mlopt.yield
  %r = mlopt.fusion (%a = %x : tensor<4xf32>) -> tensor<f32> {
    %0 = func.call @callee(%a) : (tensor<4xf32>) -> tensor<f32>
    mlopt.yield %0 : tensor<f32>
  }
  return %r : tensor<f32>
}
