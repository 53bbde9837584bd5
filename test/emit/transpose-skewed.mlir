// Transposes of rows that start anywhere take the vectors of memory all the
// same, on both sides.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s

// PLAN-LABEL:  llvm.func @both_kernel_0
// PLAN-SAME:   lanes = 8
// PLAN-SAME:   vectors = 8
// CHECK-LABEL: entry both_kernel_0
// CHECK:       ld.global.v4
// CHECK:       bar.sync
// CHECK:       st.global.v4
func.func @both(%x: tensor<4097x8193xbf16>) -> tensor<8193x4097xbf16> {
  %0 = mlopt.transpose %x perm [1, 0] : tensor<4097x8193xbf16> -> tensor<8193x4097xbf16>
  return %0 : tensor<8193x4097xbf16>
}

// Only the operand's: every vector of the result is whole.
// CHECK-LABEL: entry operand_kernel_0
// CHECK:       ld.global.v4
// CHECK:       bar.sync
// CHECK-NOT:   st.global.b
// CHECK:       st.global.v4
// CHECK-NOT:   st.global.b
func.func @operand(%x: tensor<4096x8193xf32>) -> tensor<8193x4096xf32> {
  %0 = mlopt.transpose %x perm [1, 0] : tensor<4096x8193xf32> -> tensor<8193x4096xf32>
  return %0 : tensor<8193x4096xf32>
}

// Only the result's: nothing but whole vectors is read.
// CHECK-LABEL: entry result_kernel_0
// CHECK-NOT:   ld.global.b
// CHECK:       ld.global.v4
// CHECK-NOT:   ld.global.b
// CHECK:       bar.sync
// CHECK:       st.global.v4
func.func @result(%x: tensor<4097x8192xf32>) -> tensor<8192x4097xf32> {
  %0 = mlopt.transpose %x perm [1, 0] : tensor<4097x8192xf32> -> tensor<8192x4097xf32>
  return %0 : tensor<8192x4097xf32>
}

// Rows of few vectors are read element by element.
// PLAN-LABEL:  llvm.func @short_kernel_0
// PLAN-SAME:   vectors = 1
func.func @short(%x: tensor<4096x19xf32>) -> tensor<19x4096xf32> {
  %0 = mlopt.transpose %x perm [1, 0] : tensor<4096x19xf32> -> tensor<19x4096xf32>
  return %0 : tensor<19x4096xf32>
}
