// Operations that make and move elements, in their pretty form, through the
// generic form and bytecode as well.
// RUN: mlopt-opt %s | mlopt-opt | FileCheck %s
// RUN: mlopt-opt %s -mlir-print-op-generic | mlopt-opt | FileCheck %s
// RUN: mlopt-opt %s -emit-bytecode | mlopt-opt | FileCheck %s

// CHECK-LABEL: @constants(
func.func @constants() -> tensor<2x2xi4> {
  // CHECK: mlopt.constant dense<[1.000000e+00, 0x7FC00001]> : tensor<2xf32>
  %0 = mlopt.constant dense<[1.0, 0x7FC00001]> : tensor<2xf32>
  // CHECK: mlopt.constant dense<true> : tensor<4x8xi1>
  %1 = mlopt.constant dense<true> : tensor<4x8xi1>
  // CHECK: mlopt.constant dense<> : tensor<0x3xbf16>
  %2 = mlopt.constant dense<> : tensor<0x3xbf16>
  // CHECK: mlopt.constant dense_resource<weights> : tensor<2xf32>
  %3 = mlopt.constant dense_resource<weights> : tensor<2xf32>
  // CHECK: mlopt.constant 2.000000e+00 : f16
  %4 = mlopt.constant 2.0 : f16
  // CHECK: mlopt.constant 7 : index
  %5 = mlopt.constant 7 : index
  // CHECK: mlopt.constant {my.note} dense<3> : tensor<i64>
  %6 = mlopt.constant {my.note} dense<3> : tensor<i64>
  // CHECK: %[[R:.*]] = mlopt.constant dense<{{.*}}> : tensor<2x2xi4>
  %7 = mlopt.constant dense<[[1, -8], [0, 7]]> : tensor<2x2xi4>
  // CHECK: return %[[R]] : tensor<2x2xi4>
  return %7 : tensor<2x2xi4>
}

// CHECK-LABEL: @iota(
func.func @iota() {
  // CHECK: mlopt.iota dim 1 : tensor<2x4xi32>
  %0 = mlopt.iota dim 1 : tensor<2x4xi32>
  // CHECK: mlopt.iota dim 0 : tensor<?xf8E4M3FN>
  %1 = mlopt.iota dim 0 : tensor<?xf8E4M3FN>
  return
}

// CHECK-LABEL: @broadcast(
func.func @broadcast(%x: tensor<4x1xf32>, %s: tensor<f32>, %d: tensor<?xf32>) {
  // CHECK: mlopt.broadcast %{{.*}} dims [2, 0] : tensor<4x1xf32> -> tensor<3x5x4xf32>
  %0 = mlopt.broadcast %x dims [2, 0] : tensor<4x1xf32> -> tensor<3x5x4xf32>
  // CHECK: mlopt.broadcast %{{.*}} dims [] : tensor<f32> -> tensor<0x4xf32>
  %1 = mlopt.broadcast %s dims [] : tensor<f32> -> tensor<0x4xf32>
  // CHECK: mlopt.broadcast %{{.*}} dims [1] : tensor<?xf32> -> tensor<?x8xf32>
  %2 = mlopt.broadcast %d dims [1] : tensor<?xf32> -> tensor<?x8xf32>
  return
}

// CHECK-LABEL: @reshape(
func.func @reshape(%x: tensor<2x6xf32>, %s: tensor<f32>, %d: tensor<?x4xf32>, %e: tensor<0x5xf32>) {
  // CHECK: mlopt.reshape %{{.*}} : tensor<2x6xf32> -> tensor<3x1x4xf32>
  %0 = mlopt.reshape %x : tensor<2x6xf32> -> tensor<3x1x4xf32>
  // CHECK: mlopt.reshape %{{.*}} : tensor<f32> -> tensor<1x1xf32>
  %1 = mlopt.reshape %s : tensor<f32> -> tensor<1x1xf32>
  // CHECK: mlopt.reshape %{{.*}} : tensor<?x4xf32> -> tensor<2x?xf32>
  %2 = mlopt.reshape %d : tensor<?x4xf32> -> tensor<2x?xf32>
  // CHECK: mlopt.reshape %{{.*}} : tensor<0x5xf32> -> tensor<7x0xf32>
  %3 = mlopt.reshape %e : tensor<0x5xf32> -> tensor<7x0xf32>
  return
}

// CHECK-LABEL: @transpose(
func.func @transpose(%x: tensor<2x?x4xf32>, %s: tensor<f32>) {
  // CHECK: mlopt.transpose %{{.*}} perm [2, 0, 1] : tensor<2x?x4xf32> -> tensor<4x2x?xf32>
  %0 = mlopt.transpose %x perm [2, 0, 1] : tensor<2x?x4xf32> -> tensor<4x2x?xf32>
  // CHECK: mlopt.transpose %{{.*}} perm [] : tensor<f32> -> tensor<f32>
  %1 = mlopt.transpose %s perm [] : tensor<f32> -> tensor<f32>
  return
}

// CHECK-LABEL: @slice(
func.func @slice(%x: tensor<2x?xf32>) {
  // CHECK: mlopt.slice %{{.*}} starts [0, 1] limits [2, 6] strides [1, 2] : tensor<2x?xf32> -> tensor<2x3xf32>
  %0 = mlopt.slice %x starts [0, 1] limits [2, 6] strides [1, 2] : tensor<2x?xf32> -> tensor<2x3xf32>
  // CHECK: mlopt.slice %{{.*}} starts [2, 0] limits [2, 1] strides [1, 1] : tensor<2x?xf32> -> tensor<0x1xf32>
  %1 = mlopt.slice %x starts [2, 0] limits [2, 1] strides [1, 1] : tensor<2x?xf32> -> tensor<0x1xf32>
  return
}

// CHECK-LABEL: @reverse(
func.func @reverse(%x: tensor<2x?xf32>) {
  // CHECK: mlopt.reverse %{{.*}} dims [1, 0] : tensor<2x?xf32>
  %0 = mlopt.reverse %x dims [1, 0] : tensor<2x?xf32>
  return
}

// CHECK-LABEL: @pad(
func.func @pad(%x: tensor<2x4xf32>, %d: tensor<?xf32>, %v: tensor<f32>) {
  // CHECK: mlopt.pad %{{.*}}, %{{.*}} low [1, 0] high [-1, 2] interior [0, 1] : tensor<2x4xf32>, tensor<f32> -> tensor<2x9xf32>
  %0 = mlopt.pad %x, %v low [1, 0] high [-1, 2] interior [0, 1] : tensor<2x4xf32>, tensor<f32> -> tensor<2x9xf32>
  // CHECK: mlopt.pad %{{.*}}, %{{.*}} low [1] high [1] interior [0] : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %1 = mlopt.pad %d, %v low [1] high [1] interior [0] : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  return
}

// CHECK-LABEL: @concat(
func.func @concat(%x: tensor<2x?xf32>, %y: tensor<?x3xf32>, %z: tensor<0x3xf32>) {
  // CHECK: mlopt.concat %{{.*}}, %{{.*}}, %{{.*}} dim 0 : (tensor<2x?xf32>, tensor<?x3xf32>, tensor<0x3xf32>) -> tensor<?x3xf32>
  %0 = mlopt.concat %x, %y, %z dim 0 : (tensor<2x?xf32>, tensor<?x3xf32>, tensor<0x3xf32>) -> tensor<?x3xf32>
  // CHECK: mlopt.concat %{{.*}} dim 1 : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %1 = mlopt.concat %z dim 1 : (tensor<0x3xf32>) -> tensor<0x3xf32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}
