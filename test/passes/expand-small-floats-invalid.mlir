// RUN: mlopt-opt %s --pass-pipeline='builtin.module(func.func(mlopt-expand-small-floats))' \
// RUN:   --split-input-file --verify-diagnostics

// f32 would call an f16 denormal normal.
func.func @isnormal(%x: f16) -> i1 {
  // expected-error @below {{failed to legalize operation 'math.isnormal'}}
  %0 = math.isnormal %x : f16
  return %0 : i1
}

// -----

func.func @rounding_mode(%x: f32) -> bf16 {
  // expected-error @below {{failed to legalize operation 'arith.truncf'}}
  %0 = arith.truncf %x downward : f32 to bf16
  return %0 : bf16
}

// -----

func.func @vector(%x: vector<4xbf16>) -> vector<4xbf16> {
  // expected-error @below {{failed to legalize operation 'arith.addf'}}
  %0 = arith.addf %x, %x : vector<4xbf16>
  return %0 : vector<4xbf16>
}
