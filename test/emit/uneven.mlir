// Reads that start anywhere: words around them, shifted into place, and stores
// of 16 bytes still.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s

// Pieces of a concatenation. A vector that lies in one is shifted together; the
// others are computed element by element.
// PLAN-LABEL:  llvm.func @pieces_kernel_0
// PLAN-SAME:   lanes = 8
// PLAN-SAME:   uneven = 1
// CHECK-LABEL: entry pieces_kernel_0
// CHECK:       ld.global.b32
// CHECK:       shf.
// CHECK:       st.global.v4
func.func @pieces(%a: tensor<513x1001xbf16>, %b: tensor<513x777xbf16>) -> tensor<513x1778xbf16> {
  %0 = mlopt.concat %a, %b dim 1 : (tensor<513x1001xbf16>, tensor<513x777xbf16>) -> tensor<513x1778xbf16>
  return %0 : tensor<513x1778xbf16>
}

// PLAN-LABEL:  llvm.func @padding_kernel_0
// PLAN-SAME:   uneven = 1
// CHECK-LABEL: entry padding_kernel_0
// CHECK:       ld.global.b32
// CHECK:       st.global.v4
func.func @padding(%a: tensor<2049x2001xi8>) -> tensor<2050x2008xi8> {
  %z = mlopt.constant dense<0> : tensor<i8>
  %0 = mlopt.pad %a, %z low [1, 3] high [0, 4] interior [0, 0] : tensor<2049x2001xi8>, tensor<i8> -> tensor<2050x2008xi8>
  return %0 : tensor<2050x2008xi8>
}

// A slice of even rows that starts at an odd place needs no second way: its
// vectors lie in one row.
// PLAN-LABEL:  llvm.func @cut_kernel_0
// PLAN-SAME:   uneven = 1
// CHECK-LABEL: entry cut_kernel_0
// CHECK-NOT:   st.global.b16
// CHECK:       st.global.v4
// CHECK-NOT:   st.global
func.func @cut(%a: tensor<512x1024xbf16>) -> tensor<512x1016xbf16> {
  %0 = mlopt.slice %a starts [0, 3] limits [512, 1019] strides [1, 1] : tensor<512x1024xbf16> -> tensor<512x1016xbf16>
  return %0 : tensor<512x1016xbf16>
}

// Backwards, from vectors where rows are even.
// PLAN-LABEL:  llvm.func @mirror_kernel_0
// CHECK-LABEL: entry mirror_kernel_0
// CHECK:       ld.global.v4
// CHECK-NOT:   ld.global
// CHECK:       st.global.v4
func.func @mirror(%a: tensor<512x1024xbf16>) -> tensor<512x1024xbf16> {
  %0 = mlopt.reverse %a dims [1] : tensor<512x1024xbf16>
  return %0 : tensor<512x1024xbf16>
}

// PLAN-LABEL:  llvm.func @odd_mirror_kernel_0
// PLAN-SAME:   uneven = 1
// CHECK-LABEL: entry odd_mirror_kernel_0
// CHECK:       ld.global.b32
// CHECK:       st.global.v4
func.func @odd_mirror(%a: tensor<512x1023xbf16>) -> tensor<512x1023xbf16> {
  %0 = mlopt.reverse %a dims [1] : tensor<512x1023xbf16>
  return %0 : tensor<512x1023xbf16>
}

// Odd rows in another order.
// PLAN-LABEL:  llvm.func @rows_kernel_0
// PLAN-SAME:   uneven = 1
// CHECK-LABEL: entry rows_kernel_0
// CHECK:       ld.global.b32
// CHECK:       st.global.v4
func.func @rows(%a: tensor<31x33x1023xbf16>) -> tensor<33x31x1023xbf16> {
  %0 = mlopt.transpose %a perm [1, 0, 2] : tensor<31x33x1023xbf16> -> tensor<33x31x1023xbf16>
  return %0 : tensor<33x31x1023xbf16>
}

// Rows so short that most vectors would reach into the next.
// PLAN-LABEL: llvm.func @short_kernel_0
// PLAN-NOT:   uneven
// PLAN:       llvm.func @even_kernel_0
func.func @short(%a: tensor<4099x9xbf16>) -> tensor<4099x7xbf16> {
  %0 = mlopt.slice %a starts [0, 1] limits [4099, 8] strides [1, 1] : tensor<4099x9xbf16> -> tensor<4099x7xbf16>
  return %0 : tensor<4099x7xbf16>
}

// Edges between vectors, and odd rows in their own order: nothing starts
// elsewhere.
// PLAN-NOT:    uneven
// CHECK-LABEL: entry even_kernel_0
// CHECK-NOT:   ld.global.b32
// CHECK:       ld.global.v4
func.func @even(%a: tensor<512x1024xbf16>, %b: tensor<512x512xbf16>) -> tensor<512x1536xbf16> {
  %0 = mlopt.concat %a, %b dim 1 : (tensor<512x1024xbf16>, tensor<512x512xbf16>) -> tensor<512x1536xbf16>
  return %0 : tensor<512x1536xbf16>
}
