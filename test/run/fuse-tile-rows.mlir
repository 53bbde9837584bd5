// What a product's tile reduces by rows is what separate kernels would: a
// softmax of part of the columns that a tile has, and heads.
//
// RUN: mlopt-opt %s -pass-pipeline='builtin.module(func.func(mlopt-fuse{wgmma=true}))' -o %t.mlir
// RUN: FileCheck %s --check-prefix=FUSED --input-file=%t.mlir
// RUN: mlopt-run %t.mlir --device=cpu --oracle | FileCheck %s
// RUN: %if sm_90 %{ mlopt-run %t.mlir --device=cuda --oracle --repeat=3 | FileCheck %s %}
// FUSED: kernels = 2 :
// FUSED-COUNT-3: mlopt.row}
// CHECK: right: 3 of 3 comparisons
func.func @main(%a: tensor<200x64xbf16>, %b: tensor<36x64xbf16>, %c: tensor<96x64xbf16>)
    -> (tensor<200x36xf32>, tensor<200x3x32xbf16>, tensor<200x3xf32>) {
  %0 = mlopt.dot %a, %b contract [1] x [1] {mlopt.fuse = {group = "a", keep = "together"}} : (tensor<200x64xbf16>, tensor<36x64xbf16>) -> tensor<200x36xf32>
  %1 = mlopt.reduce max %0 dims [1] : (tensor<200x36xf32>) -> tensor<200xf32>
  %2 = mlopt.broadcast %1 dims [0] : tensor<200xf32> -> tensor<200x36xf32>
  %3 = mlopt.sub %0, %2 : tensor<200x36xf32>
  %4 = mlopt.exp %3 : tensor<200x36xf32>
  %5 = mlopt.reduce add %4 dims [1] : (tensor<200x36xf32>) -> tensor<200xf32>
  %6 = mlopt.broadcast %5 dims [0] : tensor<200xf32> -> tensor<200x36xf32>
  %7 = mlopt.div %4, %6 {mlopt.fuse = {group = "a", keep = "together"}} : tensor<200x36xf32>
  %8 = mlopt.dot %a, %c contract [1] x [1] {mlopt.fuse = {group = "b", keep = "together"}} : (tensor<200x64xbf16>, tensor<96x64xbf16>) -> tensor<200x96xf32>
  %9 = mlopt.reshape %8 : tensor<200x96xf32> -> tensor<200x3x32xf32>
  %10 = mlopt.reduce max %9 dims [2] {mlopt.fuse = {group = "b", keep = "together"}} : (tensor<200x3x32xf32>) -> tensor<200x3xf32>
  %11 = mlopt.broadcast %10 dims [0, 1] : tensor<200x3xf32> -> tensor<200x3x32xf32>
  %12 = mlopt.sub %9, %11 : tensor<200x3x32xf32>
  %13 = mlopt.convert %12 {mlopt.fuse = {group = "b", keep = "together"}} : tensor<200x3x32xf32> -> tensor<200x3x32xbf16>
  return %7, %13, %10 : tensor<200x36xf32>, tensor<200x3x32xbf16>, tensor<200x3xf32>
}
