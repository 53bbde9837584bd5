// A block goes down a piece of the rows: every operand is read once, a row ahead
// of the one that is reduced across its line, and the sums of the columns stay in
// registers until the end.
//
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s

// Two operands and a weight for each column; two sums of rows, which warps meet
// in shared memory for; then what each column's rows gave, once. The sums of the
// columns grow between the two, so that what they add is held for neither.
// CHECK-LABEL: .entry gradients_kernel_0
// CHECK:       .minnctapersm 2
// CHECK-COUNT-2: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK:       bar.sync
// CHECK:       st.global.v4
// CHECK-COUNT-2: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK:       bar.sync
// CHECK-COUNT-8: begin inline asm{{[[:space:]]+}}mov.b32
// CHECK:       shfl.sync.bfly.b32 {{.*}}, 16, 31, -1;
// CHECK:       st.shared.v4
// CHECK:       bar.sync
// CHECK:       st.global.b32
// CHECK-LABEL: .entry gradients_kernel_1
func.func @gradients(%x: tensor<16384x4096xbf16>, %y: tensor<16384x4096xbf16>) -> (tensor<16384x4096xbf16>, tensor<4096xf32>) {
  %f = mlopt.convert %x : tensor<16384x4096xbf16> -> tensor<16384x4096xf32>
  %g = mlopt.convert %y : tensor<16384x4096xbf16> -> tensor<16384x4096xf32>
  %s = mlopt.reduce max %f dims [1] : (tensor<16384x4096xf32>) -> tensor<16384xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<16384xf32> -> tensor<16384x4096xf32>
  %d = mlopt.sub %f, %b : tensor<16384x4096xf32>
  %e = mlopt.mul %d, %g : tensor<16384x4096xf32>
  %t = mlopt.reduce add %e dims [1] : (tensor<16384x4096xf32>) -> tensor<16384xf32>
  %c = mlopt.broadcast %t dims [0] : tensor<16384xf32> -> tensor<16384x4096xf32>
  %h = mlopt.mul %e, %c : tensor<16384x4096xf32>
  %o = mlopt.convert %h : tensor<16384x4096xf32> -> tensor<16384x4096xbf16>
  %r = mlopt.reduce add %e dims [0] : (tensor<16384x4096xf32>) -> tensor<4096xf32>
  return %o, %r : tensor<16384x4096xbf16>, tensor<4096xf32>
}

// Rows of a few sectors: lines within a warp need no barrier for a row; those of
// a block meet at the end.
// CHECK-LABEL: .entry short_kernel_0
// CHECK-NOT:   bar.sync
// CHECK:       shfl.sync
// CHECK-NOT:   bar.sync
// CHECK:       st.shared
// CHECK-NEXT:  st.shared
// CHECK-NEXT:  bar.sync
// CHECK-NOT:   bar.sync
// CHECK-LABEL: .entry short_kernel_1
func.func @short(%x: tensor<65536x64xf32>) -> (tensor<65536x64xf32>, tensor<64xf32>) {
  %s = mlopt.reduce max %x dims [1] : (tensor<65536x64xf32>) -> tensor<65536xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<65536xf32> -> tensor<65536x64xf32>
  %d = mlopt.sub %x, %b : tensor<65536x64xf32>
  %r = mlopt.reduce add %d dims [0] : (tensor<65536x64xf32>) -> tensor<64xf32>
  return %d, %r : tensor<65536x64xf32>, tensor<64xf32>
}

// Rows that fill no piece: the last block goes down fewer, a line past its end
// stores nothing, and its sums are another result.
// CHECK-LABEL: .entry left_over_kernel_0
// CHECK:       setp.lt.u32 [[PIECE:%p[0-9]+]], {{%r[0-9]+}}, 256;
// CHECK:       selp.b32 {{%r[0-9]+}}, 16, 3, [[PIECE]];
// CHECK:       min.u32
// CHECK:       @%p{{[0-9]+}} bra
// CHECK:       st.global.v4
// CHECK:       st.shared.v4
// CHECK:       bar.sync
// CHECK-COUNT-2: st.global.b32
// CHECK-LABEL: .entry left_over_kernel_1
func.func @left_over(%x: tensor<4099x2048xf32>) -> (tensor<4099x2048xf32>, tensor<2048xf32>) {
  %s = mlopt.reduce max %x dims [1] : (tensor<4099x2048xf32>) -> tensor<4099xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<4099xf32> -> tensor<4099x2048xf32>
  %d = mlopt.sub %x, %b : tensor<4099x2048xf32>
  %r = mlopt.reduce add %d dims [0] : (tensor<4099x2048xf32>) -> tensor<2048xf32>
  return %d, %r : tensor<4099x2048xf32>, tensor<2048xf32>
}
