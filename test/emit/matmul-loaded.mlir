// RUN: mlopt-opt %s -mlopt-to-gpu | FileCheck %s

// Of TF32 factors, one whose rows are of k is A, which consumers load into
// registers: 16 elements of a stage for each thread and slab.
// CHECK:       gpu.binary @left_kernel_0
// CHECK-COUNT-16: ld.shared.b32
// CHECK-NOT:   ld.shared.b32
// CHECK-COUNT-4: k8.f32.tf32.tf32 {{[^}]*}}}, {x{{[0-9]+}},x{{[0-9]+}},x{{[0-9]+}},x{{[0-9]+}}}, b, {{[a-z]+}}, 1, 1;
// CHECK:       func.func @left
// CHECK:         gpu.launch_func {{.*}} args(%arg0 : memref<256x512xf32>, %arg1
// CHECK-SAME:    box = array<i64: 32, 32>
// CHECK-SAME:    box = array<i64: 32, {{[0-9]+}}>
func.func @left(%a: tensor<256x512xf32>, %b: tensor<384x256xf32>) -> tensor<512x384xf32> attributes {mlopt.numerics = #mlopt.numerics<fast>} {
  %0 = mlopt.dot %a, %b contract [0] x [1] : (tensor<256x512xf32>, tensor<384x256xf32>) -> tensor<512x384xf32>
  return %0 : tensor<512x384xf32>
}

// The right one's product is computed the other way round.
// CHECK:       gpu.binary @right_kernel_0
// CHECK-COUNT-16: ld.shared.b32
// CHECK:       k8.f32.tf32.tf32 {{[^}]*}}}, {x
// CHECK:       func.func @right
// CHECK:         gpu.launch_func
// CHECK-NOT:     gpu.launch_func
func.func @right(%a: tensor<512x256xf32>, %b: tensor<256x384xf32>) -> tensor<512x384xf32> attributes {mlopt.numerics = #mlopt.numerics<fast>} {
  %0 = mlopt.dot %a, %b contract [1] x [0] : (tensor<512x256xf32>, tensor<256x384xf32>) -> tensor<512x384xf32>
  return %0 : tensor<512x384xf32>
}
