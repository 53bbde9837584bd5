// Where there is much to compute, a thread has several vectors under way, a
// line apart.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s

// A line is a row: its part of the bias is read once for both, and everything is
// loaded before anything is computed.
// PLAN-LABEL:  llvm.func @bias_of_columns_kernel_0
// PLAN-SAME:   line = 8192
// PLAN-SAME:   threads = 128
// PLAN-SAME:   vectors = 2
// CHECK-LABEL: entry bias_of_columns_kernel_0
// CHECK-COUNT-4: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK-COUNT-2: st.global.v4
// CHECK-NOT:   st.global
func.func @bias_of_columns(%x: tensor<8192x8192xbf16>, %b: tensor<8192xf32>) -> tensor<8192x8192xbf16> {
  %0 = mlopt.convert %x : tensor<8192x8192xbf16> -> tensor<8192x8192xf32>
  %1 = mlopt.broadcast %b dims [1] : tensor<8192xf32> -> tensor<8192x8192xf32>
  %2 = mlopt.add %0, %1 : tensor<8192x8192xf32>
  %3 = mlopt.tanh %2 : tensor<8192x8192xf32>
  %4 = mlopt.mul %3, %2 : tensor<8192x8192xf32>
  %5 = mlopt.add %4, %2 : tensor<8192x8192xf32>
  %6 = mlopt.tanh %5 : tensor<8192x8192xf32>
  %7 = mlopt.mul %6, %5 : tensor<8192x8192xf32>
  %8 = mlopt.add %7, %2 : tensor<8192x8192xf32>
  %9 = mlopt.tanh %8 : tensor<8192x8192xf32>
  %10 = mlopt.mul %9, %8 : tensor<8192x8192xf32>
  %11 = mlopt.add %10, %2 : tensor<8192x8192xf32>
  %12 = mlopt.tanh %11 : tensor<8192x8192xf32>
  %13 = mlopt.mul %12, %11 : tensor<8192x8192xf32>
  %14 = mlopt.add %13, %2 : tensor<8192x8192xf32>
  %15 = mlopt.convert %14 : tensor<8192x8192xf32> -> tensor<8192x8192xbf16>
  return %15 : tensor<8192x8192xbf16>
}

// Rows of a dimension in the middle.
// PLAN-LABEL:  llvm.func @bias_of_planes_kernel_0
// PLAN-SAME:   line = 1024
// CHECK-LABEL: entry bias_of_planes_kernel_0
// CHECK-COUNT-4: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK-COUNT-2: st.global.v4
func.func @bias_of_planes(%x: tensor<64x1024x1024xbf16>, %b: tensor<64x1024xf32>) -> tensor<64x1024x1024xbf16> {
  %0 = mlopt.convert %x : tensor<64x1024x1024xbf16> -> tensor<64x1024x1024xf32>
  %1 = mlopt.broadcast %b dims [0, 2] : tensor<64x1024xf32> -> tensor<64x1024x1024xf32>
  %2 = mlopt.add %0, %1 : tensor<64x1024x1024xf32>
  %3 = mlopt.tanh %2 : tensor<64x1024x1024xf32>
  %4 = mlopt.mul %3, %2 : tensor<64x1024x1024xf32>
  %5 = mlopt.add %4, %2 : tensor<64x1024x1024xf32>
  %6 = mlopt.tanh %5 : tensor<64x1024x1024xf32>
  %7 = mlopt.mul %6, %5 : tensor<64x1024x1024xf32>
  %8 = mlopt.add %7, %2 : tensor<64x1024x1024xf32>
  %9 = mlopt.tanh %8 : tensor<64x1024x1024xf32>
  %10 = mlopt.mul %9, %8 : tensor<64x1024x1024xf32>
  %11 = mlopt.add %10, %2 : tensor<64x1024x1024xf32>
  %12 = mlopt.tanh %11 : tensor<64x1024x1024xf32>
  %13 = mlopt.mul %12, %11 : tensor<64x1024x1024xf32>
  %14 = mlopt.add %13, %2 : tensor<64x1024x1024xf32>
  %15 = mlopt.convert %14 : tensor<64x1024x1024xf32> -> tensor<64x1024x1024xbf16>
  return %15 : tensor<64x1024x1024xbf16>
}

// What differs from row to row shares nothing: lines are as wide as a block.
// PLAN-LABEL:  llvm.func @bias_of_rows_kernel_0
// PLAN-SAME:   line = 1024
func.func @bias_of_rows(%x: tensor<8192x8192xbf16>, %b: tensor<8192xf32>) -> tensor<8192x8192xbf16> {
  %0 = mlopt.convert %x : tensor<8192x8192xbf16> -> tensor<8192x8192xf32>
  %1 = mlopt.broadcast %b dims [0] : tensor<8192xf32> -> tensor<8192x8192xf32>
  %2 = mlopt.add %0, %1 : tensor<8192x8192xf32>
  %3 = mlopt.tanh %2 : tensor<8192x8192xf32>
  %4 = mlopt.mul %3, %2 : tensor<8192x8192xf32>
  %5 = mlopt.add %4, %2 : tensor<8192x8192xf32>
  %6 = mlopt.tanh %5 : tensor<8192x8192xf32>
  %7 = mlopt.mul %6, %5 : tensor<8192x8192xf32>
  %8 = mlopt.add %7, %2 : tensor<8192x8192xf32>
  %9 = mlopt.tanh %8 : tensor<8192x8192xf32>
  %10 = mlopt.mul %9, %8 : tensor<8192x8192xf32>
  %11 = mlopt.add %10, %2 : tensor<8192x8192xf32>
  %12 = mlopt.tanh %11 : tensor<8192x8192xf32>
  %13 = mlopt.mul %12, %11 : tensor<8192x8192xf32>
  %14 = mlopt.add %13, %2 : tensor<8192x8192xf32>
  %15 = mlopt.convert %14 : tensor<8192x8192xf32> -> tensor<8192x8192xbf16>
  return %15 : tensor<8192x8192xbf16>
}

// Rows that do not come in pairs.
// PLAN-LABEL:  llvm.func @odd_rows_kernel_0
// PLAN-SAME:   line = 1024
func.func @odd_rows(%x: tensor<8191x8192xbf16>, %b: tensor<8192xf32>) -> tensor<8191x8192xbf16> {
  %0 = mlopt.convert %x : tensor<8191x8192xbf16> -> tensor<8191x8192xf32>
  %1 = mlopt.broadcast %b dims [1] : tensor<8192xf32> -> tensor<8191x8192xf32>
  %2 = mlopt.add %0, %1 : tensor<8191x8192xf32>
  %3 = mlopt.tanh %2 : tensor<8191x8192xf32>
  %4 = mlopt.mul %3, %2 : tensor<8191x8192xf32>
  %5 = mlopt.add %4, %2 : tensor<8191x8192xf32>
  %6 = mlopt.tanh %5 : tensor<8191x8192xf32>
  %7 = mlopt.mul %6, %5 : tensor<8191x8192xf32>
  %8 = mlopt.add %7, %2 : tensor<8191x8192xf32>
  %9 = mlopt.tanh %8 : tensor<8191x8192xf32>
  %10 = mlopt.mul %9, %8 : tensor<8191x8192xf32>
  %11 = mlopt.add %10, %2 : tensor<8191x8192xf32>
  %12 = mlopt.tanh %11 : tensor<8191x8192xf32>
  %13 = mlopt.mul %12, %11 : tensor<8191x8192xf32>
  %14 = mlopt.add %13, %2 : tensor<8191x8192xf32>
  %15 = mlopt.convert %14 : tensor<8191x8192xf32> -> tensor<8191x8192xbf16>
  return %15 : tensor<8191x8192xbf16>
}
