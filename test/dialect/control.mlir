// Fusions in their pretty form, through the generic form and bytecode as well.
// RUN: mlopt-opt %s | mlopt-opt | FileCheck %s
// RUN: mlopt-opt %s -mlir-print-op-generic | mlopt-opt | FileCheck %s
// RUN: mlopt-opt %s -emit-bytecode | mlopt-opt | FileCheck %s

// Inside, names of values outside may be used again.
// CHECK-LABEL: @fusion(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<f32>
func.func @fusion(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = mlopt.fusion (%[[A:.*]] = %[[X]] : tensor<4xf32>, %[[B:.*]] = %[[Y]] : tensor<f32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[C:.*]] = mlopt.broadcast %[[B]]
  // CHECK-NEXT: %[[D:.*]] = mlopt.add %[[A]], %[[C]]
  // CHECK-NEXT: mlopt.yield %[[D]] : tensor<4xf32>
  // CHECK-NEXT: } {my.note}
  %r = mlopt.fusion (%x = %x : tensor<4xf32>, %b = %y : tensor<f32>) -> tensor<4xf32> {
    %c = mlopt.broadcast %b dims [] : tensor<f32> -> tensor<4xf32>
    %d = mlopt.add %x, %c : tensor<4xf32>
    mlopt.yield %d : tensor<4xf32>
  } {my.note}
  // CHECK: mlopt.fusion () -> (tensor<2xi32>, tensor<3xi32>) {
  // CHECK: mlopt.yield %{{.*}}, %{{.*}} : tensor<2xi32>, tensor<3xi32>
  %i:2 = mlopt.fusion () -> (tensor<2xi32>, tensor<3xi32>) {
    %0 = mlopt.iota dim 0 : tensor<2xi32>
    %1 = mlopt.iota dim 0 : tensor<3xi32>
    mlopt.yield %0, %1 : tensor<2xi32>, tensor<3xi32>
  }
  // CHECK: mlopt.fusion () -> () {
  // CHECK-NEXT: mlopt.yield
  // CHECK-NEXT: }
  mlopt.fusion () -> () {
    mlopt.yield
  }
  // CHECK: return %[[R]]
  return %r : tensor<4xf32>
}
