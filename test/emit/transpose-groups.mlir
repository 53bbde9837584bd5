// Tiles of a transpose cover as many dimensions on either side as make enough
// neighbours.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s

// The operand's last dimension, and the result's last two: tiles of 65 by a
// fifth of 272.
// CHECK-LABEL: llvm.func @reversed_kernel_0
// CHECK-SAME:  across = 56
// CHECK-SAME:  family = "transpose"
// CHECK-SAME:  line = 65
func.func @reversed(%x: tensor<16x17x31x63x65xbf16>) -> tensor<65x63x31x17x16xbf16> {
  %0 = mlopt.transpose %x perm [4, 3, 2, 1, 0] : tensor<16x17x31x63x65xbf16> -> tensor<65x63x31x17x16xbf16>
  return %0 : tensor<65x63x31x17x16xbf16>
}

// A short row whose neighbour follows it in memory makes a long tile.
// CHECK-LABEL: llvm.func @narrow_kernel_0
// CHECK-SAME:  family = "transpose"
// CHECK-SAME:  line = 3
func.func @narrow(%x: tensor<1048577x3xf32>) -> tensor<3x1048577xf32> {
  %0 = mlopt.transpose %x perm [1, 0] : tensor<1048577x3xf32> -> tensor<3x1048577xf32>
  return %0 : tensor<3x1048577xf32>
}

// Tiles of even sides grow while there are enough of them.
// CHECK-LABEL: llvm.func @square_kernel_0
// CHECK-SAME:  across = 64
// CHECK-SAME:  lanes = 8
// CHECK-SAME:  line = 128
func.func @square(%x: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = mlopt.transpose %x perm [1, 0] : tensor<4096x4096xbf16> -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}

// The other way round, a thread's vectors hold whole rows of the result.
// CHECK-LABEL: llvm.func @short_kernel_0
// CHECK-SAME:  family = "pointwise"
func.func @short(%x: tensor<3x1048577xbf16>) -> tensor<1048577x3xbf16> {
  %0 = mlopt.transpose %x perm [1, 0] : tensor<3x1048577xbf16> -> tensor<1048577x3xbf16>
  return %0 : tensor<1048577x3xbf16>
}

// Two operands share shared memory.
// CHECK-LABEL: llvm.func @sum_kernel_0
// CHECK-SAME:  across = 64
// CHECK-SAME:  line = 128
func.func @sum(%x: tensor<8192x8192xbf16>, %y: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %a = mlopt.transpose %x perm [1, 0] : tensor<8192x8192xbf16> -> tensor<8192x8192xbf16>
  %b = mlopt.transpose %y perm [1, 0] : tensor<8192x8192xbf16> -> tensor<8192x8192xbf16>
  %0 = mlopt.mul %a, %b : tensor<8192x8192xbf16>
  return %0 : tensor<8192x8192xbf16>
}
