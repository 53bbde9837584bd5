// Sums of columns beside reductions of rows: one fusion where a kernel can go
// down pieces of the rows, and what it then is.
//
// RUN: mlopt-opt %s -pass-pipeline='builtin.module(func.func(mlopt-push-numerics,mlopt-fuse))' | FileCheck %s
// RUN: mlopt-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN

// What depends on the row, summed down its columns.
// CHECK-LABEL: func.func @gradients
// CHECK:       mlopt.fusion
// CHECK-NOT:   mlopt.fusion
// PLAN-LABEL:  gpu.module @gradients_kernel_0
// PLAN:        blocks = 256 : i64, {{.*}}family = "both", {{.*}}line = 128 : i64, {{.*}}threads = 512 : i64
// PLAN:        gpu.module @gradients_kernel_1
// PLAN:        family = "columns"
// PLAN:        func.func @gradients
// PLAN-SAME:   hbm_bytes = 52432896 : i64, kernels = 2 : i64
func.func @gradients(%x: tensor<8192x1024xbf16>) -> (tensor<8192x1024xf32>, tensor<1024xf32>) {
  %f = mlopt.convert %x : tensor<8192x1024xbf16> -> tensor<8192x1024xf32>
  %s = mlopt.reduce add %f dims [1] : (tensor<8192x1024xf32>) -> tensor<8192xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<8192xf32> -> tensor<8192x1024xf32>
  %d = mlopt.mul %f, %b : tensor<8192x1024xf32>
  %r = mlopt.reduce add %d dims [0] : (tensor<8192x1024xf32>) -> tensor<1024xf32>
  %t = mlopt.neg %r : tensor<1024xf32>
  return %d, %t : tensor<8192x1024xf32>, tensor<1024xf32>
}

// In any order, of rows in two dimensions, and of elements that need no row.
// CHECK-LABEL: func.func @first
// CHECK:       mlopt.fusion
// CHECK-NOT:   mlopt.fusion
// PLAN-LABEL:  gpu.module @first_kernel_0
// PLAN:        family = "both"
// PLAN:        func.func @first
// PLAN-SAME:   kernels = 2 : i64
func.func @first(%x: tensor<8x1024x512xf32>) -> (tensor<8x1024xf32>, tensor<512xf32>) {
  %c = mlopt.reduce max %x dims [0, 1] : (tensor<8x1024x512xf32>) -> tensor<512xf32>
  %s = mlopt.reduce add %x dims [2] : (tensor<8x1024x512xf32>) -> tensor<8x1024xf32>
  return %s, %c : tensor<8x1024xf32>, tensor<512xf32>
}

// A prime number of rows: what fills no piece is one more block's.
// CHECK-LABEL: func.func @prime
// CHECK:       mlopt.fusion
// CHECK-NOT:   mlopt.fusion
// PLAN-LABEL:  gpu.module @prime_kernel_0
// PLAN:        blocks = 256 : i64, {{.*}}family = "both"
// PLAN:        func.func @prime
// PLAN-SAME:   kernels = 2 : i64
func.func @prime(%x: tensor<8191x1024xf32>) -> tensor<1024xf32> {
  %s = mlopt.reduce add %x dims [1] : (tensor<8191x1024xf32>) -> tensor<8191xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<8191xf32> -> tensor<8191x1024xf32>
  %d = mlopt.sub %x, %b : tensor<8191x1024xf32>
  %r = mlopt.reduce add %d dims [0] : (tensor<8191x1024xf32>) -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Too few rows for as many blocks as the GPU needs.
// CHECK-LABEL: func.func @few
// CHECK-COUNT-2: mlopt.fusion
// CHECK:       reason = "other-rows"
func.func @few(%x: tensor<1021x1024xf32>) -> tensor<1024xf32> {
  %s = mlopt.reduce add %x dims [1] : (tensor<1021x1024xf32>) -> tensor<1021xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<1021xf32> -> tensor<1021x1024xf32>
  %d = mlopt.sub %x, %b : tensor<1021x1024xf32>
  %r = mlopt.reduce add %d dims [0] : (tensor<1021x1024xf32>) -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// What is summed is needed again in the rows: they are read once more.
// CHECK-LABEL: func.func @again
// CHECK-COUNT-2: mlopt.fusion
// CHECK:       reason = "other-space"
// PLAN-LABEL:  gpu.module @again_kernel_0
// PLAN-NOT:    "both"
// PLAN:        func.func @again
func.func @again(%x: tensor<8192x1024xf32>) -> tensor<8192x1024xf32> {
  %s = mlopt.reduce add %x dims [1] : (tensor<8192x1024xf32>) -> tensor<8192xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<8192xf32> -> tensor<8192x1024xf32>
  %d = mlopt.sub %x, %b : tensor<8192x1024xf32>
  %r = mlopt.reduce add %d dims [0] : (tensor<8192x1024xf32>) -> tensor<1024xf32>
  %c = mlopt.broadcast %r dims [1] : tensor<1024xf32> -> tensor<8192x1024xf32>
  %e = mlopt.mul %d, %c : tensor<8192x1024xf32>
  return %e : tensor<8192x1024xf32>
}

// Strict sums have an order that pieces would change.
// CHECK-LABEL: func.func @strict
// CHECK:       reason = "ordered"
func.func @strict(%x: tensor<8192x1024xf32>) -> (tensor<8192xf32>, tensor<1024xf32>) attributes {mlopt.numerics = #mlopt.numerics<strict>} {
  %s = mlopt.reduce max %x dims [1] : (tensor<8192x1024xf32>) -> tensor<8192xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<8192xf32> -> tensor<8192x1024xf32>
  %d = mlopt.sub %x, %b : tensor<8192x1024xf32>
  %r = mlopt.reduce add %d dims [0] : (tensor<8192x1024xf32>) -> tensor<1024xf32>
  return %s, %r : tensor<8192xf32>, tensor<1024xf32>
}
