// A softmax that is rounded to 16 bits costs a thread one exponential of each of
// its 32 elements, which it holds for the result where the row is one turn, and
// one reciprocal, without a branch; one that is not costs more.
//
// RUN: mlopt-compile %s --emit=ptx > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=CHEAP
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=EXACT

// Five more of a thread's scale sums and terms to the maximum of all.
// CHECK-LABEL: .entry rounded_kernel_0
// CHECK-COUNT-4: ld.shared.v4
// CHECK-NOT:   ld.shared.v4
// CHECK:       bar.sync
// CHECK-COUNT-3: ex2.approx.ftz.f32
// CHECK-NOT:   {{ex2|ld.shared.v4}}
// CHECK:       ret;
// CHEAP-LABEL: .entry rounded_kernel_0
// CHEAP-NOT:   {{fma|rcp|div|f64}}
// CHEAP:       rcp.approx.ftz.f32
// CHEAP-NOT:   {{fma|rcp|div|f64}}
// CHEAP:       ret;
func.func @rounded(%x: tensor<1024x8192xbf16>) -> tensor<1024x8192xbf16> {
  %f = mlopt.convert %x : tensor<1024x8192xbf16> -> tensor<1024x8192xf32>
  %m = mlopt.reduce max %f dims [1] : (tensor<1024x8192xf32>) -> tensor<1024xf32>
  %mb = mlopt.broadcast %m dims [0] : tensor<1024xf32> -> tensor<1024x8192xf32>
  %d = mlopt.sub %f, %mb : tensor<1024x8192xf32>
  %e = mlopt.exp %d : tensor<1024x8192xf32>
  %s = mlopt.reduce add %e dims [1] : (tensor<1024x8192xf32>) -> tensor<1024xf32>
  %sb = mlopt.broadcast %s dims [0] : tensor<1024xf32> -> tensor<1024x8192xf32>
  %q = mlopt.div %e, %sb : tensor<1024x8192xf32>
  %y = mlopt.convert %q : tensor<1024x8192xf32> -> tensor<1024x8192xbf16>
  return %y : tensor<1024x8192xbf16>
}

// Of a longer row threads hold the terms of what is not in shared memory; what
// is takes one more exponential and two products of each element.
// CHECK-LABEL: .entry long_kernel_0
// CHECK:       rcp.approx.ftz.f32
// CHECK:       ex2.approx.ftz.f32
// CHECK-NOT:   ex2
// CHECK:       ld.shared.v4
// CHECK-COUNT-16: ex2.approx.ftz.f32
// CHECK-NOT:   ex2
// CHECK:       ret;
// CHEAP-LABEL: .entry long_kernel_0
// CHEAP:       rcp.approx.ftz.f32
// CHEAP-COUNT-50: mul.rn.f32
// CHEAP-NOT:   {{mul.rn.f32|fma|rcp|div}}
// CHEAP:       ret;
func.func @long(%x: tensor<128x131072xbf16>) -> tensor<128x131072xbf16> {
  %f = mlopt.convert %x : tensor<128x131072xbf16> -> tensor<128x131072xf32>
  %m = mlopt.reduce max %f dims [1] : (tensor<128x131072xf32>) -> tensor<128xf32>
  %mb = mlopt.broadcast %m dims [0] : tensor<128xf32> -> tensor<128x131072xf32>
  %d = mlopt.sub %f, %mb : tensor<128x131072xf32>
  %e = mlopt.exp %d : tensor<128x131072xf32>
  %s = mlopt.reduce add %e dims [1] : (tensor<128x131072xf32>) -> tensor<128xf32>
  %sb = mlopt.broadcast %s dims [0] : tensor<128xf32> -> tensor<128x131072xf32>
  %q = mlopt.div %e, %sb : tensor<128x131072xf32>
  %y = mlopt.convert %q : tensor<128x131072xf32> -> tensor<128x131072xbf16>
  return %y : tensor<128x131072xbf16>
}

// Exponentials of what exceeds m are no parts of their sum that are 1 at most.
// CHEAP-LABEL: .entry least_kernel_0
// CHEAP:       rcp.approx.ftz.f32
// CHEAP:       ex2.approx.ftz.f32 [[E:%r[0-9]+]],
// CHEAP:       mul.rn.f32 {{%r[0-9]+}}, [[E]], [[E]];
func.func @least(%x: tensor<1024x8192xbf16>) -> tensor<1024x8192xbf16> {
  %f = mlopt.convert %x : tensor<1024x8192xbf16> -> tensor<1024x8192xf32>
  %m = mlopt.reduce min %f dims [1] : (tensor<1024x8192xf32>) -> tensor<1024xf32>
  %mb = mlopt.broadcast %m dims [0] : tensor<1024xf32> -> tensor<1024x8192xf32>
  %d = mlopt.sub %f, %mb : tensor<1024x8192xf32>
  %e = mlopt.exp %d : tensor<1024x8192xf32>
  %s = mlopt.reduce add %e dims [1] : (tensor<1024x8192xf32>) -> tensor<1024xf32>
  %sb = mlopt.broadcast %s dims [0] : tensor<1024xf32> -> tensor<1024x8192xf32>
  %q = mlopt.div %e, %sb : tensor<1024x8192xf32>
  %y = mlopt.convert %q : tensor<1024x8192xf32> -> tensor<1024x8192xbf16>
  return %y : tensor<1024x8192xbf16>
}

// EXACT-LABEL: .entry kept_kernel_0
// EXACT-DAG:   fma.rn.sat.f32
// EXACT-DAG:   rcp.approx.ftz.f64
func.func @kept(%x: tensor<1024x8192xf32>) -> tensor<1024x8192xf32> {
  %m = mlopt.reduce max %x dims [1] : (tensor<1024x8192xf32>) -> tensor<1024xf32>
  %mb = mlopt.broadcast %m dims [0] : tensor<1024xf32> -> tensor<1024x8192xf32>
  %d = mlopt.sub %x, %mb : tensor<1024x8192xf32>
  %e = mlopt.exp %d : tensor<1024x8192xf32>
  %s = mlopt.reduce add %e dims [1] : (tensor<1024x8192xf32>) -> tensor<1024xf32>
  %sb = mlopt.broadcast %s dims [0] : tensor<1024xf32> -> tensor<1024x8192xf32>
  %q = mlopt.div %e, %sb : tensor<1024x8192xf32>
  return %q : tensor<1024x8192xf32>
}
