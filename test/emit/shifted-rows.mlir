// Rows whose length is no whole number of vectors are read and written by whole
// vectors all the same, where these lie in memory; only the elements at a row's
// ends go one by one.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s

// The last row ends where a vector does: there is nothing behind it.
// PLAN-LABEL:  gpu.module @odd_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}lanes = 8 : i64, line = 288 : i64, {{.*}}vectors = 4 : i64}
// CHECK-LABEL: .entry odd_kernel_0
// CHECK-NOT:   ld.global.b16
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-NOT:   ld.global
// CHECK:       st.global.v4.b32
// CHECK-COUNT-7: st.global.b16
// CHECK-NOT:   st.global.b16
// CHECK-COUNT-3: st.global.v4.b32
// CHECK-COUNT-7: st.global.b16
// CHECK-NOT:   st.global
// CHECK:       ret;
func.func @odd(%x: tensor<8192x8191xbf16>) -> tensor<8192x8191xbf16> {
  %f = mlopt.convert %x : tensor<8192x8191xbf16> -> tensor<8192x8191xf32>
  %m = mlopt.reduce max %f dims [1] : (tensor<8192x8191xf32>) -> tensor<8192xf32>
  %b = mlopt.broadcast %m dims [0] : tensor<8192xf32> -> tensor<8192x8191xf32>
  %d = mlopt.sub %f, %b : tensor<8192x8191xf32>
  %y = mlopt.convert %d : tensor<8192x8191xf32> -> tensor<8192x8191xbf16>
  return %y : tensor<8192x8191xbf16>
}

// Here it does not, and the elements of the last vector are loaded apart. A warp
// has a row, and one vector more than it has of others.
// PLAN-LABEL:  gpu.module @end_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}lanes = 4 : i64, line = 32 : i64, {{.*}}vectors = 9 : i64}
// CHECK-LABEL: .entry end_kernel_0
// CHECK-NOT:   ld.global.b32
// CHECK-COUNT-8: ld.volatile.global.b32
// CHECK-NOT:   ld.global.b32
// CHECK-COUNT-6: ld.global.v4.b32
// CHECK-NOT:   ld.global
// CHECK:       ret;
func.func @end(%x: tensor<16383x1023xi32>) -> tensor<16383xi32> {
  %m = mlopt.reduce min %x dims [1] : (tensor<16383x1023xi32>) -> tensor<16383xi32>
  return %m : tensor<16383xi32>
}

// A weight starts anew with each row, elsewhere in a vector: its elements are
// loaded one by one, and shorter vectors take as long then.
// PLAN-LABEL:  gpu.module @weight_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}lanes = 4 : i64, line = 288 : i64, {{.*}}vectors = 8 : i64}
// CHECK-LABEL: .entry weight_kernel_0
// CHECK-DAG:   ld.global.v4.b16
// CHECK-DAG:   ld.global.b16
// CHECK:       ret;
func.func @weight(%x: tensor<8192x8191xbf16>, %w: tensor<8191xbf16>) -> tensor<8192xbf16> {
  %b = mlopt.broadcast %w dims [1] : tensor<8191xbf16> -> tensor<8192x8191xbf16>
  %p = mlopt.mul %x, %b : tensor<8192x8191xbf16>
  %s = mlopt.reduce add %p dims [1] : (tensor<8192x8191xbf16>) -> tensor<8192xbf16>
  return %s : tensor<8192xbf16>
}

// Rows of fewer elements gain nothing by it.
// PLAN-LABEL:  gpu.module @short_weight_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}lanes = 1 : i64
func.func @short_weight(%x: tensor<8192x2007xbf16>, %w: tensor<2007xbf16>) -> tensor<8192xbf16> {
  %b = mlopt.broadcast %w dims [1] : tensor<2007xbf16> -> tensor<8192x2007xbf16>
  %p = mlopt.mul %x, %b : tensor<8192x2007xbf16>
  %s = mlopt.reduce add %p dims [1] : (tensor<8192x2007xbf16>) -> tensor<8192xbf16>
  return %s : tensor<8192xbf16>
}

// Short rows leave most of a warp's vectors empty.
// PLAN-LABEL:  gpu.module @short_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}lanes = 1 : i64
func.func @short(%x: tensor<65537x129xbf16>) -> tensor<65537xbf16> {
  %s = mlopt.reduce add %x dims [1] : (tensor<65537x129xbf16>) -> tensor<65537xbf16>
  return %s : tensor<65537xbf16>
}

// Few rows are better shared by many blocks.
// PLAN-LABEL:  gpu.module @few_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}lanes = 1 : i64
func.func @few(%x: tensor<5x8191xbf16>) -> tensor<5xbf16> {
  %s = mlopt.reduce add %x dims [1] : (tensor<5x8191xbf16>) -> tensor<5xbf16>
  return %s : tensor<5xbf16>
}
