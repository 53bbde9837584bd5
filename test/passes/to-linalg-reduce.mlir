// RUN: mlopt-opt %s -convert-mlopt-to-linalg -split-input-file | FileCheck %s

// Without an init, the neutral element starts.
// CHECK-DAG:   #[[KEPT:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func @reduce(
// CHECK:         arith.constant 0xFF800000 : f32
// CHECK:         linalg.fill
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[KEPT]]]
// CHECK-SAME:      iterator_types = ["reduction", "parallel", "reduction"]
// CHECK:           arith.maximumf %{{.*}} : f32
func.func @reduce(%a: tensor<2x3x4xf32>) -> tensor<3xf32> {
  %0 = mlopt.reduce max %a dims [0, 2] : (tensor<2x3x4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// With one, it does.
// CHECK-LABEL: func @reduce_init(
// CHECK-SAME:    %[[INIT:[^ ]*]]: tensor<i32>
// CHECK:         %[[I:.*]] = tensor.extract %[[INIT]][]
// CHECK:         linalg.fill ins(%[[I]] : i32)
func.func @reduce_init(%a: tensor<4xi32>, %i: tensor<i32>) -> tensor<i32> {
  %0 = mlopt.reduce add %a, %i dims [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// A region has accumulators first; linalg has them last.
// CHECK-LABEL: func @reduce_region(
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: i32, %[[A:.*]]: f32, %[[B:.*]]: i32):
// CHECK:           arith.subf %[[A]], %[[X]]
// CHECK:           arith.muli %[[B]], %[[Y]]
// CHECK:           linalg.yield
// CHECK-NOT:     mlopt
func.func @reduce_region(%x: tensor<4xf32>, %y: tensor<4xi32>, %i: tensor<f32>,
                         %j: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %0:2 = mlopt.reduce %x, %y, %i, %j dims [0]
      : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>)
        -> (tensor<f32>, tensor<i32>) {
  ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
    %1 = mlopt.sub %a, %c : f32
    %2 = mlopt.mul %b, %d : i32
    mlopt.yield %1, %2 : f32, i32
  }
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}

// -----

// A region may yield its arguments.
// CHECK-LABEL: func @last(
// CHECK:         ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      linalg.yield %[[X]]
func.func @last(%x: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32> {
  %0 = mlopt.reduce %x, %i dims [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    mlopt.yield %b : f32
  }
  return %0 : tensor<f32>
}

// -----

// The first NaN wins; ties go to the lower index.
// CHECK-LABEL: func @argmax(
// CHECK:         linalg.index 1
// CHECK:         arith.cmpf ogt
// CHECK:         arith.cmpf uno
// CHECK:         arith.cmpf ord
// CHECK:         linalg.yield %{{.*}}, %{{.*}} : f32, i32
func.func @argmax(%x: tensor<2x4xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %0, %1 = mlopt.arg_reduce max %x dim 1
      : tensor<2x4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return %0, %1 : tensor<2xf32>, tensor<2xi32>
}

// -----

// Window loops come after the result's; a tensor of the window's shape gives
// their bounds. What a sum skips is -0.0, which changes nothing.
// CHECK-DAG:   #[[IN:.*]] = affine_map<(d0, d1) -> (d0 * 2 + d1 * 3)>
// CHECK-DAG:   #[[WINDOW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @window(
// CHECK:         %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
// CHECK:         linalg.fill ins(%[[ZERO]] : f32) {{.*}} tensor<10xf32>
// CHECK:         tensor.insert_slice %{{.*}}[1] [4] [2]
// CHECK:         linalg.generic {indexing_maps = [#[[IN]], #[[WINDOW]], #{{.*}}], iterator_types = ["parallel", "reduction"]}
func.func @window(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = mlopt.reduce_window add %x window [2] strides [2] base_dilations [2]
      window_dilations [3] low [1] high [2]
      : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A scan stays, over the accumulation type, with a region.
// CHECK-LABEL: func @scan(
// CHECK:         arith.extf %{{.*}} : bf16 to f32
// CHECK:         mlopt.scan {{.*}} dim 1
// CHECK-SAME:      (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32> {
// CHECK:         ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT:      mlopt.yield %[[S]] : f32
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func @scan(%x: tensor<2x4xbf16>) -> tensor<2x4xbf16> {
  %0 = mlopt.scan add %x dim 1 : (tensor<2x4xbf16>) -> tensor<2x4xbf16>
  return %0 : tensor<2x4xbf16>
}

// -----

// So does a sort, with a comparator; NaN goes last.
// CHECK-LABEL: func @sort(
// CHECK:         mlopt.sort %{{.*}}, %{{.*}} dim 0
// CHECK-NOT:     descending
// CHECK:         ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: i32, %{{.*}}: i32):
// CHECK-DAG:       %[[N:.*]] = arith.cmpf ord, %[[B]], %[[B]]
// CHECK-DAG:       %[[L:.*]] = arith.cmpf ult, %[[B]], %[[A]]
// CHECK:           %[[R:.*]] = arith.andi %[[N]], %[[L]]
// CHECK:           mlopt.yield %[[R]] : i1
func.func @sort(%k: tensor<4xf32>, %v: tensor<4xi32>)
    -> (tensor<4xf32>, tensor<4xi32>) {
  %0:2 = mlopt.sort %k, %v dim 0 keys 1 descending
      : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}
