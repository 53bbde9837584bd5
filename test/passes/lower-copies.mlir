// RUN: mlopt-opt %s --pass-pipeline='builtin.module(func.func(mlopt-lower-copies))' | FileCheck %s

// CHECK-LABEL: func.func @to_strided
// CHECK-SAME: (%[[A:.*]]: memref<2x2xf32>, %[[B:.*]]: memref<2x2xf32, strided<[8, 1]>>)
func.func @to_strided(%a: memref<2x2xf32>,
                      %b: memref<2x2xf32, strided<[8, 1]>>) {
  // CHECK: linalg.copy ins(%[[A]] : {{.*}}) outs(%[[B]] : {{.*}})
  // CHECK-NOT: memref.copy
  memref.copy %a, %b : memref<2x2xf32> to memref<2x2xf32, strided<[8, 1]>>
  return
}

// CHECK-LABEL: func.func @from_strided
// CHECK: linalg.copy
func.func @from_strided(%a: memref<2xi1, strided<[2], offset: ?>>,
                        %b: memref<2xi1>) {
  memref.copy %a, %b : memref<2xi1, strided<[2], offset: ?>> to memref<2xi1>
  return
}

// A copy without gaps becomes a memcpy.
// CHECK-LABEL: func.func @dense
// CHECK: memref.copy
// CHECK-NOT: linalg.copy
func.func @dense(%a: memref<2x2xf32>, %b: memref<2x2xf32>) {
  memref.copy %a, %b : memref<2x2xf32> to memref<2x2xf32>
  return
}
