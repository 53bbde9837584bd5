// A product in pieces that are added up is the product: rows along the
// contracted dimension, across it, a batch, and two products of one kernel.
//
// RUN: mlopt-opt %s -pass-pipeline='builtin.module(func.func(mlopt-fuse{wgmma=true}))' -o %t.mlir
// RUN: FileCheck %s --check-prefix=FUSED --input-file=%t.mlir
// RUN: mlopt-run %t.mlir --device=cpu --oracle | FileCheck %s
// FUSED-COUNT-4: mlopt.dot {{.*}}x40x48xf32>
// CHECK: right: 4 of 4 comparisons
func.func @main(%a: tensor<40x8192xbf16>, %b: tensor<48x8192xbf16>, %c: tensor<8192x40xbf16>, %d: tensor<2x40x8192xbf16>, %e: tensor<48x2x8192xbf16>, %f: tensor<48x8192xbf16>)
    -> (tensor<40x48xbf16>, tensor<40x48xf32>, tensor<2x40x48xbf16>, tensor<40x48xbf16>) {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<40x8192xbf16>, tensor<48x8192xbf16>) -> tensor<40x48xbf16>
  %1 = mlopt.dot %c, %b contract [0] x [1] : (tensor<8192x40xbf16>, tensor<48x8192xbf16>) -> tensor<40x48xf32>
  %2 = mlopt.dot %d, %e batch [0] x [1] contract [2] x [2] : (tensor<2x40x8192xbf16>, tensor<48x2x8192xbf16>) -> tensor<2x40x48xbf16>
  %3 = mlopt.dot %a, %f contract [1] x [1] : (tensor<40x8192xbf16>, tensor<48x8192xbf16>) -> tensor<40x48xbf16>
  return %0, %1, %2, %3 : tensor<40x48xbf16>, tensor<40x48xf32>, tensor<2x40x48xbf16>, tensor<40x48xbf16>
}
