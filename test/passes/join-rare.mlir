// RUN: mlopt-opt %s -mlopt-join-rare | FileCheck %s

// The usual cases are computed first, then one branch puts in the rare ones.
// CHECK-LABEL: func.func @two
// CHECK-SAME:  (%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[P:.*]]: i1, %[[Q:.*]]: i1)
// CHECK:       %[[U:.*]] = arith.addf %[[X]], %[[X]]
// CHECK:       %[[V:.*]] = arith.addf %[[Y]], %[[Y]]
// CHECK:       %[[ANY:.*]] = arith.ori %[[P]], %[[Q]]
// CHECK:       %[[R:.*]]:2 = scf.if %[[ANY]]
// CHECK:         %[[XX:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK:         %[[A:.*]] = arith.select %[[P]], %[[XX]], %[[U]]
// CHECK:         %[[YY:.*]] = arith.mulf %[[Y]], %[[Y]]
// CHECK:         %[[B:.*]] = arith.select %[[Q]], %[[YY]], %[[V]]
// CHECK:         scf.yield %[[A]], %[[B]]
// CHECK:       } else {
// CHECK:         scf.yield %[[U]], %[[V]]
// CHECK:       return %[[R]]#0, %[[R]]#1
func.func @two(%x: f32, %y: f32, %p: i1, %q: i1) -> (f32, f32) {
  %0 = scf.if %p -> f32 {
    %r = arith.mulf %x, %x : f32
    scf.yield %r : f32
  } else {
    %u = arith.addf %x, %x : f32
    scf.yield %u : f32
  } {rare}
  %1 = scf.if %q -> f32 {
    %r = arith.mulf %y, %y : f32
    scf.yield %r : f32
  } else {
    %u = arith.addf %y, %y : f32
    scf.yield %u : f32
  } {rare}
  return %0, %1 : f32, f32
}

// A rare side that is right everywhere is taken by all, if by any.
// CHECK-LABEL: func.func @right
// CHECK-SAME:  (%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[P:.*]]: i1, %[[Q:.*]]: i1)
// CHECK-NEXT:  %[[ANY:.*]] = arith.ori %[[P]], %[[Q]]
// CHECK-NEXT:  scf.if %[[ANY]]
// CHECK-NEXT:    %[[XX:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT:    %[[YY:.*]] = arith.mulf %[[Y]], %[[Y]]
// CHECK-NEXT:    scf.yield %[[XX]], %[[YY]]
// CHECK-NEXT:  } else {
// CHECK-NEXT:    %[[U:.*]] = arith.addf %[[X]], %[[X]]
// CHECK-NEXT:    %[[V:.*]] = arith.addf %[[Y]], %[[Y]]
// CHECK-NEXT:    scf.yield %[[U]], %[[V]]
func.func @right(%x: f32, %y: f32, %p: i1, %q: i1) -> (f32, f32) {
  %0 = scf.if %p -> f32 {
    %r = arith.mulf %x, %x : f32
    scf.yield %r : f32
  } else {
    %u = arith.addf %x, %x : f32
    scf.yield %u : f32
  } {rare, right_everywhere}
  %1 = scf.if %q -> f32 {
    %r = arith.mulf %y, %y : f32
    scf.yield %r : f32
  } else {
    %u = arith.addf %y, %y : f32
    scf.yield %u : f32
  } {rare, right_everywhere}
  return %0, %1 : f32, f32
}

// The two kinds are not joined with each other.
// CHECK-LABEL: func.func @kinds
// CHECK-COUNT-2: scf.if
func.func @kinds(%x: f32, %p: i1, %q: i1) -> (f32, f32) {
  %0 = scf.if %p -> f32 {
    %r = arith.mulf %x, %x : f32
    scf.yield %r : f32
  } else {
    scf.yield %x : f32
  } {rare, right_everywhere}
  %1 = scf.if %q -> f32 {
    %r = arith.addf %x, %x : f32
    scf.yield %r : f32
  } else {
    scf.yield %x : f32
  } {rare}
  return %0, %1 : f32, f32
}

// A branch that needs another's result comes after it; stores keep their order.
// CHECK-LABEL: func.func @chain
// CHECK:       scf.if
// CHECK:       llvm.store
// CHECK:       scf.if
// CHECK:       llvm.store
func.func @chain(%x: f32, %p: i1, %to: !llvm.ptr) {
  %0 = scf.if %p -> f32 {
    %r = arith.mulf %x, %x : f32
    scf.yield %r : f32
  } else {
    scf.yield %x : f32
  } {rare}
  llvm.store %0, %to : f32, !llvm.ptr
  %1 = scf.if %p -> f32 {
    %r = arith.mulf %0, %0 : f32
    scf.yield %r : f32
  } else {
    scf.yield %0 : f32
  } {rare}
  llvm.store %1, %to : f32, !llvm.ptr
  return
}

// Other branches stay apart.
// CHECK-LABEL: func.func @usual_branches
// CHECK-COUNT-2: scf.if
func.func @usual_branches(%x: f32, %p: i1, %q: i1) -> (f32, f32) {
  %0 = scf.if %p -> f32 {
    %r = arith.mulf %x, %x : f32
    scf.yield %r : f32
  } else {
    scf.yield %x : f32
  }
  %1 = scf.if %q -> f32 {
    %r = arith.mulf %x, %x : f32
    scf.yield %r : f32
  } else {
    scf.yield %x : f32
  }
  return %0, %1 : f32, f32
}
