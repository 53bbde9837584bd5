// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-form-kernels))' | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// An operation that computes is wrapped; the constant and the empty tensor that
// it uses come along.
// CHECK-LABEL: func.func @wraps_what_computes
// CHECK-SAME:  (%[[X:.*]]: tensor<8xf32>)
// CHECK-NEXT:  %[[F:.*]] = mlopt.fusion (%[[A:.*]] = %[[X]] : tensor<8xf32>)
// CHECK-DAG:     arith.constant
// CHECK-DAG:     tensor.empty
// CHECK:         %[[G:.*]] = linalg.generic {{.*}} ins(%[[A]]
// CHECK:         mlopt.yield %[[G]]
// CHECK:       return %[[F]]
func.func @wraps_what_computes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.mulf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A reshape is no kernel.
// CHECK-LABEL: func.func @leaves_views
// CHECK-NOT:   mlopt.fusion
// CHECK:       tensor.collapse_shape
func.func @leaves_views(%x: tensor<2x4xf32>) -> tensor<8xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The scalar that a slice starts at is read where the slice is taken, not by
// the host.
// CHECK-LABEL: func.func @pulls_scalars_in
// CHECK-NEXT:  mlopt.fusion
// CHECK:         tensor.extract
// CHECK:         tensor.extract_slice
// CHECK:         mlopt.yield
// CHECK:       return
func.func @pulls_scalars_in(%x: tensor<8xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %0 = tensor.extract %i[] : tensor<i32>
  %1 = arith.index_cast %0 : i32 to index
  %2 = tensor.extract_slice %x[%1] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// What decides a branch is computed by a kernel; the host reads one element.
// CHECK-LABEL: func.func @conditions_are_read
// CHECK:       %[[T:.*]] = mlopt.fusion
// CHECK:         tensor.extract
// CHECK:         arith.cmpi
// CHECK:         tensor.from_elements
// CHECK:       %[[C:.*]] = tensor.extract %[[T]][] : tensor<i1>
// CHECK-NEXT:  scf.if %[[C]]
func.func @conditions_are_read(%i: tensor<i32>, %x: tensor<4xf32>, %y: tensor<4xf32>)
    -> tensor<4xf32> {
  %0 = tensor.extract %i[] : tensor<i32>
  %c = arith.constant 3 : i32
  %1 = arith.cmpi slt, %0, %c : i32
  %2 = scf.if %1 -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}

// A scalar constant goes into the fusion that takes it.
// CHECK-LABEL: func.func @scalar
// CHECK-NOT:     arith.constant
// CHECK:         mlopt.fusion (%[[A:.*]] = %{{.*}} : tensor<8xf32>)
// CHECK:           arith.constant 2.0
func.func @scalar(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 2.0 : f32
  %0 = mlopt.fusion (%s = %c : f32, %a = %x : tensor<8xf32>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.mulf %in, %s : f32
      linalg.yield %2 : f32
    } -> tensor<8xf32>
    mlopt.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
