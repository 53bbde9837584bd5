// Functions of f32 on the units of a GPU, with what makes them exact enough;
// those of bf16 cheaper still.
//
// RUN: mlopt-opt %s -mlopt-expand-math=nvptx | FileCheck %s

// CHECK-LABEL: func.func @exp
// CHECK:       "llvm.nvvm.fma.rn.sat.f"
// CHECK:       "llvm.nvvm.fma.rm.f"
// CHECK:       "llvm.nvvm.ex2.approx.ftz.f32"
func.func @exp(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @exp_bf16
// CHECK:       %[[X:.*]] = arith.extf
// CHECK:       %[[T:.*]] = arith.mulf %[[X]]
// CHECK-NEXT:  %[[E:.*]] = {{.*}}"llvm.nvvm.ex2.approx.ftz.f32"(%[[T]])
// CHECK-NEXT:  arith.mulf %[[E]], %[[E]]
// CHECK-NEXT:  arith.truncf
func.func @exp_bf16(%x: bf16) -> bf16 {
  %0 = math.exp %x : bf16
  return %0 : bf16
}

// bf16's tanh is too coarse for f16.
// CHECK-LABEL: func.func @tanh_f16
// CHECK-NOT:   llvm.intr.tanh
// CHECK:       "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK:       "llvm.nvvm.rcp.approx.ftz.f"
// CHECK-LABEL: func.func @tanh_bf16
// CHECK:       llvm.intr.tanh(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>}
func.func @tanh_f16(%x: f16) -> f16 {
  %0 = math.tanh %x : f16
  return %0 : f16
}
func.func @tanh_bf16(%x: bf16) -> bf16 {
  %0 = math.tanh %x : bf16
  return %0 : bf16
}

// What is exact as a part of 1 alone needs no case of small arguments.
// CHECK-LABEL: func.func @tanh_absolute
// CHECK-NOT:   arith.select
// CHECK:       "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK-NOT:   arith.select
// CHECK-LABEL: func.func @tanh_f32
// CHECK:       arith.select
func.func @tanh_absolute(%x: f32) -> f32 {
  %0 = math.tanh %x {mlopt.absolute} : f32
  return %0 : f32
}
func.func @tanh_f32(%x: f32) -> f32 {
  %0 = math.tanh %x : f32
  return %0 : f32
}

// Three operations do where the result is rounded to 16 bits later on, without
// a case of denormals.
// CHECK-LABEL: func.func @exp_narrowed
// CHECK:       %[[T:.*]] = arith.mulf
// CHECK-NEXT:  %[[E:.*]] = {{.*}}"llvm.nvvm.ex2.approx.ftz.f32"(%[[T]])
// CHECK-NEXT:  %[[Y:.*]] = arith.mulf %[[E]], %[[E]]
// CHECK-NEXT:  return %[[Y]]
func.func @exp_narrowed(%x: f32) -> f32 {
  %0 = math.exp %x {mlopt.narrowed} : f32
  return %0 : f32
}

// A quotient that is rounded later on is a product with the reciprocal, however
// few share it; both are scaled where the unit has no reciprocal.
// CHECK-LABEL: func.func @quotient_narrowed
// CHECK-SAME:  %[[X:.*]]: f32, %[[Y:[^:]*]]: f32
// CHECK-NOT:   arith.divf
// CHECK-NOT:   f64
// CHECK:       %[[D:.*]] = arith.mulf %[[Y]], %[[S:.*]] : f32
// CHECK:       %[[R:.*]] = {{.*}}"llvm.nvvm.rcp.approx.ftz.f"(%[[D]])
// CHECK:       %[[N:.*]] = arith.mulf %[[X]], %[[S]] : f32
// CHECK:       %[[Q:.*]] = arith.mulf %[[N]], %[[R]] : f32
// CHECK:       return %[[Q]]
func.func @quotient_narrowed(%x: f32, %y: f32) -> f32 {
  %0 = arith.divf %x, %y {mlopt.narrowed} : f32
  return %0 : f32
}

// One of bf16 or f16 is rounded at once.
// CHECK-LABEL: func.func @quotient_f16
// CHECK-NOT:   arith.divf
// CHECK-COUNT-2: arith.extf
// CHECK:       "llvm.nvvm.rcp.approx.ftz.f"
// CHECK:       arith.mulf
// CHECK-NEXT:  %[[Q:.*]] = arith.mulf
// CHECK-NEXT:  arith.truncf %[[Q]] : f32 to f16
func.func @quotient_f16(%x: f16, %y: f16) -> f16 {
  %0 = arith.divf %x, %y {mlopt.narrowed} : f16
  return %0 : f16
}

// A function without one of its own here is the CPU's.
// CHECK-LABEL: func.func @erf
// CHECK-NOT:   math.erf
// CHECK:       math.fma
func.func @erf(%x: f32) -> f32 {
  %0 = math.erf %x : f32
  return %0 : f32
}

// Quotients that share a divisor are products with its reciprocal in f64.
// CHECK-LABEL: func.func @shared_divisor
// CHECK-NOT:   arith.divf
// CHECK-COUNT-4: "llvm.nvvm.rcp.approx.ftz.d"
func.func @shared_divisor(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32)
    -> (f32, f32, f32, f32) {
  %y = arith.addf %e, %e : f32
  %0 = arith.divf %a, %y : f32
  %1 = arith.divf %b, %y : f32
  %2 = arith.divf %c, %y : f32
  %3 = arith.divf %d, %y : f32
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// A quotient by a power of two is a product, exactly; one by another constant
// is not.
// CHECK-LABEL: func.func @power_of_two
// CHECK-DAG:   %[[R:.*]] = arith.constant -9.765625E-4 : f32
// CHECK:       %[[P:.*]] = arith.mulf %{{.*}}, %[[R]] : f32
// CHECK-NEXT:  arith.divf
// CHECK-NEXT:  return %[[P]]
func.func @power_of_two(%x: f32) -> (f32, f32) {
  %a = arith.constant -1024.0 : f32
  %b = arith.constant 1000.0 : f32
  %0 = arith.divf %x, %a : f32
  %1 = arith.divf %x, %b : f32
  return %0, %1 : f32, f32
}

// Two that are rounded together to bf16 need no f64, but where products with
// both neighbours of the reciprocal differ.
// CHECK-LABEL: func.func @rounded_pairs
// CHECK-NOT:   arith.extf
// CHECK:       "llvm.nvvm.rcp.approx.ftz.f"
// CHECK:       %[[LOW:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK:       %[[HIGH:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK:       %[[DIFFER:.*]] = arith.cmpi ne, %[[LOW]], %[[HIGH]]
// CHECK:       scf.if %[[DIFFER]]
// CHECK:         "llvm.nvvm.rcp.approx.ftz.d"
// CHECK:       else
// CHECK:       {rare, right_everywhere}
// CHECK:       {rare, right_everywhere}
func.func @rounded_pairs(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32)
    -> (vector<2xbf16>, vector<2xbf16>) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %y = arith.addf %e, %e : f32
  %0 = arith.divf %a, %y : f32
  %1 = arith.divf %b, %y : f32
  %2 = arith.divf %c, %y : f32
  %3 = arith.divf %d, %y : f32
  %none = llvm.mlir.poison : vector<2xf32>
  %4 = llvm.insertelement %0, %none[%i0 : i32] : vector<2xf32>
  %5 = llvm.insertelement %1, %4[%i1 : i32] : vector<2xf32>
  %6 = llvm.fptrunc %5 : vector<2xf32> to vector<2xbf16>
  %7 = llvm.insertelement %2, %none[%i0 : i32] : vector<2xf32>
  %8 = llvm.insertelement %3, %7[%i1 : i32] : vector<2xf32>
  %9 = llvm.fptrunc %8 : vector<2xf32> to vector<2xbf16>
  return %6, %9 : vector<2xbf16>, vector<2xbf16>
}

// A quotient that something else needs too is computed in full.
// CHECK-LABEL: func.func @rounded_and_kept
// CHECK-COUNT-4: "llvm.nvvm.rcp.approx.ftz.d"
// CHECK-NOT:   scf.if
func.func @rounded_and_kept(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32)
    -> (vector<2xbf16>, f32, f32, f32) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %y = arith.addf %e, %e : f32
  %0 = arith.divf %a, %y : f32
  %1 = arith.divf %b, %y : f32
  %2 = arith.divf %c, %y : f32
  %3 = arith.divf %d, %y : f32
  %none = llvm.mlir.poison : vector<2xf32>
  %4 = llvm.insertelement %0, %none[%i0 : i32] : vector<2xf32>
  %5 = llvm.insertelement %1, %4[%i1 : i32] : vector<2xf32>
  %6 = llvm.fptrunc %5 : vector<2xf32> to vector<2xbf16>
  return %6, %1, %2, %3 : vector<2xbf16>, f32, f32, f32
}

// CHECK-LABEL: func.func @own_divisor
// CHECK:       arith.divf
func.func @own_divisor(%a: f32, %e: f32) -> f32 {
  %y = arith.addf %e, %e : f32
  %0 = arith.divf %a, %y : f32
  return %0 : f32
}

// A reciprocal is exact without a branch, and without a function that ptxas
// calls.
// CHECK-LABEL: func.func @reciprocal
// CHECK-NOT:   arith.divf
// CHECK-NOT:   scf.if
// CHECK:       "llvm.nvvm.rcp.approx.ftz.f"
// CHECK-COUNT-2: math.fma
// CHECK-NOT:   "llvm.nvvm.rcp.rn.f"
func.func @reciprocal(%y: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %0 = arith.divf %one, %y : f32
  return %0 : f32
}

// What may be approximated is what the unit gives.
// CHECK-LABEL: func.func @exp_fast
// CHECK-NEXT:  %[[C:.*]] = arith.constant
// CHECK-NEXT:  %[[T:.*]] = arith.mulf %{{.*}}, %[[C]]
// CHECK-NEXT:  "llvm.nvvm.ex2.approx.ftz.f32"(%[[T]])
// CHECK-NEXT:  return
func.func @exp_fast(%x: f32) -> f32 {
  %0 = math.exp %x fastmath<reassoc,arcp,contract,afn> : f32
  return %0 : f32
}

// One flag alone is not the mode.
// CHECK-LABEL: func.func @exp_contracted
// CHECK:       "llvm.nvvm.fma.rn.sat.f"
func.func @exp_contracted(%x: f32) -> f32 {
  %0 = math.exp %x fastmath<contract> : f32
  return %0 : f32
}

// Quotients stay, for LLVM to approximate.
// CHECK-LABEL: func.func @recip_fast
// CHECK:       arith.divf
func.func @recip_fast(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %0 = arith.divf %one, %x fastmath<reassoc,arcp,contract,afn> : f32
  return %0 : f32
}
