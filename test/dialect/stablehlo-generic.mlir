// RUN: mlopt-opt %s -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlopt-opt %t.mlir | diff %t.mlir -
// RUN: mlopt-opt %s --emit-bytecode | mlopt-opt | diff %t.mlir -

// Operations and attributes of StableHLO that have the generic form only.

// CHECK-LABEL: func @indexed
func.func @indexed(%x: tensor<3x4xf32>, %i: tensor<2x1xi32>, %u: tensor<2x4xf32>, %n: tensor<2xi32>) {
  // CHECK: #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  // CHECK: "stablehlo.dynamic_gather"
  // CHECK-SAME: #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
  %1 = "stablehlo.dynamic_gather"(%x, %i, %n) {dimension_numbers = #stablehlo.gather<index_vector_dim = 1, start_index_map = [0], operand_batching_dims = [], collapsed_slice_dims = [0], offset_dims = [1],>} : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x?xf32>
  // CHECK: "stablehlo.scatter"
  // CHECK-SAME: #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  %2 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  // CHECK: "stablehlo.torch_index_select"
  %4 = "stablehlo.torch_index_select"(%x, %n) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func @bodies
func.func @bodies(%x: tensor<4x6xf32>, %s: tensor<f32>, %p: tensor<i1>, %i: tensor<i32>) {
  // CHECK: "stablehlo.reduce_window"(%arg0, %arg1) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}>
  %0 = "stablehlo.reduce_window"(%x, %s) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x3xf32>
  // CHECK: "stablehlo.select_and_scatter"
  %2 = "stablehlo.select_and_scatter"(%x, %0, %s) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %4 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>
  // CHECK: "stablehlo.map"(%arg0) <{dimensions = array<i64: 0, 1>}>
  %5 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>):
    %6 = stablehlo.negate %a : tensor<f32>
    stablehlo.return %6 : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: "stablehlo.sort"(%arg0, %arg0) <{dimension = 1 : i64, is_stable = true}>
  %7:2 = "stablehlo.sort"(%x, %x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %8 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %8 : tensor<i1>
  }) : (tensor<4x6xf32>, tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  // CHECK: "stablehlo.if"(%arg2)
  %9 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4x6xf32>
  }, {
    stablehlo.return %5 : tensor<4x6xf32>
  }) : (tensor<i1>) -> tensor<4x6xf32>
  // CHECK: "stablehlo.case"(%arg3)
  %10 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4x6xf32>
  }, {
    stablehlo.return %5 : tensor<4x6xf32>
  }, {
    stablehlo.return %2 : tensor<4x6xf32>
  }) : (tensor<i32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @algebra
func.func @algebra(%m: tensor<4x4xf32>, %v: tensor<4xf32>, %w: tensor<3x3x1x1xf32>, %x: tensor<1x8x8x1xf32>, %p: tensor<2x2xi64>) {
  // CHECK: "stablehlo.triangular_solve"
  // CHECK-SAME: transpose_a = #stablehlo<transpose NO_TRANSPOSE>
  %0 = "stablehlo.triangular_solve"(%m, %m) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: "stablehlo.batch_norm_inference"
  %1 = "stablehlo.batch_norm_inference"(%m, %v, %v, %v, %v) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  // CHECK: "stablehlo.batch_norm_training"
  %2:3 = "stablehlo.batch_norm_training"(%m, %v, %v) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: "stablehlo.batch_norm_grad"
  %3:3 = "stablehlo.batch_norm_grad"(%m, %v, %v, %v, %m) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: "stablehlo.dynamic_conv"
  %4 = "stablehlo.dynamic_conv"(%x, %w, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<1x8x8x1xf32>, tensor<3x3x1x1xf32>, tensor<2x2xi64>) -> tensor<1x?x?x1xf32>
  return
}

// CHECK-LABEL: func @devices
func.func @devices(%t: !stablehlo.token, %x: tensor<4x4xf32>) {
  // CHECK: "stablehlo.infeed"(%arg0) <{infeed_config = "c", layout = {{\[\[}}0, 1]]}>
  %0:2 = "stablehlo.infeed"(%t) {infeed_config = "c", layout = [[0, 1]]} : (!stablehlo.token) -> (tensor<4x4xf32>, !stablehlo.token)
  // CHECK: "stablehlo.outfeed"
  %1 = "stablehlo.outfeed"(%x, %t) {outfeed_config = ""} : (tensor<4x4xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK: "stablehlo.send"
  // CHECK-SAME: #stablehlo.channel_handle<handle = 5, type = 2>
  %2 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true} : (tensor<4x4xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK: "stablehlo.recv"
  %3:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<type = 3, handle = 5>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<4x4xf32>, !stablehlo.token)
  // CHECK: "stablehlo.all_gather"
  %4 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4x4xf32>) -> tensor<4x8xf32>
  // CHECK: "stablehlo.all_gather"
  // CHECK-SAME: #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<[1, 0]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = #stablehlo<sub_axis_info(1)2>>]>
  %5 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>], device_ids = dense<[1, 0]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>} : (tensor<4x4xf32>) -> tensor<4x8xf32>
  // CHECK: "stablehlo.all_reduce"
  %6 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %7 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %7 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: "stablehlo.all_to_all"
  %8 = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<8x2xf32>
  // CHECK: "stablehlo.reduce_scatter"
  %9 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %10 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %10 : tensor<f32>
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<4x2xf32>
  // CHECK: "stablehlo.collective_broadcast"
  %11 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: "stablehlo.collective_reduce"
  %12 = "stablehlo.collective_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %13 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %13 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: "stablehlo.collective_permute"
  %14 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: "stablehlo.cross-replica-sum"
  %15 = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: "stablehlo.async_start"
  // CHECK: -> !stablehlo.future<tensor<4x4xf32>>
  %16 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4x4xf32>):
    %17 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    stablehlo.return %17 : tensor<4x4xf32>
  }) : (tensor<4x4xf32>) -> !stablehlo.future<tensor<4x4xf32>>
  // CHECK: "stablehlo.async_done"
  %18 = "stablehlo.async_done"(%16) : (!stablehlo.future<tensor<4x4xf32>>) -> tensor<4x4xf32>
  return
}
