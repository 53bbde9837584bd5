// RUN: mlopt-opt %s -mlopt-pack-pairs | FileCheck %s

// A chain between two words is computed on pairs, constants included.
// CHECK-LABEL: llvm.func @chain
// CHECK:       %[[X:.*]] = llvm.bitcast %{{.*}} : i32 to vector<2xbf16>
// CHECK-NOT:   : bf16
// CHECK:       %[[S:.*]] = arith.addf %[[X]], %{{.*}} : vector<2xbf16>
// CHECK-NOT:   llvm.extractelement
// CHECK:       %[[P:.*]] = arith.mulf %[[S]], %[[S]] : vector<2xbf16>
// CHECK:       llvm.bitcast %[[P]] : vector<2xbf16> to i32
llvm.func @chain(%word: i32) -> i32 {
  %n0 = llvm.mlir.constant(0 : i32) : i32
  %n1 = llvm.mlir.constant(1 : i32) : i32
  %c = arith.constant 1.5 : bf16
  %x = llvm.bitcast %word : i32 to vector<2xbf16>
  %x0 = llvm.extractelement %x[%n0 : i32] : vector<2xbf16>
  %x1 = llvm.extractelement %x[%n1 : i32] : vector<2xbf16>
  %s0 = arith.addf %x0, %c : bf16
  %p0 = arith.mulf %s0, %s0 : bf16
  %s1 = arith.addf %x1, %c : bf16
  %p1 = arith.mulf %s1, %s1 : bf16
  %v = llvm.mlir.poison : vector<2xbf16>
  %v0 = llvm.insertelement %p0, %v[%n0 : i32] : vector<2xbf16>
  %v1 = llvm.insertelement %p1, %v0[%n1 : i32] : vector<2xbf16>
  %result = llvm.bitcast %v1 : vector<2xbf16> to i32
  llvm.return %result : i32
}

// A function without a packed form takes the halves apart, and only it does.
// CHECK-LABEL: llvm.func @between
// CHECK:       %[[S:.*]] = arith.addf %{{.*}} : vector<2xf16>
// CHECK-DAG:   %[[S0:.*]] = llvm.extractelement %[[S]]
// CHECK-DAG:   %[[S1:.*]] = llvm.extractelement %[[S]]
// CHECK-DAG:   %[[T0:.*]] = math.tanh %[[S0]] : f16
// CHECK-DAG:   %[[T1:.*]] = math.tanh %[[S1]] : f16
// CHECK-NOT:   math.tanh
// CHECK-DAG:   llvm.insertelement %[[T0]]
// CHECK-DAG:   llvm.insertelement %[[T1]]
// CHECK:       arith.negf %{{.*}} : vector<2xf16>
llvm.func @between(%word: i32) -> i32 {
  %n0 = llvm.mlir.constant(0 : i32) : i32
  %n1 = llvm.mlir.constant(1 : i32) : i32
  %x = llvm.bitcast %word : i32 to vector<2xf16>
  %x0 = llvm.extractelement %x[%n0 : i32] : vector<2xf16>
  %x1 = llvm.extractelement %x[%n1 : i32] : vector<2xf16>
  %s0 = arith.addf %x0, %x0 : f16
  %t0 = math.tanh %s0 : f16
  %r0 = arith.negf %t0 : f16
  %s1 = arith.addf %x1, %x1 : f16
  %t1 = math.tanh %s1 : f16
  %r1 = arith.negf %t1 : f16
  %v = llvm.mlir.poison : vector<2xf16>
  %v0 = llvm.insertelement %r0, %v[%n0 : i32] : vector<2xf16>
  %v1 = llvm.insertelement %r1, %v0[%n1 : i32] : vector<2xf16>
  %result = llvm.bitcast %v1 : vector<2xf16> to i32
  llvm.return %result : i32
}

// Two roundings of f32 are one.
// CHECK-LABEL: llvm.func @round
// CHECK-NOT:   arith.truncf
// CHECK:       llvm.fptrunc %{{.*}} : vector<2xf32> to vector<2xbf16>
llvm.func @round(%x: f32, %y: f32) -> i32 {
  %n0 = llvm.mlir.constant(0 : i32) : i32
  %n1 = llvm.mlir.constant(1 : i32) : i32
  %r0 = arith.truncf %x : f32 to bf16
  %r1 = arith.truncf %y : f32 to bf16
  %v = llvm.mlir.poison : vector<2xbf16>
  %v0 = llvm.insertelement %r0, %v[%n0 : i32] : vector<2xbf16>
  %v1 = llvm.insertelement %r1, %v0[%n1 : i32] : vector<2xbf16>
  %result = llvm.bitcast %v1 : vector<2xbf16> to i32
  llvm.return %result : i32
}

// Lanes that differ stay scalars.
// CHECK-LABEL: llvm.func @different
// CHECK:       arith.addf %{{.*}} : bf16
// CHECK:       arith.mulf %{{.*}} : bf16
llvm.func @different(%word: i32) -> i32 {
  %n0 = llvm.mlir.constant(0 : i32) : i32
  %n1 = llvm.mlir.constant(1 : i32) : i32
  %x = llvm.bitcast %word : i32 to vector<2xbf16>
  %x0 = llvm.extractelement %x[%n0 : i32] : vector<2xbf16>
  %x1 = llvm.extractelement %x[%n1 : i32] : vector<2xbf16>
  %p0 = arith.addf %x0, %x0 : bf16
  %p1 = arith.mulf %x1, %x1 : bf16
  %v = llvm.mlir.poison : vector<2xbf16>
  %v0 = llvm.insertelement %p0, %v[%n0 : i32] : vector<2xbf16>
  %v1 = llvm.insertelement %p1, %v0[%n1 : i32] : vector<2xbf16>
  %result = llvm.bitcast %v1 : vector<2xbf16> to i32
  llvm.return %result : i32
}

// Two signed bytes of one word become bf16 without a conversion of integers.
// CHECK-LABEL: llvm.func @bytes
// CHECK-NOT:   arith.sitofp
// CHECK:       %[[S:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK:       arith.subf %{{.*}} : vector<2xbf16>
// CHECK-NOT:   arith.sitofp
// CHECK:       llvm.return
llvm.func @bytes(%word: i32) -> i32 {
  %n0 = llvm.mlir.constant(0 : i32) : i32
  %n1 = llvm.mlir.constant(1 : i32) : i32
  %c16 = arith.constant 16 : i32
  %c24 = arith.constant 24 : i32
  %a = arith.shrui %word, %c16 : i32
  %b = arith.shrui %word, %c24 : i32
  %x0 = arith.trunci %a : i32 to i8
  %x1 = arith.trunci %b : i32 to i8
  %f0 = arith.sitofp %x0 : i8 to bf16
  %f1 = arith.sitofp %x1 : i8 to bf16
  %v = llvm.mlir.poison : vector<2xbf16>
  %v0 = llvm.insertelement %f0, %v[%n0 : i32] : vector<2xbf16>
  %v1 = llvm.insertelement %f1, %v0[%n1 : i32] : vector<2xbf16>
  %result = llvm.bitcast %v1 : vector<2xbf16> to i32
  llvm.return %result : i32
}

// Unsigned ones are converted as they are.
// CHECK-LABEL: llvm.func @unsigned_bytes
// CHECK-COUNT-2: arith.uitofp
// CHECK:       llvm.return
llvm.func @unsigned_bytes(%word: i32) -> i32 {
  %n0 = llvm.mlir.constant(0 : i32) : i32
  %n1 = llvm.mlir.constant(1 : i32) : i32
  %c8 = arith.constant 8 : i32
  %b = arith.shrui %word, %c8 : i32
  %x0 = arith.trunci %word : i32 to i8
  %x1 = arith.trunci %b : i32 to i8
  %f0 = arith.uitofp %x0 : i8 to bf16
  %f1 = arith.uitofp %x1 : i8 to bf16
  %v = llvm.mlir.poison : vector<2xbf16>
  %v0 = llvm.insertelement %f0, %v[%n0 : i32] : vector<2xbf16>
  %v1 = llvm.insertelement %f1, %v0[%n1 : i32] : vector<2xbf16>
  %result = llvm.bitcast %v1 : vector<2xbf16> to i32
  llvm.return %result : i32
}

// Likewise floats of eight bits, NaN among them.
// CHECK-LABEL: llvm.func @small_floats
// CHECK-NOT:   arith.extf
// CHECK:       llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK:       arith.mulf %{{.*}} : vector<2xbf16>
// CHECK:       llvm.intr.fma
// CHECK-NOT:   arith.extf
// CHECK:       llvm.return
llvm.func @small_floats(%word: i32) -> i32 {
  %n0 = llvm.mlir.constant(0 : i32) : i32
  %n1 = llvm.mlir.constant(1 : i32) : i32
  %c8 = arith.constant 8 : i32
  %b = arith.shrui %word, %c8 : i32
  %i0 = arith.trunci %word : i32 to i8
  %i1 = arith.trunci %b : i32 to i8
  %x0 = arith.bitcast %i0 : i8 to f8E4M3FN
  %x1 = arith.bitcast %i1 : i8 to f8E4M3FN
  %f0 = arith.extf %x0 : f8E4M3FN to bf16
  %f1 = arith.extf %x1 : f8E4M3FN to bf16
  %v = llvm.mlir.poison : vector<2xbf16>
  %v0 = llvm.insertelement %f0, %v[%n0 : i32] : vector<2xbf16>
  %v1 = llvm.insertelement %f1, %v0[%n1 : i32] : vector<2xbf16>
  %result = llvm.bitcast %v1 : vector<2xbf16> to i32
  llvm.return %result : i32
}
