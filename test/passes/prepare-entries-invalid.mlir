// RUN: mlopt-opt %s --mlopt-prepare-entries --split-input-file --verify-diagnostics

// expected-error @below {{argument 1 is no ranked tensor of static shape}}
func.func @dynamic(%x: tensor<4xf32>, %y: tensor<?xf32>) {
  return
}

// -----

// expected-error @below {{result 0 is no ranked tensor of static shape}}
func.func @scalar(%x: tensor<f32>) -> f32 {
  %0 = tensor.extract %x[] : tensor<f32>
  return %0 : f32
}

// -----

// expected-error @below {{argument 0 has 17 dimensions, more than 16}}
func.func @rank(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  return
}

// -----

// expected-error @below {{'external' has no body}}
func.func private @external(tensor<f32>)

// -----

// All faults of a module are told at once.
// expected-error @below {{argument 0 is no ranked tensor of static shape}}
func.func @first(%x: index) {
  return
}
// expected-error @below {{result 0 is no ranked tensor of static shape}}
func.func @second() -> i32 {
  %0 = arith.constant 1 : i32
  return %0 : i32
}
