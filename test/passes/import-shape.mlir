// RUN: mlopt-opt %s -convert-stablehlo-to-mlopt -o %t.mlir
// RUN: FileCheck %s --implicit-check-not=stablehlo < %t.mlir
// RUN: mlopt-opt %t.mlir | diff %t.mlir -

// Constants keep their bits under the signless type.
// CHECK-LABEL: @constants
func.func @constants()
    -> (tensor<2xui8>, tensor<3xui64>, tensor<2xf32>, tensor<0xui8>) {
  // CHECK: mlopt.constant dense<[-1, 1]> : tensor<2xi8>
  %0 = stablehlo.constant dense<[255, 1]> : tensor<2xui8>
  // CHECK: mlopt.constant dense<-1> : tensor<3xi64>
  %1 = stablehlo.constant dense<18446744073709551615> : tensor<3xui64>
  // CHECK: mlopt.constant dense<[-0.000000e+00, 0x7FC00001]> : tensor<2xf32>
  %2 = stablehlo.constant dense<[-0.0, 0x7FC00001]> : tensor<2xf32>
  // CHECK: mlopt.constant dense<> : tensor<0xi8>
  %3 = stablehlo.constant dense<> : tensor<0xui8>
  return %0, %1, %2, %3
      : tensor<2xui8>, tensor<3xui64>, tensor<2xf32>, tensor<0xui8>
}

// Layout operations keep their attributes.
// CHECK-LABEL: @layout
func.func @layout(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<12x3xf32> {
  // CHECK: mlopt.slice %arg0 starts [1, 0] limits [4, 6] strides [1, 2]
  %0 = stablehlo.slice %x [1:4, 0:6:2] : (tensor<4x6xf32>) -> tensor<3x3xf32>
  // CHECK: mlopt.pad %{{.*}}, %arg1 low [1, 0] high [-1, 1] interior [0, 1]
  %1 = stablehlo.pad %0, %v, low = [1, 0], high = [-1, 1], interior = [0, 1]
      : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x6xf32>
  // CHECK: mlopt.reverse %{{.*}} dims [1]
  %2 = stablehlo.reverse %1, dims = [1] : tensor<3x6xf32>
  // CHECK: mlopt.transpose %{{.*}} perm [1, 0]
  %3 = stablehlo.transpose %2, dims = [1, 0]
      : (tensor<3x6xf32>) -> tensor<6x3xf32>
  // CHECK: mlopt.concat %{{.*}}, %{{.*}} dim 0
  %4 = stablehlo.concatenate %3, %3, dim = 0
      : (tensor<6x3xf32>, tensor<6x3xf32>) -> tensor<12x3xf32>
  return %4 : tensor<12x3xf32>
}

// What changes nothing leaves nothing.
// CHECK-LABEL: @nothing
// CHECK-NEXT: return %arg0
func.func @nothing(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1]
      : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = stablehlo.transpose %1, dims = [0, 1]
      : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// A broadcast that swaps two dimensions of one size is something.
// CHECK-LABEL: @swap
// CHECK: mlopt.broadcast %arg0 dims [1, 0]
func.func @swap(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 0]
      : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Indices of unsigned type say so.
// CHECK-LABEL: @indices
func.func @indices(%x: tensor<8x4xf32>, %i: tensor<ui32>, %j: tensor<3x1xi32>,
                   %u: tensor<1x4xf32>)
    -> (tensor<1x4xf32>, tensor<8x4xf32>, tensor<3x4xf32>) {
  %c = stablehlo.constant dense<0> : tensor<ui32>
  // CHECK: mlopt.dynamic_slice %arg0, %arg1, %{{.*}} sizes [1, 4] unsigned_indices
  %0 = stablehlo.dynamic_slice %x, %i, %c, sizes = [1, 4]
      : (tensor<8x4xf32>, tensor<ui32>, tensor<ui32>) -> tensor<1x4xf32>
  // CHECK: mlopt.dynamic_update_slice %arg0, %arg3, %arg1, %{{.*}} unsigned_indices
  %1 = stablehlo.dynamic_update_slice %x, %u, %i, %c
      : (tensor<8x4xf32>, tensor<1x4xf32>, tensor<ui32>, tensor<ui32>)
      -> tensor<8x4xf32>
  // CHECK: mlopt.gather %arg0, %arg2 offset_dims [1] collapsed_slice_dims [0]
  // CHECK-SAME: start_index_map [0] index_vector_dim 1 slice_sizes [1, 4]
  // CHECK-NOT: unsigned_indices
  %2 = "stablehlo.gather"(%x, %j) <{
      dimension_numbers = #stablehlo.gather<
          offset_dims = [1], collapsed_slice_dims = [0],
          start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 4>}>
      : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  // CHECK: return
  return %0, %1, %2 : tensor<1x4xf32>, tensor<8x4xf32>, tensor<3x4xf32>
}
