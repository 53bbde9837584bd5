// Scans and sorts in their pretty form, through the generic form and bytecode as
// well.
// RUN: mlopt-opt %s | mlopt-opt | FileCheck %s
// RUN: mlopt-opt %s -mlir-print-op-generic | mlopt-opt | FileCheck %s
// RUN: mlopt-opt %s -emit-bytecode | mlopt-opt | FileCheck %s

// CHECK-LABEL: @scan(
func.func @scan(%x: tensor<2x?xf32>, %v: tensor<f32>) {
  // CHECK: mlopt.scan add %{{.*}} dim 1 : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %0 = mlopt.scan add %x dim 1 : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK: mlopt.scan max %{{.*}}, %{{.*}} dim 0 reverse {numerics = #mlopt.numerics<strict>} : (tensor<2x?xf32>, tensor<f32>) -> tensor<2x?xf32>
  %1 = mlopt.scan max %x, %v dim 0 reverse {numerics = #mlopt.numerics<strict>} : (tensor<2x?xf32>, tensor<f32>) -> tensor<2x?xf32>
  // CHECK: mlopt.scan %{{.*}}, %{{.*}} dim 0 : (tensor<2x?xf32>, tensor<f32>) -> tensor<2x?xf32> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: %[[S:.*]] = mlopt.sub %[[A]], %[[B]] : f32
  // CHECK-NEXT: mlopt.yield %[[S]] : f32
  %2 = mlopt.scan %x, %v dim 0 : (tensor<2x?xf32>, tensor<f32>) -> tensor<2x?xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = mlopt.sub %a, %b : f32
    mlopt.yield %s : f32
  }
  return
}

// CHECK-LABEL: @sort(
func.func @sort(%k: tensor<8x?xf32>, %v: tensor<?x2xi8>, %c: tensor<8x2x?xi32>) -> tensor<8x?xf32> {
  // CHECK: mlopt.sort %{{.*}} dim 0 : (tensor<8x?xf32>) -> tensor<8x?xf32>
  %0 = mlopt.sort %k dim 0 : (tensor<8x?xf32>) -> tensor<8x?xf32>
  // CHECK: %{{.*}}:2 = mlopt.sort %{{.*}}, %{{.*}} dim 1 keys 2 descending unsigned_keys total_order : (tensor<8x?xf32>, tensor<?x2xi8>) -> (tensor<8x?xf32>, tensor<?x2xi8>)
  %1:2 = mlopt.sort %k, %v dim 1 keys 2 descending unsigned_keys total_order : (tensor<8x?xf32>, tensor<?x2xi8>) -> (tensor<8x?xf32>, tensor<?x2xi8>)
  // CHECK: mlopt.sort {{.*}} weak_order : (tensor<8x?xf32>) -> tensor<8x?xf32> {
  %4 = mlopt.sort %k dim 0 weak_order : (tensor<8x?xf32>) -> tensor<8x?xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = mlopt.compare lt, %b, %a : f32
    mlopt.yield %d : i1
  }
  // CHECK: mlopt.sort %{{.*}} dim 0 from 2 to 8 : (tensor<8x?xf32>)
  %3 = mlopt.sort %k dim 0 from 2 to 8 : (tensor<8x?xf32>) -> tensor<8x?xf32>
  // CHECK: %[[R:.*]]:2 = mlopt.sort %{{.*}}, %{{.*}} dim 0 : (tensor<8x?xf32>, tensor<?x2xi8>) -> (tensor<8x?xf32>, tensor<?x2xi8>) {
  // CHECK-NEXT: ^bb0(%[[A0:.*]]: f32, %[[B0:.*]]: f32, %{{.*}}: i8, %{{.*}}: i8):
  // CHECK-NEXT: %[[LT:.*]] = mlopt.compare gt, %[[A0]], %[[B0]] : f32
  // CHECK-NEXT: mlopt.yield %[[LT]] : i1
  %2:2 = mlopt.sort %k, %v dim 0 : (tensor<8x?xf32>, tensor<?x2xi8>) -> (tensor<8x?xf32>, tensor<?x2xi8>) {
  ^bb0(%a0: f32, %b0: f32, %a1: i8, %b1: i8):
    %lt = mlopt.compare gt, %a0, %b0 : f32
    mlopt.yield %lt : i1
  }
  // CHECK: mlopt.sort %{{.*}}, %{{.*}} dim 1 weak_order counted 4 : (tensor<8x?xf32>, tensor<8x2x?xi32>) -> tensor<8x?xf32> {
  %5 = mlopt.sort %k, %c dim 1 weak_order counted 4 : (tensor<8x?xf32>, tensor<8x2x?xi32>) -> tensor<8x?xf32> {
  ^bb0(%a: f32, %b: f32):
    %m = mlopt.bitcast %a : f32 -> i32
    %n = mlopt.bitcast %b : f32 -> i32
    %one = mlopt.constant 1 : i32
    %d = mlopt.and %m, %one : i32
    %e = mlopt.and %n, %one : i32
    %f = arith.cmpi ult, %d, %e : i32
    mlopt.yield %f : i1
  }
  // CHECK: return %[[R]]#0
  return %2#0 : tensor<8x?xf32>
}
