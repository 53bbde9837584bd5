// RUN: mlopt-opt %s -split-input-file -convert-stablehlo-to-mlopt | FileCheck %s --implicit-check-not=mhlo --implicit-check-not=custom_call

// Inputs and expected values become arguments, compared values results; one
// that is returned already is not returned twice.
// CHECK: module @test {
module @test attributes {mhlo.num_partitions = 1 : i32, jax.uses_shape_polymorphism = false} {
  // CHECK: func.func public @main(%[[X:.*]]: tensor<4xi8>, %[[E:.*]]: tensor<4xi8>)
  // CHECK-SAME: -> (tensor<4xi8> {jax.result_info = ""}, tensor<4xi8>)
  // CHECK-SAME: mlopt.arguments_from = [@inputs, @expected]
  // CHECK-SAME: mlopt.checks = [{actual = 0 : i64, expected = 1 : i64, kind = "eq"}]
  func.func public @main() -> (tensor<4xui8> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0 = call @inputs() : () -> tensor<4xui8>
    %1 = call @expected() : () -> tensor<4xui8>
    // CHECK: %[[Y:.*]] = mlopt.divu %[[X]], %[[X]]
    %2 = stablehlo.divide %0, %0 : tensor<4xui8>
    stablehlo.custom_call @check.expect_eq(%2, %1) {has_side_effect = true}
        : (tensor<4xui8>, tensor<4xui8>) -> ()
    // CHECK: return %[[Y]], %[[E]]
    return %2 : tensor<4xui8>
  }
  // CHECK: func.func private @inputs() -> tensor<4xi8> attributes {mlopt.source}
  func.func private @inputs() -> (tensor<4xui8> {mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<[1, 2, 3, 255]> : tensor<4xui8>
    return %c : tensor<4xui8>
  }
  // CHECK: func.func private @expected() -> tensor<4xi8> attributes {mlopt.source}
  func.func private @expected() -> (tensor<4xui8> {mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<1> : tensor<4xui8>
    return %c : tensor<4xui8>
  }
}

// -----

// The bounds of a check, as given or as they are by default.
// CHECK: func.func @main
// CHECK-SAME: mlopt.checks = [
// CHECK-SAME: {actual = 0 : i64, expected = 1 : i64, kind = "close", max_ulp = 3 : i64, min_ulp = 0 : i64}
// CHECK-SAME: {actual = 0 : i64, expected = 1 : i64, kind = "close", max_ulp = 8 : i64, min_ulp = 0 : i64}
// CHECK-SAME: {actual = 0 : i64, expected = 1 : i64, kind = "almost_eq", tolerance = 1.000000e-03 : f64}
// CHECK-SAME: {actual = 0 : i64, expected = 1 : i64, kind = "almost_eq", tolerance = 5.000000e-01 : f64}
// CHECK: return %arg0, %arg1
func.func @main(%x: tensor<f32>, %y: tensor<f32>) {
  stablehlo.custom_call @check.expect_close(%x, %y) : (tensor<f32>, tensor<f32>) -> ()
  stablehlo.custom_call @check.expect_close(%x, %y) {max_ulp_difference = 8 : ui64} : (tensor<f32>, tensor<f32>) -> ()
  stablehlo.custom_call @check.expect_almost_eq(%x, %y) : (tensor<f32>, tensor<f32>) -> ()
  stablehlo.custom_call @check.expect_almost_eq(%x, %y) {tolerance = 0.5 : f64} : (tensor<f32>, tensor<f32>) -> ()
  return
}
