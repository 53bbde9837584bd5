// RUN: mlopt-opt %s -split-input-file -mlopt-serialize-to-ptx -verify-diagnostics

// LLVM would end the process at what its backend has no code for.

gpu.module @intrinsic {
  llvm.func @intrinsic(%x: f32, %p: !llvm.ptr) attributes {nvvm.kernel} {
    // expected-error @below {{'llvm.intr.exp' op cannot become PTX: LLVM has no code for it there}}
    %0 = llvm.intr.exp(%x) : (f32) -> f32
    llvm.store %0, %p : f32, !llvm.ptr
    llvm.return
  }
}

// -----

gpu.module @wide {
  llvm.func @wide(%x: f64, %p: !llvm.ptr) attributes {nvvm.kernel} {
    // expected-error @below {{cannot become PTX: LLVM has no code for it there on type 'f64'}}
    %0 = llvm.intr.exp2(%x) : (f64) -> f64
    llvm.store %0, %p : f64, !llvm.ptr
    llvm.return
  }
}

// -----

// The approximation is there, for those who ask for one.

gpu.module @exact {
  llvm.func @exact(%x: f32, %p: !llvm.ptr) attributes {nvvm.kernel} {
    %0 = llvm.intr.tanh(%x) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
    // expected-error @below {{cannot become PTX: LLVM has code for it there only with the flag 'afn'}}
    %1 = llvm.intr.tanh(%0) : (f32) -> f32
    llvm.store %1, %p : f32, !llvm.ptr
    llvm.return
  }
}

// -----

gpu.module @type {
  llvm.func @type(%p: !llvm.ptr) attributes {nvvm.kernel} {
    // expected-error @below {{'llvm.load' op cannot become PTX: it gives type 'i256'}}
    %0 = llvm.load %p : !llvm.ptr -> i256
    llvm.store %0, %p : i256, !llvm.ptr
    llvm.return
  }
}

// -----

gpu.module @conversion {
  llvm.func @conversion(%p: !llvm.ptr) attributes {nvvm.kernel} {
    %0 = llvm.load %p : !llvm.ptr -> i128
    %1 = llvm.udiv %0, %0 : i128
    // expected-error @below {{'llvm.uitofp' op cannot become PTX: LLVM has no code for it there on type 'i128'}}
    %2 = llvm.uitofp %1 : i128 to f64
    llvm.store %2, %p : f64, !llvm.ptr
    llvm.return
  }
}

// -----

gpu.module @call {
  llvm.func @expf(f32) -> f32
  llvm.func @call(%x: f32, %p: !llvm.ptr) attributes {nvvm.kernel} {
    // expected-error @below {{'llvm.call' op cannot become PTX: its module does not define @expf}}
    %0 = llvm.call @expf(%x) : (f32) -> f32
    llvm.store %0, %p : f32, !llvm.ptr
    llvm.return
  }
}

// -----

// expected-error @below {{'gpu.module' op cannot become PTX for sm_90a: its contents are not in the llvm dialect}}
gpu.module @dialect {
  llvm.func @dialect() attributes {nvvm.kernel} {
    // expected-error @below {{cannot be converted to LLVM IR}}
    %0 = arith.constant 1.0 : f32
    llvm.return
  }
}
