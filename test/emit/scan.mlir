// The threads of a block share a scan whose order is free.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s

// Rows: vectors of 16 bytes, shuffles within a warp, shared memory beyond it.
// PLAN-LABEL:  llvm.func @rows_kernel_0
// PLAN-SAME:   family = "scan"
// PLAN-SAME:   lanes = 4
// CHECK-LABEL: entry rows_kernel_0
// CHECK:       ld.global.v4
// CHECK:       shfl.sync.up
// CHECK:       st.shared
// CHECK:       bar.sync
// CHECK:       st.global.v4
func.func @rows(%x: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
  %0 = mlopt.scan add %x dim 1 : (tensor<512x4096xf32>) -> tensor<512x4096xf32>
  return %0 : tensor<512x4096xf32>
}

// Odd rows are stored by vectors too, which start before the row.
// PLAN-LABEL:  llvm.func @odd_rows_kernel_0
// PLAN-SAME:   family = "scan"
// CHECK-LABEL: entry odd_rows_kernel_0
// CHECK:       st.global.v4
func.func @odd_rows(%x: tensor<512x4095xi32>) -> tensor<512x4095xi32> {
  %0 = mlopt.scan max %x dim 1 reverse : (tensor<512x4095xi32>) -> tensor<512x4095xi32>
  return %0 : tensor<512x4095xi32>
}

// Columns: no shuffles, since each lane has a line of its own.
// PLAN-LABEL:  llvm.func @columns_kernel_0
// PLAN-SAME:   family = "scan"
// CHECK-LABEL: entry columns_kernel_0
// CHECK-NOT:   shfl
// CHECK:       st.shared
func.func @columns(%x: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
  %0 = mlopt.scan add %x dim 0 : (tensor<512x4096xf32>) -> tensor<512x4096xf32>
  return %0 : tensor<512x4096xf32>
}

// bf16 is summed up in f32, which may be regrouped.
// PLAN-LABEL: llvm.func @narrow_kernel_0
// PLAN-SAME:  family = "scan"
func.func @narrow(%x: tensor<512x4096xbf16>) -> tensor<512x4096xbf16> {
  %0 = mlopt.scan add %x dim 1 : (tensor<512x4096xbf16>) -> tensor<512x4096xbf16>
  return %0 : tensor<512x4096xbf16>
}

// A strict sum of floats goes element by element.
// PLAN-LABEL:  llvm.func @strict_kernel_0
// PLAN-NOT:    family
// CHECK-LABEL: entry strict_kernel_0
// CHECK-NOT:   shfl
// CHECK-NOT:   st.shared
func.func @strict(%x: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
  %0 = mlopt.scan add %x dim 1 {numerics = #mlopt.numerics<strict>} : (tensor<512x4096xf32>) -> tensor<512x4096xf32>
  return %0 : tensor<512x4096xf32>
}

// A strict sum of integers has no roundings.
// PLAN-LABEL:  llvm.func @strict_integers_kernel_0
// PLAN-SAME:   family = "scan"
// CHECK-LABEL: entry strict_integers_kernel_0
// CHECK:       shfl.sync.up
func.func @strict_integers(%x: tensor<512x4096xi32>) -> tensor<512x4096xi32> {
  %0 = mlopt.scan add %x dim 1 {numerics = #mlopt.numerics<strict>} : (tensor<512x4096xi32>) -> tensor<512x4096xi32>
  return %0 : tensor<512x4096xi32>
}

// A body that is no known combination.
// PLAN-LABEL: llvm.func @decaying_kernel_0
// PLAN-NOT:   family
func.func @decaying(%x: tensor<512x4096xf32>, %v: tensor<f32>) -> tensor<512x4096xf32> {
  %0 = mlopt.scan %x, %v dim 1 : (tensor<512x4096xf32>, tensor<f32>) -> tensor<512x4096xf32> {
  ^bb0(%a: f32, %b: f32):
    %h = mlopt.constant 0.5 : f32
    %m = mlopt.mul %a, %h : f32
    %s = mlopt.add %m, %b : f32
    mlopt.yield %s : f32
  }
  return %0 : tensor<512x4096xf32>
}
