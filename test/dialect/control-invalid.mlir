// RUN: mlopt-opt %s -split-input-file -verify-diagnostics

func.func @no_body(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.fusion' op needs a body}}
  %0 = "mlopt.fusion"(%x) ({}) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @argument_count(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.fusion' op needs one region argument for each of 1 operands, but has 2}}
  %0 = "mlopt.fusion"(%x) ({
  ^bb0(%a: tensor<2x4xf32>, %b: tensor<2x4xf32>):
    mlopt.yield %a : tensor<2x4xf32>
  }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @argument_type(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.fusion' op region argument #0 has not the type of its operand}}
  %0 = "mlopt.fusion"(%x) ({
  ^bb0(%a: tensor<4x2xf32>):
    mlopt.yield %a : tensor<4x2xf32>
  }) : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @yield_count(%x: tensor<2x4xf32>) {
  %0 = mlopt.fusion (%a = %x : tensor<2x4xf32>) -> tensor<2x4xf32> {
    // expected-error @+1 {{'mlopt.yield' op must yield 1 values, but has 2}}
    mlopt.yield %a, %a : tensor<2x4xf32>, tensor<2x4xf32>
  }
  return
}

// -----

func.func @yield_type(%x: tensor<2x4xf32>) {
  %0 = mlopt.fusion (%a = %x : tensor<2x4xf32>) -> tensor<4x2xf32> {
    // expected-error @+1 {{'mlopt.yield' op operand #0 has not the type of the fusion's result}}
    mlopt.yield %a : tensor<2x4xf32>
  }
  return
}

// -----

func.func @other_terminator(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.fusion' op needs a region that ends in mlopt.yield}}
  %0 = mlopt.fusion (%a = %x : tensor<2x4xf32>) -> tensor<2x4xf32> {
    llvm.unreachable
  }
  return
}

// -----

func.func @value_from_outside(%x: tensor<2x4xf32>) {
  %0 = mlopt.exp %x : tensor<2x4xf32>
  // expected-note @+1 {{required by region isolation constraints}}
  %1 = "mlopt.fusion"() ({
    // expected-error @+1 {{'mlopt.yield' op using value defined outside the region}}
    mlopt.yield %0 : tensor<2x4xf32>
  }) : () -> tensor<2x4xf32>
  return
}

// -----

func.func @yield_outside(%x: tensor<2x4xf32>) {
  scf.execute_region {
    // expected-error @+1 {{'mlopt.yield' op must end a region of an mlopt operation}}
    mlopt.yield
  }
  return
}
