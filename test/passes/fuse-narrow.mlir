// RUN: mlopt-opt %s -split-input-file --mlopt-fuse | FileCheck %s

// What the second kernel needs of the first is computed again from the one
// bf16 value that both have in common, not stored in f32.
// CHECK-LABEL: func.func @kept_for_gradients
// CHECK-SAME: kernels = 3
// CHECK: mlopt.fusion
// CHECK-SAME: -> (tensor<1024x512xbf16>, tensor<1024x512xbf16>)
// CHECK: mlopt.dot
// CHECK: mlopt.tanh
// CHECK: mlopt.fusion
// CHECK: mlopt.fusion
// CHECK-NOT: 1024x512xf32>,
// CHECK-SAME: -> tensor<1024x512xbf16>
// CHECK: mlopt.tanh
func.func @kept_for_gradients(%x: tensor<1024x256xbf16>, %w: tensor<512x256xbf16>, %b: tensor<512xbf16>, %v: tensor<256x512xbf16>) -> (tensor<1024x256xbf16>, tensor<1024x512xbf16>) {
  %p = mlopt.dot %x, %w contract [1] x [1] : (tensor<1024x256xbf16>, tensor<512x256xbf16>) -> tensor<1024x512xf32>
  %f = mlopt.convert %b : tensor<512xbf16> -> tensor<512xf32>
  %c = mlopt.broadcast %f dims [1] : tensor<512xf32> -> tensor<1024x512xf32>
  %s = mlopt.add %p, %c : tensor<1024x512xf32>
  %n = mlopt.convert %s : tensor<1024x512xf32> -> tensor<1024x512xbf16>
  %h = mlopt.convert %n : tensor<1024x512xbf16> -> tensor<1024x512xf32>
  %t = mlopt.tanh %h : tensor<1024x512xf32>
  %m = mlopt.mul %h, %t : tensor<1024x512xf32>
  %g = mlopt.convert %m : tensor<1024x512xf32> -> tensor<1024x512xbf16>
  %y = mlopt.dot %g, %v contract [1] x [1] : (tensor<1024x512xbf16>, tensor<256x512xbf16>) -> tensor<1024x256xbf16>
  %d = mlopt.dot %y, %v contract [1] x [0] : (tensor<1024x256xbf16>, tensor<256x512xbf16>) -> tensor<1024x512xf32>
  %e = mlopt.mul %d, %t : tensor<1024x512xf32>
  %q = mlopt.add %e, %h : tensor<1024x512xf32>
  %r = mlopt.convert %q : tensor<1024x512xf32> -> tensor<1024x512xbf16>
  return %y, %r : tensor<1024x256xbf16>, tensor<1024x512xbf16>
}

// -----

// A product that its readers round to bf16 first is stored so, and what it is
// then converted to again is not stored at all.
// CHECK-LABEL: func.func @rounded
// CHECK-SAME: kernels = 2
// CHECK: mlopt.fusion
// CHECK-SAME: -> tensor<1024x512xbf16>
// CHECK: mlopt.dot
// CHECK: mlopt.fusion
// CHECK: mlopt.reduce
func.func @rounded(%x: tensor<1024x256xbf16>, %w: tensor<512x256xbf16>) -> (tensor<1024x512xbf16>, tensor<1024xf32>) {
  %p = mlopt.dot %x, %w contract [1] x [1] : (tensor<1024x256xbf16>, tensor<512x256xbf16>) -> tensor<1024x512xf32>
  %n = mlopt.convert %p : tensor<1024x512xf32> -> tensor<1024x512xbf16>
  %h = mlopt.convert %n : tensor<1024x512xbf16> -> tensor<1024x512xf32>
  %s = mlopt.reduce add %h dims [1] : (tensor<1024x512xf32>) -> tensor<1024xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<1024xf32> -> tensor<1024x512xf32>
  %d = mlopt.sub %h, %b : tensor<1024x512xf32>
  %r = mlopt.convert %d : tensor<1024x512xf32> -> tensor<1024x512xbf16>
  return %r, %s : tensor<1024x512xbf16>, tensor<1024xf32>
}

// -----

// What the second kernel needs before it is rounded stays in f32.
// CHECK-LABEL: func.func @wide
// CHECK-SAME: kernels = 2
// CHECK: mlopt.fusion
// CHECK-SAME: -> (tensor<1024x512xf32>, tensor<1024x512xbf16>)
// CHECK: mlopt.dot
// CHECK: mlopt.fusion
// CHECK-SAME: 1024x512xf32
// CHECK: mlopt.reduce
func.func @wide(%x: tensor<1024x256xbf16>, %w: tensor<512x256xbf16>) -> (tensor<1024x512xbf16>, tensor<1024xf32>) {
  %p = mlopt.dot %x, %w contract [1] x [1] : (tensor<1024x256xbf16>, tensor<512x256xbf16>) -> tensor<1024x512xf32>
  %n = mlopt.convert %p : tensor<1024x512xf32> -> tensor<1024x512xbf16>
  %s = mlopt.reduce add %p dims [1] : (tensor<1024x512xf32>) -> tensor<1024xf32>
  return %n, %s : tensor<1024x512xbf16>, tensor<1024xf32>
}
