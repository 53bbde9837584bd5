// RUN: mlopt-opt %s -mlopt-serialize-to-ptx | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s

// ptxas may not evaluate what the GPU's units approximate: a constant argument
// gets a number that is zero where the kernel runs.
// CHECK-LABEL: .entry constant(
// CHECK: mov.u32 n, %nctaid.z; shr.u32 [[ZERO:%r[0-9]+]], n, 31
// CHECK: xor.b32 [[X:%r[0-9]+]], [[ZERO]], 1060110336;
// CHECK: ex2.approx.ftz.f32 {{.*}}, [[X]];
// CHECK-NOT: nctaid
// CHECK: xor.b32 [[Y:%r[0-9]+]], [[ZERO]], 1036831949;
// CHECK: tanh.approx.f32 {{.*}}, [[Y]];
gpu.module @constant {
  llvm.func @constant(%p: !llvm.ptr) attributes {nvvm.kernel} {
    %0 = llvm.mlir.constant(0.6875 : f32) : f32
    %1 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%0) : (f32) -> f32
    llvm.store %1, %p : f32, !llvm.ptr
    %2 = llvm.mlir.constant(0.1 : f32) : f32
    %3 = llvm.intr.tanh(%2) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
    %4 = llvm.getelementptr %p[4] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.store %3, %4 : f32, !llvm.ptr
    llvm.return
  }
}

// So does one that a loop makes of constants, which ptxas unrolls; the unit
// works once where it does not change.
// CHECK-LABEL: .entry rounds(
// CHECK: xor.b32
// CHECK: rsqrt.approx
// CHECK: $L__BB
// CHECK: xor.b32 [[X:%r[0-9]+]], %r
// CHECK: lg2.approx.f32 {{.*}}, [[X]];
// CHECK: bra
gpu.module @rounds {
  llvm.func @rounds(%p: !llvm.ptr) attributes {nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %end = llvm.mlir.constant(1000 : i32) : i32
    %c = llvm.mlir.constant(3.0 : f32) : f32
    llvm.br ^loop(%zero : i32)
  ^loop(%i: i32):
    %f = llvm.sitofp %i : i32 to f32
    %0 = llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"(%f) : (f32) -> f32
    %1 = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%c) : (f32) -> f32
    %2 = llvm.fmul %0, %1 : f32
    %at = llvm.getelementptr %p[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %2, %at : f32, !llvm.ptr
    %next = llvm.add %i, %one : i32
    %more = llvm.icmp "slt" %next, %end : i32
    llvm.cond_br %more, ^loop(%next : i32), ^done
  ^done:
    llvm.return
  }
}

// What is read, or comes from the thread's place, is no constant; the reciprocal
// that a quotient starts from does not show in it.
// CHECK-LABEL: .entry read(
// CHECK-NOT: nctaid
// CHECK: ret;
gpu.module @read {
  llvm.func @read(%p: !llvm.ptr) attributes {nvvm.kernel} {
    %0 = llvm.load %p : !llvm.ptr -> f32
    %1 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%0) : (f32) -> f32
    %2 = nvvm.read.ptx.sreg.tid.x : i32
    %3 = llvm.sitofp %2 : i32 to f32
    %4 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%3) : (f32) -> f32
    %5 = llvm.mlir.constant(3.0 : f32) : f32
    %6 = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%5) : (f32) -> f32
    %7 = llvm.fadd %1, %4 : f32
    %8 = llvm.fadd %7, %6 : f32
    llvm.store %8, %p : f32, !llvm.ptr
    llvm.return
  }
}
