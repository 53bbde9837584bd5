// RUN: mlopt-opt %s -split-input-file -verify-diagnostics -mlopt-outline-kernels

func.func @unknown(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'math.exp' op cannot run on a GPU: it is not part of a launch plan}}
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @+1 {{'func.func' op cannot run on a GPU: an argument or result is no tensor of static shape}}
func.func @scalar(%x: f32) {
  return
}

// -----

func.func @carries_scalar(%n: tensor<i1>) {
  %zero = arith.constant 0 : i32
  // expected-error @+1 {{'scf.while' op cannot run on a GPU: it carries a scalar}}
  %0 = scf.while (%i = %zero) : (i32) -> i32 {
    %c = tensor.extract %n[] : tensor<i1>
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    scf.yield %i : i32
  }
  return
}
