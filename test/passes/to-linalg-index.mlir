// RUN: mlopt-opt %s -convert-mlopt-to-linalg -split-input-file | FileCheck %s

// The body reads a start, clamps it and adds the offset.
// CHECK-LABEL: func @gather(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32>, %[[I:.*]]: tensor<3xi32>)
// CHECK:         linalg.generic
// CHECK-DAG:       %[[D0:.*]] = linalg.index 0
// CHECK-DAG:       %[[D1:.*]] = linalg.index 1
// CHECK:           %[[E:.*]] = tensor.extract %[[I]][%[[D0]]]
// CHECK:           arith.index_cast %[[E]]
// CHECK:           arith.maxsi
// CHECK:           %[[S:.*]] = arith.minsi
// CHECK:           tensor.extract %[[X]][%[[S]], %[[D1]]]
func.func @gather(%x: tensor<8x4xf32>, %i: tensor<3xi32>) -> tensor<3x4xf32> {
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0]
      start_index_map [0] index_vector_dim 1 slice_sizes [1, 4]
      : (tensor<8x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// Only dimensions with room to move have an offset.
// CHECK-LABEL: func @dynamic_slice(
// CHECK:         %[[AT:.*]] = arith.minsi
// CHECK:         tensor.extract_slice %{{.*}}[%[[AT]], 0] [2, 4] [1, 1]
func.func @dynamic_slice(%x: tensor<8x4xf32>, %i: tensor<i32>, %j: tensor<i32>)
    -> tensor<2x4xf32> {
  %0 = mlopt.dynamic_slice %x, %i, %j sizes [2, 4]
      : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// Unsigned starts have no lower bound to keep.
// CHECK-LABEL: func @dynamic_update_slice(
// CHECK:         arith.index_castui
// CHECK-NOT:     maxsi
// CHECK:         %[[AT:.*]] = arith.minui
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[%[[AT]]] [2] [1]
func.func @dynamic_update_slice(%x: tensor<8xf32>, %u: tensor<2xf32>,
                                %i: tensor<i8>) -> tensor<8xf32> {
  %0 = mlopt.dynamic_update_slice %x, %u, %i {unsigned_indices}
      : (tensor<8xf32>, tensor<2xf32>, tensor<i8>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A scatter stays, its kind a region in the element type.
// CHECK-LABEL: func @scatter(
// CHECK:         mlopt.scatter %{{.*}}, %{{.*}}, %{{.*}} update_window_dims [1]
// CHECK:         ^bb0(%[[OLD:.*]]: bf16, %[[UPDATE:.*]]: bf16):
// CHECK-NEXT:      %[[NEW:.*]] = arith.addf %[[OLD]], %[[UPDATE]] : bf16
// CHECK-NEXT:      mlopt.yield %[[NEW]] : bf16
func.func @scatter(%x: tensor<8x4xbf16>, %i: tensor<3xi32>,
                   %u: tensor<3x4xbf16>) -> tensor<8x4xbf16> {
  %0 = mlopt.scatter add %x, %i, %u update_window_dims [1]
      inserted_window_dims [0] scatter_dims_to_operand_dims [0]
      index_vector_dim 1
      : (tensor<8x4xbf16>, tensor<3xi32>, tensor<3x4xbf16>) -> tensor<8x4xbf16>
  return %0 : tensor<8x4xbf16>
}
