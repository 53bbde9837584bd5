// The oracle accumulates in f64, so that it shows what f32 loses: 2^24 + 1 - 2^24
// is 0 in f32 and 1 exactly.
//
// RUN: %make_npz %t.npz in0:f4:3:16777216,1,-16777216
// RUN: mlopt-run %s --inputs=%t.npz | FileCheck %s --check-prefix=PLAIN
// RUN: %exits 1 mlopt-run %s --inputs=%t.npz --oracle | FileCheck %s
// RUN: mlopt-run %s --oracle --seed=1 | FileCheck %s --check-prefix=RANDOM
//
// --tolerance is for --expect alone.
// RUN: %exits 1 mlopt-run %s --inputs=%t.npz --oracle --tolerance=10

// PLAIN: out0 tensor<f32>: 0
// CHECK: oracle out0 tensor<f32>: WRONG in 1 of 1 elements, first at []: 0 where 1 is expected
// RANDOM: oracle out0 tensor<f32>: right
func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
  %0 = mlopt.reduce add %x dims [0] : (tensor<3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
