// RUN: mlopt-opt %s -convert-stablehlo-to-mlopt -o %t.mlir
// RUN: FileCheck %s --implicit-check-not=chlo < %t.mlir
// RUN: mlopt-opt %t.mlir | diff %t.mlir -

// Functions that mlopt has are renamed.
// CHECK-LABEL: @named
// CHECK: mlopt.erf %arg0 : tensor<4xbf16>
// CHECK: mlopt.atanh
// CHECK: mlopt.mul %[[X:.*]], %[[X]] : tensor<4xbf16>
func.func @named(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = chlo.erf %x : tensor<4xbf16> -> tensor<4xbf16>
  %1 = chlo.atanh %0 : tensor<4xbf16> -> tensor<4xbf16>
  %2 = chlo.square %1 : tensor<4xbf16> -> tensor<4xbf16>
  return %2 : tensor<4xbf16>
}

// Others are written out: narrow floats in f32, rounded once at the end.
// CHECK-LABEL: @written_out
// CHECK: %[[X:.*]] = mlopt.convert %arg0 : tensor<4xbf16> -> tensor<4xf32>
// CHECK-NOT: mlopt.convert
// CHECK: mlopt.log %{{.*}} : tensor<4xf32>
// CHECK: %[[Y:.*]] = mlopt.mul %{{.*}}, %[[X]] : tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = mlopt.convert %[[Y]] : tensor<4xf32> -> tensor<4xbf16>
// CHECK-NEXT: return %[[R]]
func.func @written_out(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = chlo.erf_inv %x : tensor<4xbf16> -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @infinities
func.func @infinities(%x: tensor<4xf32>)
    -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK: %[[SIZE:.*]] = mlopt.abs %arg0
  // CHECK: %[[INF:.*]] = mlopt.constant dense<0x7F800000>
  // CHECK: mlopt.compare eq, %[[SIZE]], %[[INF]]
  %0 = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi1>
  // CHECK: mlopt.constant dense<0x7F800000>
  // CHECK: mlopt.compare eq, %arg0
  %1 = chlo.is_pos_inf %x : tensor<4xf32> -> tensor<4xi1>
  // CHECK: mlopt.constant dense<0xFF800000>
  // CHECK: mlopt.compare eq, %arg0
  %2 = chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: @constant_like
// CHECK: mlopt.constant dense<5.000000e-01> : tensor<4xf32>
func.func @constant_like(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "chlo.constant_like"(%x) {value = 0.5 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
