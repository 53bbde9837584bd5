// Reductions fold where no order and no accumulation type could show.
// RUN: mlopt-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @integers(
func.func @integers() -> (tensor<2xi8>, tensor<3xi8>, tensor<i8>, tensor<2xi8>, tensor<2xi1>) {
  %c = mlopt.constant dense<[[100, 27, 2], [-128, -1, 3]]> : tensor<2x3xi8>
  %b = mlopt.constant dense<[[true, false], [false, false]]> : tensor<2x2xi1>
  %v = mlopt.constant dense<5> : tensor<i8>
  // CHECK-DAG: %[[A:.*]] = mlopt.constant dense<[-127, -126]>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<[100, 27, 3]>
  // CHECK-DAG: %[[C:.*]] = mlopt.constant dense<2> : tensor<i8>
  // CHECK-DAG: %[[D:.*]] = mlopt.constant dense<[120, 121]>
  // CHECK-DAG: %[[E:.*]] = mlopt.constant dense<[true, false]>
  %0 = mlopt.reduce add %c dims [1] : (tensor<2x3xi8>) -> tensor<2xi8>
  %1 = mlopt.reduce max %c dims [0] : (tensor<2x3xi8>) -> tensor<3xi8>
  %2 = mlopt.reduce minu %c dims [1, 0] : (tensor<2x3xi8>) -> tensor<i8>
  %3 = mlopt.reduce xor %c, %v dims [1] : (tensor<2x3xi8>, tensor<i8>) -> tensor<2xi8>
  %4 = mlopt.reduce or %b dims [0] : (tensor<2x2xi1>) -> tensor<2xi1>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  return %0, %1, %2, %3, %4 : tensor<2xi8>, tensor<3xi8>, tensor<i8>, tensor<2xi8>, tensor<2xi1>
}

// -----

// CHECK-LABEL: @splats(
func.func @splats() -> (tensor<2xi32>, tensor<i32>, tensor<i8>, tensor<f32>) {
  %c = mlopt.constant dense<3> : tensor<2x1000000xi32>
  %b = mlopt.constant dense<3> : tensor<5xi8>
  %f = mlopt.constant dense<-0.0> : tensor<4096x4096xf32>
  // CHECK-DAG: %[[A:.*]] = mlopt.constant dense<3000000> : tensor<2xi32>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<0> : tensor<i32>
  // CHECK-DAG: %[[C:.*]] = mlopt.constant dense<-13> : tensor<i8>
  // CHECK-DAG: %[[D:.*]] = mlopt.constant dense<-0.000000e+00> : tensor<f32>
  %0 = mlopt.reduce add %c dims [1] : (tensor<2x1000000xi32>) -> tensor<2xi32>
  %1 = mlopt.reduce xor %c dims [1, 0] : (tensor<2x1000000xi32>) -> tensor<i32>
  %2 = mlopt.reduce mul %b dims [0] : (tensor<5xi8>) -> tensor<i8>
  %3 = mlopt.reduce max %f dims [0, 1] : (tensor<4096x4096xf32>) -> tensor<f32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %0, %1, %2, %3 : tensor<2xi32>, tensor<i32>, tensor<i8>, tensor<f32>
}

// -----

// A maximum propagates NaN and tells the zeros apart.
// CHECK-LABEL: @extrema(
func.func @extrema() -> (tensor<3xf32>, tensor<3xf32>) {
  %c = mlopt.constant dense<[[1.0, -0.0, -2.0], [0x7FC00000, 0.0, -3.0]]> : tensor<2x3xf32>
  // CHECK-DAG: %[[A:.*]] = mlopt.constant dense<[0x7FC00000, 0.000000e+00, -2.000000e+00]>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<[0x7FC00000, -0.000000e+00, -3.000000e+00]>
  %0 = mlopt.reduce max %c dims [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  %1 = mlopt.reduce min %c dims [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  // CHECK: return %[[A]], %[[B]]
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: @no_elements(
func.func @no_elements(%x: tensor<0x2xf32>, %i: tensor<0xi16>, %e: tensor<0xf8E4M3FN>) -> (tensor<2xf32>, tensor<2xf32>, tensor<i16>, tensor<f8E4M3FN>, tensor<i16>) {
  %v = mlopt.constant dense<7> : tensor<i16>
  // CHECK-DAG: %[[A:.*]] = mlopt.constant dense<0.000000e+00> : tensor<2xf32>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<0x7F800000> : tensor<2xf32>
  // CHECK-DAG: %[[C:.*]] = mlopt.constant dense<-32768> : tensor<i16>
  // CHECK-DAG: %[[D:.*]] = mlopt.constant dense<-4.480000e+02> : tensor<f8E4M3FN>
  // CHECK-DAG: %[[E:.*]] = mlopt.constant dense<7> : tensor<i16>
  %0 = mlopt.reduce add %x dims [0] : (tensor<0x2xf32>) -> tensor<2xf32>
  %1 = mlopt.reduce min %x dims [0] : (tensor<0x2xf32>) -> tensor<2xf32>
  %2 = mlopt.reduce max %i dims [0] : (tensor<0xi16>) -> tensor<i16>
  %3 = mlopt.reduce max %e dims [0] : (tensor<0xf8E4M3FN>) -> tensor<f8E4M3FN>
  %4 = mlopt.reduce add %i, %v dims [0] : (tensor<0xi16>, tensor<i16>) -> tensor<i16>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<i16>, tensor<f8E4M3FN>, tensor<i16>
}

// -----

// A sum starts from +0.0, also a sum of one.
// CHECK-LABEL: @one_element(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>
func.func @one_element(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %c = mlopt.constant dense<[[-0.0], [1.5]]> : tensor<2x1xf32>
  // CHECK-DAG: %[[A:.*]] = mlopt.constant dense<[0.000000e+00, 1.500000e+00]>
  // CHECK-DAG: %[[B:.*]] = mlopt.reduce add %[[X]] dims []
  %0 = mlopt.reduce add %c dims [1] : (tensor<2x1xf32>) -> tensor<2xf32>
  %1 = mlopt.reduce add %x dims [] : (tensor<2xf32>) -> tensor<2xf32>
  %2 = mlopt.reduce mul %x dims [] : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: return %[[A]], %[[B]], %[[X]]
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Rounding depends on the order.
// CHECK-LABEL: @sums_of_floats(
func.func @sums_of_floats() -> (tensor<f32>, tensor<f32>) {
  %c = mlopt.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = mlopt.constant dense<1.0> : tensor<2xf32>
  // CHECK: mlopt.reduce add
  // CHECK: mlopt.reduce mul
  %0 = mlopt.reduce add %c dims [0] : (tensor<2xf32>) -> tensor<f32>
  %1 = mlopt.reduce mul %s dims [0] : (tensor<2xf32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// CHECK-LABEL: @neutral_inits(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xi8>
func.func @neutral_inits(%x: tensor<4xf32>, %y: tensor<4xi8>) -> (tensor<f32>, tensor<f32>, tensor<i8>, tensor<3xf32>, tensor<4xf32>) {
  %zero = mlopt.constant dense<0.0> : tensor<f32>
  %minus = mlopt.constant dense<-0.0> : tensor<f32>
  %least = mlopt.constant dense<-128> : tensor<i8>
  %inf = mlopt.constant dense<0xFF800000> : tensor<f32>
  // CHECK-DAG: %[[A:.*]] = mlopt.reduce add %[[X]] dims [0] : (tensor<4xf32>) -> tensor<f32>
  // CHECK-DAG: %[[B:.*]] = mlopt.reduce add %[[X]], %{{.*}} dims [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  // CHECK-DAG: %[[C:.*]] = mlopt.reduce max %[[Y]] dims [0] : (tensor<4xi8>) -> tensor<i8>
  // CHECK-DAG: %[[D:.*]] = mlopt.reduce_window max %[[X]] window [2] {{.*}} : (tensor<4xf32>) -> tensor<3xf32>
  // CHECK-DAG: %[[E:.*]] = mlopt.scan max %[[X]] dim 0 : (tensor<4xf32>) -> tensor<4xf32>
  %0 = mlopt.reduce add %x, %zero dims [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %1 = mlopt.reduce add %x, %minus dims [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %2 = mlopt.reduce max %y, %least dims [0] : (tensor<4xi8>, tensor<i8>) -> tensor<i8>
  %3 = mlopt.reduce_window max %x, %inf window [2] strides [1] base_dilations [1] window_dilations [1] low [0] high [0] : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  %4 = mlopt.scan max %x, %inf dim 0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<f32>, tensor<i8>, tensor<3xf32>, tensor<4xf32>
}

// -----

// The first NaN, else the first of equals; the value keeps its bits.
// CHECK-LABEL: @arg_reduce(
func.func @arg_reduce() -> (tensor<3xf32>, tensor<3xi32>, tensor<2xi64>, tensor<2xi8>) {
  %c = mlopt.constant dense<[[1.0, 0x7FC00001, 3.0, 0xFFC00000], [-0.0, 0.0, -1.0, -0.0], [-2.0, -1.0, -1.0, -3.0]]> : tensor<3x4xf32>
  %i = mlopt.constant dense<[[1, -1], [1, 2]]> : tensor<2x2xi8>
  // CHECK-DAG: %[[V:.*]] = mlopt.constant dense<[0x7FC00001, -0.000000e+00, -1.000000e+00]>
  // CHECK-DAG: %[[I:.*]] = mlopt.constant dense<[1, 0, 1]> : tensor<3xi32>
  // CHECK-DAG: %[[J:.*]] = mlopt.constant dense<[0, 1]> : tensor<2xi64>
  // CHECK-DAG: %[[U:.*]] = mlopt.constant dense<[1, 2]> : tensor<2xi8>
  %v, %j = mlopt.arg_reduce max %c dim 1 : tensor<3x4xf32> -> (tensor<3xf32>, tensor<3xi32>)
  %w, %k = mlopt.arg_reduce minu %i dim 0 : tensor<2x2xi8> -> (tensor<2xi8>, tensor<2xi64>)
  // CHECK: return %[[V]], %[[I]], %[[J]], %[[U]]
  return %v, %j, %k, %w : tensor<3xf32>, tensor<3xi32>, tensor<2xi64>, tensor<2xi8>
}

// -----

// CHECK-LABEL: @windows_of_one(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @windows_of_one(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = mlopt.reduce_window add
  %0 = mlopt.reduce_window max %x window [1] strides [1] base_dilations [1] window_dilations [7] low [0] high [0] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = mlopt.reduce_window add %x window [1] strides [1] base_dilations [1] window_dilations [1] low [0] high [0] : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[X]], %[[A]]
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
