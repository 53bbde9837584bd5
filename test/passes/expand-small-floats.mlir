// RUN: mlopt-opt %s --pass-pipeline='builtin.module(func.func(linalg-generalize-named-ops,mlopt-expand-small-floats))' \
// RUN:   | FileCheck %s
// RUN: mlopt-opt %s --pass-pipeline='builtin.module(mlopt-to-cpu)' \
// RUN:   | mlir-translate --mlir-to-llvmir \
// RUN:   | FileCheck %s --check-prefix=LLVM \
// RUN:     --implicit-check-not='fptrunc {{.*}} to {{half|bfloat}}' \
// RUN:     --implicit-check-not='fpext {{half|bfloat}}' \
// RUN:     --implicit-check-not='itofp {{.*}} to {{half|bfloat}}' \
// RUN:     --implicit-check-not='fpto{{.*}} {{half|bfloat}}' \
// RUN:     --implicit-check-not='{{f[a-z]+}} {{half|bfloat}}'

// The sum is computed in f32 and rounded by its bits.
// CHECK-LABEL: func.func @add_bf16
// CHECK-SAME: (%[[A:.*]]: tensor<bf16>, %[[B:.*]]: tensor<bf16>)
// LLVM-LABEL: define void @mlopt.add_bf16
// LLVM: fadd nnan float
func.func @add_bf16(%a: tensor<bf16>, %b: tensor<bf16>) -> tensor<bf16> {
  // CHECK: %[[X:.*]] = tensor.extract %[[A]]
  // CHECK: %[[Y:.*]] = tensor.extract %[[B]]
  %x = tensor.extract %a[] : tensor<bf16>
  %y = tensor.extract %b[] : tensor<bf16>
  // CHECK: %[[XI:.*]] = arith.bitcast %[[X]] : bf16 to i16
  // CHECK: %[[XE:.*]] = arith.extui %[[XI]] : i16 to i32
  // CHECK: %[[XS:.*]] = arith.shli %[[XE]], %{{.*}} : i32
  // CHECK: %[[XF:.*]] = arith.bitcast %[[XS]] : i32 to f32
  // CHECK: %[[YF:.*]] = arith.bitcast %{{.*}} : i32 to f32
  // CHECK: %[[SUM:.*]] = arith.addf %[[XF]], %[[YF]] fastmath<nnan> : f32
  // CHECK-NOT: arith.truncf
  // CHECK: %[[RI:.*]] = arith.trunci %{{.*}} : i32 to i16
  // CHECK: %[[R:.*]] = arith.bitcast %[[RI]] : i16 to bf16
  // CHECK: tensor.from_elements %[[R]]
  %s = arith.addf %x, %y fastmath<nnan> : bf16
  %r = tensor.from_elements %s : tensor<bf16>
  return %r : tensor<bf16>
}

// Straight from f64: going through f32 would round twice.
// CHECK-LABEL: func.func @truncate_f64
// CHECK: arith.bitcast %{{.*}} : f64 to i64
// CHECK-NOT: f32
// CHECK: arith.bitcast %{{.*}} : i16 to f16
// LLVM-LABEL: define void @mlopt.truncate_f64
func.func @truncate_f64(%a: tensor<f64>) -> tensor<f16> {
  %x = tensor.extract %a[] : tensor<f64>
  %y = arith.truncf %x : f64 to f16
  %r = tensor.from_elements %y : tensor<f16>
  return %r : tensor<f16>
}

// Between small types through f32, which holds both.
// CHECK-LABEL: func.func @between
// CHECK-NOT: arith.{{extf|truncf}}
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.bitcast %{{.*}} : i8 to f8E5M2
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
// CHECK: return
// LLVM-LABEL: define void @mlopt.between
func.func @between(%a: tensor<f16>, %b: tensor<f8E4M3FN>)
    -> (tensor<f8E5M2>, tensor<bf16>) {
  %x = tensor.extract %a[] : tensor<f16>
  %y = arith.truncf %x : f16 to f8E5M2
  %r = tensor.from_elements %y : tensor<f8E5M2>
  %z = tensor.extract %b[] : tensor<f8E4M3FN>
  %w = arith.extf %z : f8E4M3FN to bf16
  %s = tensor.from_elements %w : tensor<bf16>
  return %r, %s : tensor<f8E5M2>, tensor<bf16>
}

// 64-bit integers keep a sticky bit on their way through f64; narrow ones are
// exact in f32.
// CHECK-LABEL: func.func @from_integers
// CHECK: arith.uitofp %{{.*}} : i64 to f64
// CHECK: arith.sitofp %{{.*}} : i8 to f32
// LLVM-LABEL: define void @mlopt.from_integers
func.func @from_integers(%a: tensor<i64>, %b: tensor<i8>)
    -> (tensor<bf16>, tensor<f16>) {
  %x = tensor.extract %a[] : tensor<i64>
  %y = arith.sitofp %x : i64 to bf16
  %r = tensor.from_elements %y : tensor<bf16>
  %z = tensor.extract %b[] : tensor<i8>
  %w = arith.sitofp %z : i8 to f16
  %s = tensor.from_elements %w : tensor<f16>
  return %r, %s : tensor<bf16>, tensor<f16>
}

// Comparisons, integer results and several results keep the other types.
// CHECK-LABEL: func.func @other_types
// CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK: arith.fptosi %{{.*}} : f32 to i32
// CHECK: math.fpowi %{{.*}}, %{{.*}} : f32, i32
// LLVM-LABEL: define void @mlopt.other_types
func.func @other_types(%a: tensor<f16>, %b: tensor<f16>)
    -> (tensor<i1>, tensor<i32>, tensor<f16>) {
  %x = tensor.extract %a[] : tensor<f16>
  %y = tensor.extract %b[] : tensor<f16>
  %lt = arith.cmpf olt, %x, %y : f16
  %i = arith.fptosi %x : f16 to i32
  %p = math.fpowi %x, %i : f16, i32
  %r = tensor.from_elements %lt : tensor<i1>
  %s = tensor.from_elements %i : tensor<i32>
  %t = tensor.from_elements %p : tensor<f16>
  return %r, %s, %t : tensor<i1>, tensor<i32>, tensor<f16>
}

// What only moves bits stays, and so does what computes on other types.
// CHECK-LABEL: func.func @moves
// CHECK-DAG: arith.constant 1.500000e+00 : bf16
// CHECK: arith.select %{{.*}} : bf16
// CHECK: arith.addf %{{.*}} : f32
// LLVM-LABEL: define void @mlopt.moves
func.func @moves(%c: tensor<i1>, %a: tensor<bf16>, %b: tensor<f32>)
    -> (tensor<bf16>, tensor<f32>) {
  %one = arith.constant 1.5 : bf16
  %cond = tensor.extract %c[] : tensor<i1>
  %x = tensor.extract %a[] : tensor<bf16>
  %y = arith.select %cond, %x, %one : bf16
  %r = tensor.from_elements %y : tensor<bf16>
  %z = tensor.extract %b[] : tensor<f32>
  %w = arith.addf %z, %z : f32
  %s = tensor.from_elements %w : tensor<f32>
  return %r, %s : tensor<bf16>, tensor<f32>
}

// CHECK-LABEL: func.func @matmul
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.addf %{{.*}} : f32
// LLVM-LABEL: define void @mlopt.matmul
// LLVM: fmul float
func.func @matmul(%a: tensor<4x4xbf16>, %b: tensor<4x4xbf16>,
                  %c: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  %r = linalg.matmul ins(%a, %b : tensor<4x4xbf16>, tensor<4x4xbf16>)
                     outs(%c : tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %r : tensor<4x4xbf16>
}
