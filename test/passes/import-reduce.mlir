// RUN: mlopt-opt %s -convert-stablehlo-to-mlopt -o %t.mlir
// RUN: FileCheck %s --implicit-check-not=stablehlo < %t.mlir
// RUN: mlopt-opt %t.mlir | diff %t.mlir -

// An initial value that changes nothing goes; -0.0 changes a sum of nothing.
// CHECK-LABEL: @sums
func.func @sums(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: mlopt.reduce add %arg0 dims [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add
      across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK: mlopt.reduce add %arg0, %{{.*}} dims [1]
  %minus = stablehlo.constant dense<-0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %minus) applies stablehlo.add
      across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// Kinds follow the sign, and booleans are logic.
// CHECK-LABEL: @kinds
func.func @kinds(%x: tensor<4xui8>, %b: tensor<4xi1>)
    -> (tensor<ui8>, tensor<i1>) {
  // CHECK: mlopt.reduce minu %arg0 dims [0] : (tensor<4xi8>) -> tensor<i8>
  %most = stablehlo.constant dense<255> : tensor<ui8>
  %0 = stablehlo.reduce(%x init: %most) applies stablehlo.minimum
      across dimensions = [0] : (tensor<4xui8>, tensor<ui8>) -> tensor<ui8>
  // CHECK: mlopt.reduce or %arg1 dims [0] : (tensor<4xi1>) -> tensor<i1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %1 = stablehlo.reduce(%b init: %false) applies stablehlo.maximum
      across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
  return %0, %1 : tensor<ui8>, tensor<i1>
}

// Results that do not depend on each other come apart.
// CHECK-LABEL: @split
// CHECK-DAG: mlopt.reduce max %arg0, %{{.*}} dims [0]
// CHECK-DAG: mlopt.reduce min %arg1, %{{.*}} dims [0]
func.func @split(%x: tensor<4x6xf32>, %y: tensor<4x6xi32>)
    -> (tensor<6xf32>, tensor<6xi32>) {
  %a = stablehlo.constant dense<3.0> : tensor<f32>
  %b = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %a), (%y init: %b) across dimensions = [0]
      : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>)
      -> (tensor<6xf32>, tensor<6xi32>)
   reducer(%p: tensor<f32>, %q: tensor<f32>) (%r: tensor<i32>, %s: tensor<i32>) {
    %1 = stablehlo.maximum %p, %q : tensor<f32>
    %2 = stablehlo.minimum %r, %s : tensor<i32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<6xf32>, tensor<6xi32>
}

// A body that begins like a kind but goes on is none.
// CHECK-LABEL: @region
// CHECK: mlopt.reduce %arg0, %{{.*}} dims [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: %[[ABS:.*]] = mlopt.abs %[[B]] : f32
// CHECK-NEXT: %[[SUM:.*]] = mlopt.add %[[A]], %[[ABS]] : f32
// CHECK-NEXT: mlopt.yield %[[SUM]] : f32
func.func @region(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %unused = stablehlo.maximum %a, %b : tensor<f32>
    %1 = stablehlo.abs %b : tensor<f32>
    %2 = stablehlo.add %a, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// A function that a body calls is inlined, and constants become scalars.
// CHECK-LABEL: @calls
// CHECK: mlopt.reduce %arg0, %{{.*}} dims [0]
// CHECK: %[[TWO:.*]] = mlopt.constant 2.000000e+00 : f32
// CHECK: mlopt.mul %{{.*}}, %[[TWO]] : f32
func.func @calls(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %1 = func.call @twice(%b) : (tensor<f32>) -> tensor<f32>
    %2 = stablehlo.add %a, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}
func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %two : tensor<f32>
  return %0 : tensor<f32>
}

// JAX's argmax, whole.
// CHECK-LABEL: @argmax
// CHECK: %[[BOTH:.*]]:2 = mlopt.arg_reduce max %arg0 dim 1 : tensor<2x4xf32> -> (tensor<2xf32>, tensor<2xi32>)
// CHECK: return %[[BOTH]]#1
func.func @argmax(%x: tensor<2x4xf32>) -> tensor<2xi32> {
  %i = stablehlo.iota dim = 1 : tensor<2x4xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %low), (%i init: %zero)
      across dimensions = [1]
      : (tensor<2x4xf32>, tensor<2x4xi32>, tensor<f32>, tensor<i32>)
      -> (tensor<2xf32>, tensor<2xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
    %1 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %b : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  return %0#1 : tensor<2xi32>
}

// The same without its NaN case is another function.
// CHECK-LABEL: @argmax_without_nan
// CHECK-NOT: arg_reduce
// CHECK: mlopt.reduce %arg0, %{{.*}}, %{{.*}}, %{{.*}} dims [1]
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
// CHECK: mlopt.yield %{{.*}}, %{{.*}} : f32, i32
func.func @argmax_without_nan(%x: tensor<2x4xf32>) -> tensor<2xi32> {
  %i = stablehlo.iota dim = 1 : tensor<2x4xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %low), (%i init: %zero)
      across dimensions = [1]
      : (tensor<2x4xf32>, tensor<2x4xi32>, tensor<f32>, tensor<i32>)
      -> (tensor<2xf32>, tensor<2xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
    %3 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %b : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  return %0#1 : tensor<2xi32>
}

// Windows of all elements so far are a scan; from here on, a reverse one.
// CHECK-LABEL: @scans
func.func @scans(%x: tensor<8x9xf32>) -> (tensor<8x9xf32>, tensor<8x9xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: mlopt.scan add %arg0 dim 0 : (tensor<8x9xf32>) -> tensor<8x9xf32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{
      padding = dense<[[7, 0], [0, 0]]> : tensor<2x2xi64>,
      window_dimensions = array<i64: 8, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8x9xf32>, tensor<f32>) -> tensor<8x9xf32>
  // CHECK: mlopt.scan max %arg0, %{{.*}} dim 1 reverse
  %1 = "stablehlo.reduce_window"(%x, %zero) <{
      padding = dense<[[0, 0], [0, 8]]> : tensor<2x2xi64>,
      window_dimensions = array<i64: 1, 9>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8x9xf32>, tensor<f32>) -> tensor<8x9xf32>
  return %0, %1 : tensor<8x9xf32>, tensor<8x9xf32>
}

// A running sum of bf16 is rounded at every step, as its body says.
// CHECK-LABEL: @narrow_scan
func.func @narrow_scan(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  // CHECK: mlopt.scan %arg0, %{{.*}} dim 0
  // CHECK: ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: bf16):
  // CHECK: mlopt.add %[[A]], %[[B]] : bf16
  %0 = "stablehlo.reduce_window"(%x, %zero) <{
      padding = dense<[[7, 0]]> : tensor<1x2xi64>,
      window_dimensions = array<i64: 8>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %1 = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %1 : tensor<bf16>
  }) : (tensor<8xbf16>, tensor<bf16>) -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// StableHLO adds the initial value once for each padding element as well.
// CHECK-LABEL: @padded_sum
// CHECK: %[[PAD:.*]] = mlopt.pad %arg0, %[[ONE:.*]] low [1] high [1] interior [0]
// CHECK: mlopt.reduce_window add %[[PAD]], %[[ONE]] window [3] strides [1]
// CHECK-SAME: low [0] high [0]
func.func @padded_sum(%x: tensor<8xf32>) -> tensor<8xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %one) <{
      padding = dense<[[1, 1]]> : tensor<1x2xi64>,
      window_dimensions = array<i64: 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A map is its body on tensors.
// CHECK-LABEL: @map
// CHECK: %[[ONE:.*]] = mlopt.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK: mlopt.add %arg0, %[[ONE]] : tensor<8xf32>
func.func @map(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %1 = stablehlo.add %a, %one : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
