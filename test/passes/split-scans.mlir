// RUN: mlopt-opt %s -pass-pipeline='builtin.module(func.func(mlopt-split-reductions))' | FileCheck %s

// Sums of all pieces but the last, what comes before each, and the pieces; the
// last one reaches over the edge.
// CHECK-LABEL: func.func @line
// CHECK:       %[[P:.*]] = mlopt.fusion
// CHECK-SAME:    -> tensor<61xi32>
// CHECK:         tensor.extract_slice
// CHECK-SAME:      tensor<1000003xi32> to tensor<999424xi32>
// CHECK:         linalg.generic
// CHECK-SAME:      ["parallel", "reduction"]
// CHECK:       %[[Q:.*]] = mlopt.fusion ({{.*}} = %[[P]] : tensor<61xi32>
// CHECK:         mlopt.scan
// CHECK:       mlopt.fusion
// CHECK-SAME:    = %[[Q]] : tensor<61xi32>
// CHECK:         mlopt.scan {{.*}} dim 1 : (tensor<62x16384xi32>
// CHECK:         tensor.extract_slice
// CHECK-SAME:      tensor<1015808xi32> to tensor<1000003xi32>
// CHECK-NOT:   mlopt.fusion
func.func @line(%x: tensor<1000003xi32>, %i: tensor<i32>) -> tensor<1000003xi32> {
  %r = mlopt.fusion (%a = %x : tensor<1000003xi32>, %b = %i : tensor<i32>) -> tensor<1000003xi32> {
    %s = mlopt.scan %a, %b dim 0 : (tensor<1000003xi32>, tensor<i32>) -> tensor<1000003xi32> {
    ^bb0(%u: i32, %v: i32):
      %w = arith.addi %u, %v : i32
      mlopt.yield %w : i32
    }
    mlopt.yield %s : tensor<1000003xi32>
  }
  return %r : tensor<1000003xi32>
}

// Whole pieces need no padding.
// CHECK-LABEL:    func.func @columns
// CHECK-COUNT-3:  mlopt.fusion
// CHECK-NOT:      tensor.insert_slice {{.*}} tensor<65536x40xi64>
// CHECK:          mlopt.scan {{.*}} dim 1
func.func @columns(%x: tensor<65536x40xi64>) -> tensor<65536x40xi64> {
  %r = mlopt.fusion (%a = %x : tensor<65536x40xi64>) -> tensor<65536x40xi64> {
    %zero = arith.constant dense<0> : tensor<i64>
    %s = mlopt.scan %a, %zero dim 0 : (tensor<65536x40xi64>, tensor<i64>) -> tensor<65536x40xi64> {
    ^bb0(%u: i64, %v: i64):
      %w = arith.maxsi %u, %v : i64
      mlopt.yield %w : i64
    }
    mlopt.yield %s : tensor<65536x40xi64>
  }
  return %r : tensor<65536x40xi64>
}

// Lines enough for all multiprocessors.
// CHECK-LABEL:   func.func @many
// CHECK-COUNT-1: mlopt.fusion
// CHECK-NOT:     mlopt.fusion
func.func @many(%x: tensor<128x131072xi32>) -> tensor<128x131072xi32> {
  %r = mlopt.fusion (%a = %x : tensor<128x131072xi32>) -> tensor<128x131072xi32> {
    %zero = arith.constant dense<0> : tensor<i32>
    %s = mlopt.scan %a, %zero dim 1 : (tensor<128x131072xi32>, tensor<i32>) -> tensor<128x131072xi32> {
    ^bb0(%u: i32, %v: i32):
      %w = arith.addi %u, %v : i32
      mlopt.yield %w : i32
    }
    mlopt.yield %s : tensor<128x131072xi32>
  }
  return %r : tensor<128x131072xi32>
}

// An order that is part of the result.
// CHECK-LABEL:   func.func @ordered
// CHECK-COUNT-1: mlopt.fusion
// CHECK-NOT:     mlopt.fusion
func.func @ordered(%x: tensor<1000003xf32>) -> tensor<1000003xf32> {
  %r = mlopt.fusion (%a = %x : tensor<1000003xf32>) -> tensor<1000003xf32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %s = mlopt.scan %a, %zero dim 0 : (tensor<1000003xf32>, tensor<f32>) -> tensor<1000003xf32> {
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v {mlopt.ordered} : f32
      mlopt.yield %w : f32
    }
    mlopt.yield %s : tensor<1000003xf32>
  }
  return %r : tensor<1000003xf32>
}
