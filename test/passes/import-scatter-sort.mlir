// RUN: mlopt-opt %s -convert-stablehlo-to-mlopt -o %t.mlir
// RUN: FileCheck %s --implicit-check-not=stablehlo --implicit-check-not=chlo < %t.mlir
// RUN: mlopt-opt %t.mlir | diff %t.mlir -

// CHECK-LABEL: @scatter_set
// CHECK: mlopt.scatter set %arg0, %arg1, %arg2 update_window_dims [1]
// CHECK-SAME: inserted_window_dims [0] scatter_dims_to_operand_dims [0]
// CHECK-SAME: index_vector_dim 1 unique_indices
func.func @scatter_set(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>,
                       %u: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{
      scatter_dimension_numbers = #stablehlo.scatter<
          update_window_dims = [1], inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
      unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// One scatter for each operand; one of them has a region.
// CHECK-LABEL: @scatter_two
// CHECK-DAG: mlopt.scatter maxu %arg0, %arg2, %arg3
// CHECK-DAG: mlopt.scatter %arg1, %arg2, %arg4
// CHECK: ^bb0(%[[OLD:.*]]: f32, %[[NEW:.*]]: f32):
// CHECK: mlopt.sub %[[OLD]], %[[NEW]] : f32
func.func @scatter_two(%x: tensor<8xui8>, %y: tensor<8xf32>, %i: tensor<3x1xi32>,
                       %u: tensor<3xui8>, %v: tensor<3xf32>)
    -> (tensor<8xui8>, tensor<8xf32>) {
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{
      scatter_dimension_numbers = #stablehlo.scatter<
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
          index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<ui8>, %b: tensor<f32>, %c: tensor<ui8>, %d: tensor<f32>):
    %1 = stablehlo.maximum %a, %c : tensor<ui8>
    %2 = stablehlo.subtract %b, %d : tensor<f32>
    stablehlo.return %1, %2 : tensor<ui8>, tensor<f32>
  }) : (tensor<8xui8>, tensor<8xf32>, tensor<3x1xi32>, tensor<3xui8>,
        tensor<3xf32>) -> (tensor<8xui8>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xui8>, tensor<8xf32>
}

// The windows' chosen positions, then a scatter to them.
// CHECK-LABEL: @select_and_scatter
// CHECK: %[[AT:.*]] = mlopt.iota dim 0 : tensor<8xi32>
// CHECK: %[[NONE:.*]] = mlopt.constant dense<-1> : tensor<i32>
// CHECK: %[[PICKED:.*]]:2 = mlopt.reduce_window %arg0, %[[AT]], %{{.*}}, %[[NONE]] window [2] strides [2]
// CHECK: mlopt.compare ge, %{{.*}}, %{{.*}} : f32
// CHECK: %[[INDICES:.*]] = mlopt.reshape %[[PICKED]]#1 : tensor<4xi32> -> tensor<4x1xi32>
// CHECK: %[[INIT:.*]] = mlopt.broadcast %{{.*}} dims [] : tensor<f32> -> tensor<8xf32>
// CHECK: mlopt.scatter add %[[INIT]], %[[INDICES]], %arg1 inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1
func.func @select_and_scatter(%x: tensor<8xf32>, %source: tensor<4xf32>)
    -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %source, %zero) <{
      window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b, FLOAT
        : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @sort_keys
// CHECK: mlopt.sort %arg0, %arg1 dim 1 descending unsigned_keys :
func.func @sort_keys(%x: tensor<2x8xui8>, %y: tensor<2x8xi32>)
    -> (tensor<2x8xui8>, tensor<2x8xi32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = -1 : i64}> ({
  ^bb0(%a: tensor<ui8>, %b: tensor<ui8>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare GT, %a, %b, UNSIGNED
        : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x8xui8>, tensor<2x8xi32>) -> (tensor<2x8xui8>, tensor<2x8xi32>)
  return %0#0, %0#1 : tensor<2x8xui8>, tensor<2x8xi32>
}

// Lexicographic: the second key counts where the first is equal.
// CHECK-LABEL: @sort_two_keys
// CHECK: mlopt.sort %arg0, %arg1 dim 0 keys 2 :
func.func @sort_two_keys(%x: tensor<8xi32>, %y: tensor<8xi32>)
    -> (tensor<8xi32>, tensor<8xi32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %c, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.and %3, %1 : tensor<i1>
    %5 = stablehlo.or %2, %4 : tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<8xi32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>)
  return %0#0, %0#1 : tensor<8xi32>, tensor<8xi32>
}

// JAX's comparator of floats: zeros alike, NaNs alike and last.
// CHECK-LABEL: @sort_floats
// CHECK: mlopt.sort %arg0 dim 0 :
func.func @sort_floats(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %1 = stablehlo.compare EQ, %a, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %zero, %a : tensor<i1>, tensor<f32>
    %3 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.select %3, %nan, %2 : tensor<i1>, tensor<f32>
    %5 = stablehlo.compare EQ, %b, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.select %5, %zero, %b : tensor<i1>, tensor<f32>
    %7 = stablehlo.compare NE, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.select %7, %nan, %6 : tensor<i1>, tensor<f32>
    %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %9 : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Comparing floats by value alone is no order: a region.
// CHECK-LABEL: @sort_by_value
// CHECK: mlopt.sort %arg0 dim 0
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK: mlopt.compare lt, %[[A]], %[[B]] : f32
func.func @sort_by_value(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @top_k
// CHECK: %[[AT:.*]] = mlopt.iota dim 1 : tensor<5x8xi32>
// CHECK: %[[SORTED:.*]]:2 = mlopt.sort %arg0, %[[AT]] dim 1 descending total_order
// CHECK: mlopt.slice %[[SORTED]]#0 starts [0, 0] limits [5, 2] strides [1, 1]
// CHECK: mlopt.slice %[[SORTED]]#1 starts [0, 0] limits [5, 2] strides [1, 1]
func.func @top_k(%x: tensor<5x8xf32>) -> (tensor<5x2xf32>, tensor<5x2xi32>) {
  %values, %indices = chlo.top_k(%x, k = 2)
      : tensor<5x8xf32> -> (tensor<5x2xf32>, tensor<5x2xi32>)
  return %values, %indices : tensor<5x2xf32>, tensor<5x2xi32>
}
