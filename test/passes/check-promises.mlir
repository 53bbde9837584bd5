// RUN: mlopt-opt %s --pass-pipeline='builtin.module(func.func(mlopt-fuse,mlopt-check-promises))' | FileCheck %s

// A promise that holds changes nothing, and stays.
// CHECK-LABEL: func.func @kept
// CHECK-SAME: mlopt.expect = {hbm_bytes = 128 : i64, kernels = 1 : i64}
// CHECK-SAME: mlopt.traffic = {hbm_bytes = 128 : i64, kernels = 1 : i64, least_bytes = 128 : i64}
func.func @kept(%x: tensor<16xf32>) -> tensor<16xf32>
    attributes {mlopt.expect = {kernels = 1, hbm_bytes = 128}} {
  %0 = mlopt.exp %x : tensor<16xf32>
  %1 = mlopt.neg %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}
