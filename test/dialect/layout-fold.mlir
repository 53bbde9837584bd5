// Layout operations fold on constants, keeping bits as they are, and with
// themselves.
// RUN: mlopt-opt %s -canonicalize -split-input-file | FileCheck %s

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

// A NaN's payload and a negative zero survive.
// CHECK-LABEL: @bits(
func.func @bits() -> (tensor<3xf32>, tensor<3x1xf32>, tensor<2xf32>, tensor<4xf32>) {
  %c = mlopt.constant dense<[0x7F800001, -0.0, 1.0]> : tensor<3xf32>
  %n = mlopt.constant dense<0xFFFFFFFF> : tensor<f32>
  // CHECK-DAG: %[[R:.*]] = mlopt.constant dense<[1.000000e+00, -0.000000e+00, 0x7F800001]>
  // CHECK-DAG: %[[S:.*]] = mlopt.constant dense<{{\[\[}}0x7F800001], [-0.000000e+00], [1.000000e+00]]>
  // CHECK-DAG: %[[L:.*]] = mlopt.constant dense<[0x7F800001, 1.000000e+00]>
  // CHECK-DAG: %[[P:.*]] = mlopt.constant dense<[0x7F800001, -0.000000e+00, 1.000000e+00, 0xFFFFFFFF]>
  %r = mlopt.reverse %c dims [0] : tensor<3xf32>
  %s = mlopt.reshape %c : tensor<3xf32> -> tensor<3x1xf32>
  %l = mlopt.slice %c starts [0] limits [3] strides [2] : tensor<3xf32> -> tensor<2xf32>
  %p = mlopt.pad %c, %n low [0] high [1] interior [0] : tensor<3xf32>, tensor<f32> -> tensor<4xf32>
  // CHECK: return %[[R]], %[[S]], %[[L]], %[[P]]
  return %r, %s, %l, %p : tensor<3xf32>, tensor<3x1xf32>, tensor<2xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @widths(
func.func @widths() -> (tensor<2x2xi1>, tensor<3xi4>, tensor<2x2xi64>, tensor<2xbf16>) {
  %b = mlopt.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  %n = mlopt.constant dense<[-8, 7, 1]> : tensor<3xi4>
  %l = mlopt.constant dense<[[-1, 2], [9223372036854775807, 4]]> : tensor<2x2xi64>
  %h = mlopt.constant dense<[1.0, 2.0]> : tensor<2xbf16>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<{{\[\[}}true, true], [false, true]]>
  // CHECK-DAG: %[[N:.*]] = mlopt.constant dense<[1, 7, -8]>
  // CHECK-DAG: %[[L:.*]] = mlopt.constant dense<{{\[\[}}-1, 9223372036854775807], [2, 4]]>
  // CHECK-DAG: %[[H:.*]] = mlopt.constant dense<[2.000000e+00, 1.000000e+00]>
  %0 = mlopt.transpose %b perm [1, 0] : tensor<2x2xi1> -> tensor<2x2xi1>
  %1 = mlopt.reverse %n dims [0] : tensor<3xi4>
  %2 = mlopt.transpose %l perm [1, 0] : tensor<2x2xi64> -> tensor<2x2xi64>
  %3 = mlopt.reverse %h dims [0] : tensor<2xbf16>
  // CHECK: return %[[B]], %[[N]], %[[L]], %[[H]]
  return %0, %1, %2, %3 : tensor<2x2xi1>, tensor<3xi4>, tensor<2x2xi64>, tensor<2xbf16>
}

// -----

// CHECK-LABEL: @shapes(
func.func @shapes() -> (tensor<2x3x2xi32>, tensor<3x2x1xi32>, tensor<2x1xi32>, tensor<2x3xi32>) {
  %c = mlopt.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = mlopt.constant dense<[[1], [2]]> : tensor<2x1xi32>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<{{\[\[\[}}1, 2], [1, 2], [1, 2]], {{\[\[}}1, 2], [1, 2], [1, 2]]]>
  // CHECK-DAG: %[[T:.*]] = mlopt.constant dense<{{\[\[\[}}1], [4]], {{\[\[}}2], [5]], {{\[\[}}3], [6]]]>
  // CHECK-DAG: %[[S:.*]] = mlopt.constant dense<{{\[\[}}2], [5]]>
  // CHECK-DAG: %[[V:.*]] = mlopt.constant dense<{{\[\[}}6, 5, 4], [3, 2, 1]]>
  %0 = mlopt.broadcast %r dims [2, 0] : tensor<2x1xi32> -> tensor<2x3x2xi32>
  %1 = mlopt.reshape %c : tensor<2x3xi32> -> tensor<2x3x1xi32>
  %2 = mlopt.transpose %1 perm [1, 0, 2] : tensor<2x3x1xi32> -> tensor<3x2x1xi32>
  %3 = mlopt.slice %c starts [0, 1] limits [2, 3] strides [1, 2] : tensor<2x3xi32> -> tensor<2x1xi32>
  %4 = mlopt.reverse %c dims [1, 0] : tensor<2x3xi32>
  // CHECK: return %[[B]], %[[T]], %[[S]], %[[V]]
  return %0, %2, %3, %4 : tensor<2x3x2xi32>, tensor<3x2x1xi32>, tensor<2x1xi32>, tensor<2x3xi32>
}

// -----

// Splats fold at any size.
// CHECK-LABEL: @splats(
func.func @splats() -> (tensor<2147483648x2147483648xi8>, tensor<1000x4xf32>, tensor<9999x2xf32>) {
  %b = mlopt.constant dense<-1> : tensor<i8>
  %c = mlopt.constant dense<2.0> : tensor<2x1000xf32>
  %v = mlopt.constant dense<2.0> : tensor<f32>
  %big = mlopt.constant dense<2.0> : tensor<9000x2xf32>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<-1> : tensor<2147483648x2147483648xi8>
  // CHECK-DAG: %[[C:.*]] = mlopt.constant dense<2.000000e+00> : tensor<1000x4xf32>
  // CHECK-DAG: %[[P:.*]] = mlopt.constant dense<2.000000e+00> : tensor<9999x2xf32>
  %0 = mlopt.broadcast %b dims [] : tensor<i8> -> tensor<2147483648x2147483648xi8>
  %1 = mlopt.transpose %c perm [1, 0] : tensor<2x1000xf32> -> tensor<1000x2xf32>
  %2 = mlopt.reverse %1 dims [0] : tensor<1000x2xf32>
  %3 = mlopt.concat %2, %1 dim 1 : (tensor<1000x2xf32>, tensor<1000x2xf32>) -> tensor<1000x4xf32>
  %4 = mlopt.pad %big, %v low [999, 0] high [0, 0] interior [0, 0] : tensor<9000x2xf32>, tensor<f32> -> tensor<9999x2xf32>
  // CHECK: return %[[B]], %[[C]], %[[P]]
  return %0, %3, %4 : tensor<2147483648x2147483648xi8>, tensor<1000x4xf32>, tensor<9999x2xf32>
}

// -----

// More than 1,024 distinct elements are not computed.
// CHECK-LABEL: @large(
func.func @large() -> tensor<2x1024xi32> {
  %c = mlopt.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: mlopt.broadcast
  %0 = mlopt.broadcast %c dims [0] : tensor<2xi32> -> tensor<2x1024xi32>
  return %0 : tensor<2x1024xi32>
}

// -----

// CHECK-LABEL: @pads(
func.func @pads() -> (tensor<7xi32>, tensor<2xi32>, tensor<2x2xi32>, tensor<3xi32>) {
  %c = mlopt.constant dense<[1, 2, 3]> : tensor<3xi32>
  %m = mlopt.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %e = mlopt.constant dense<> : tensor<0xi32>
  %v = mlopt.constant dense<9> : tensor<i32>
  // CHECK-DAG: %[[A:.*]] = mlopt.constant dense<[9, 1, 9, 2, 9, 3, 9]>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<[9, 2]>
  // CHECK-DAG: %[[C:.*]] = mlopt.constant dense<{{\[\[}}3, 4], [9, 9]]>
  // CHECK-DAG: %[[D:.*]] = mlopt.constant dense<9> : tensor<3xi32>
  %0 = mlopt.pad %c, %v low [1] high [1] interior [1] : tensor<3xi32>, tensor<i32> -> tensor<7xi32>
  // 1 9 2 9 3 loses one before and two after.
  %1 = mlopt.pad %c, %v low [-1] high [-2] interior [1] : tensor<3xi32>, tensor<i32> -> tensor<2xi32>
  %2 = mlopt.pad %m, %v low [-1, 0] high [1, 0] interior [0, 0] : tensor<2x2xi32>, tensor<i32> -> tensor<2x2xi32>
  %3 = mlopt.pad %e, %v low [1] high [2] interior [5] : tensor<0xi32>, tensor<i32> -> tensor<3xi32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %0, %1, %2, %3 : tensor<7xi32>, tensor<2xi32>, tensor<2x2xi32>, tensor<3xi32>
}

// -----

// CHECK-LABEL: @concats(
func.func @concats() -> tensor<2x4xi32> {
  %a = mlopt.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %b = mlopt.constant dense<[[5], [6]]> : tensor<2x1xi32>
  %c = mlopt.constant dense<7> : tensor<2x1xi32>
  // CHECK: mlopt.constant dense<{{\[\[}}1, 2, 5, 7], [3, 4, 6, 7]]>
  %0 = mlopt.concat %a, %b, %c dim 1 : (tensor<2x2xi32>, tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// -----

// CHECK-LABEL: @iota_of_one(
func.func @iota_of_one() -> (tensor<4x1xf32>, tensor<2xi32>) {
  // CHECK-DAG: mlopt.constant dense<0.000000e+00> : tensor<4x1xf32>
  // CHECK-DAG: mlopt.iota dim 0 : tensor<2xi32>
  %0 = mlopt.iota dim 1 : tensor<4x1xf32>
  %1 = mlopt.iota dim 0 : tensor<2xi32>
  return %0, %1 : tensor<4x1xf32>, tensor<2xi32>
}

// -----

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @identities(
// CHECK-SAME: %[[X:.*]]: tensor<1x4xf32>
func.func @identities(%x: tensor<1x4xf32>, %v: tensor<f32>) -> tensor<1x4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = mlopt.broadcast %x dims [0, 1] : tensor<1x4xf32> -> tensor<1x4xf32>
  %1 = mlopt.reshape %0 : tensor<1x4xf32> -> tensor<1x4xf32>
  %2 = mlopt.transpose %1 perm [0, 1] : tensor<1x4xf32> -> tensor<1x4xf32>
  %3 = mlopt.slice %2 starts [0, 0] limits [1, 4] strides [3, 1] : tensor<1x4xf32> -> tensor<1x4xf32>
  %4 = mlopt.reverse %3 dims [0] : tensor<1x4xf32>
  %5 = mlopt.pad %4, %v low [0, 0] high [0, 0] interior [0, 0] : tensor<1x4xf32>, tensor<f32> -> tensor<1x4xf32>
  %6 = mlopt.concat %5 dim 1 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %6 : tensor<1x4xf32>
}

// -----

// The same type does not make these identities.
// CHECK-LABEL: @no_identities(
func.func @no_identities(%x: tensor<4x4xf32>, %v: tensor<f32>, %d: tensor<?x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<?x4xf32>) {
  // CHECK: mlopt.transpose
  %0 = mlopt.transpose %x perm [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  // CHECK: mlopt.pad
  %1 = mlopt.pad %x, %v low [1, 0] high [-1, 0] interior [0, 0] : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
  // One `?` may be 1 and the other 7.
  // CHECK: mlopt.broadcast
  %2 = mlopt.broadcast %d dims [0, 1] : tensor<?x4xf32> -> tensor<?x4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<?x4xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Compositions
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @broadcasts(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @broadcasts(%x: tensor<4xf32>) -> tensor<5x4x3xf32> {
  // CHECK-NEXT: %[[R:.*]] = mlopt.broadcast %[[X]] dims [1] : tensor<4xf32> -> tensor<5x4x3xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = mlopt.broadcast %x dims [1] : tensor<4xf32> -> tensor<3x4xf32>
  %1 = mlopt.broadcast %0 dims [2, 1] : tensor<3x4xf32> -> tensor<5x4x3xf32>
  return %1 : tensor<5x4x3xf32>
}

// -----

// CHECK-LABEL: @reshapes(
// CHECK-SAME: %[[X:.*]]: tensor<2x6xf32>
func.func @reshapes(%x: tensor<2x6xf32>) -> (tensor<3x4xf32>, tensor<2x6xf32>) {
  // CHECK-NEXT: %[[R:.*]] = mlopt.reshape %[[X]] : tensor<2x6xf32> -> tensor<3x4xf32>
  // CHECK-NEXT: return %[[R]], %[[X]]
  %0 = mlopt.reshape %x : tensor<2x6xf32> -> tensor<12xf32>
  %1 = mlopt.reshape %0 : tensor<12xf32> -> tensor<3x4xf32>
  %2 = mlopt.reshape %1 : tensor<3x4xf32> -> tensor<2x6xf32>
  return %1, %2 : tensor<3x4xf32>, tensor<2x6xf32>
}

// -----

// CHECK-LABEL: @transposes(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
func.func @transposes(%x: tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>, tensor<2x3x4xf32>) {
  // CHECK-NEXT: %[[R:.*]] = mlopt.transpose %[[X]] perm [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  // CHECK-NEXT: return %[[R]], %[[X]]
  %0 = mlopt.transpose %x perm [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %1 = mlopt.transpose %0 perm [1, 2, 0] : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  %2 = mlopt.transpose %1 perm [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  return %1, %2 : tensor<4x2x3xf32>, tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: @slices(
// CHECK-SAME: %[[X:.*]]: tensor<20x?xf32>
func.func @slices(%x: tensor<20x?xf32>) -> tensor<2x0xf32> {
  // 3, 5, ..., 17, and of these the second and the fifth: 5 and 11.
  // CHECK-NEXT: %[[R:.*]] = mlopt.slice %[[X]] starts [5, 1] limits [12, 1] strides [6, 1] : tensor<20x?xf32> -> tensor<2x0xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = mlopt.slice %x starts [3, 1] limits [18, 8] strides [2, 7] : tensor<20x?xf32> -> tensor<8x1xf32>
  %1 = mlopt.slice %0 starts [1, 1] limits [7, 1] strides [3, 9223372036854775807] : tensor<8x1xf32> -> tensor<2x0xf32>
  return %1 : tensor<2x0xf32>
}

// -----

// CHECK-LABEL: @reverses(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x?xf32>
func.func @reverses(%x: tensor<2x3x?xf32>) -> (tensor<2x3x?xf32>, tensor<2x3x?xf32>) {
  // CHECK-NEXT: %[[R:.*]] = mlopt.reverse %[[X]] dims [0, 2] : tensor<2x3x?xf32>
  // CHECK-NEXT: return %[[R]], %[[X]]
  %0 = mlopt.reverse %x dims [1, 0] : tensor<2x3x?xf32>
  %1 = mlopt.reverse %0 dims [1, 2] : tensor<2x3x?xf32>
  %2 = mlopt.reverse %1 dims [2, 0] : tensor<2x3x?xf32>
  return %1, %2 : tensor<2x3x?xf32>, tensor<2x3x?xf32>
}

// -----

// CHECK-LABEL: @nested_concats(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<1x3xf32>, %{{.*}}: tensor<0x3xf32>
func.func @nested_concats(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>, %e: tensor<0x3xf32>) -> (tensor<4x3xf32>, tensor<2x3xf32>) {
  // CHECK-NEXT: %[[R:.*]] = mlopt.concat %[[X]], %[[Y]], %[[Y]] dim 0 : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<4x3xf32>
  // CHECK-NEXT: return %[[R]], %[[X]]
  %0 = mlopt.concat %x, %e, %y dim 0 : (tensor<2x3xf32>, tensor<0x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  %1 = mlopt.concat %0, %y dim 0 : (tensor<3x3xf32>, tensor<1x3xf32>) -> tensor<4x3xf32>
  %2 = mlopt.concat %e, %x dim 0 : (tensor<0x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1, %2 : tensor<4x3xf32>, tensor<2x3xf32>
}
