// RUN: mlopt-opt %s -split-input-file -verify-diagnostics

// Operations of StableHLO whose bodies or windows do not verify.

func.func @if_empty(%x: tensor<2x3xf32>, %p: tensor<i1>) {
  // expected-error @below {{'stablehlo.if' op region 0 is empty}}
  %0 = "stablehlo.if"(%p) ({}, {
    stablehlo.return %x : tensor<2x3xf32>
  }) : (tensor<i1>) -> tensor<2x3xf32>
  return
}

// -----

func.func @if_terminator(%x: tensor<2x3xf32>, %p: tensor<i1>) {
  // expected-error @below {{'stablehlo.if' op region 0 must end in stablehlo.return}}
  %0 = "stablehlo.if"(%p) ({
    "llvm.unreachable"() : () -> ()
  }, {
    stablehlo.return %x : tensor<2x3xf32>
  }) : (tensor<i1>) -> tensor<2x3xf32>
  return
}

// -----

func.func @if_arguments(%x: tensor<2x3xf32>, %p: tensor<i1>) {
  // expected-error @below {{'stablehlo.if' op region 0 has 1 arguments, but needs 0}}
  %0 = "stablehlo.if"(%p) ({
  ^bb0(%a: tensor<2x3xf32>):
    stablehlo.return %a : tensor<2x3xf32>
  }, {
    stablehlo.return %x : tensor<2x3xf32>
  }) : (tensor<i1>) -> tensor<2x3xf32>
  return
}

// -----

func.func @if_returns_nothing(%x: tensor<2x3xf32>, %p: tensor<i1>) {
  // expected-error @below {{'stablehlo.if' op region 0 returns 0 values, but needs 1}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    stablehlo.return %x : tensor<2x3xf32>
  }) : (tensor<i1>) -> tensor<2x3xf32>
  return
}

// -----

func.func @if_returns_other(%x: tensor<2x3xf32>, %p: tensor<i1>) {
  // expected-error @below {{'stablehlo.if' op region 0 returns another type than result 0}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %p : tensor<i1>
  }, {
    stablehlo.return %x : tensor<2x3xf32>
  }) : (tensor<i1>) -> tensor<2x3xf32>
  return
}

// -----

func.func @if_one_branch(%x: tensor<2x3xf32>, %p: tensor<i1>) {
  // expected-error @below {{'stablehlo.if' op requires 2 region(s), but has 1}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2x3xf32>
  }) : (tensor<i1>) -> tensor<2x3xf32>
  return
}

// -----

func.func @if_predicate(%x: tensor<2x3xf32>, %p: tensor<1xi1>) {
  // expected-error @below {{'stablehlo.if' op the operand must be a scalar tensor}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2x3xf32>
  }, {
    stablehlo.return %x : tensor<2x3xf32>
  }) : (tensor<1xi1>) -> tensor<2x3xf32>
  return
}

// -----

func.func @case_no_branch(%p: tensor<i32>) {
  // expected-error @below {{'stablehlo.case' op needs a branch}}
  "stablehlo.case"(%p) : (tensor<i32>) -> ()
  return
}

// -----

func.func @while_argument_count(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.while' op region 0 has 0 arguments, but needs 1}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0:
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<2x3xf32>):
    stablehlo.return %a : tensor<2x3xf32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @while_argument_type(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.while' op argument 0 of region 0 has another type than operand 0}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<f32>):
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<2x3xf32>):
    stablehlo.return %a : tensor<2x3xf32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @while_condition(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.while' op the condition must return a tensor<i1>}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<2x3xf32>):
    stablehlo.return %a : tensor<2x3xf32>
  }, {
  ^bb0(%a: tensor<2x3xf32>):
    stablehlo.return %a : tensor<2x3xf32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @while_condition_count(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.while' op region 0 returns 0 values, but needs 1}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<2x3xf32>):
    stablehlo.return
  }, {
  ^bb0(%a: tensor<2x3xf32>):
    stablehlo.return %a : tensor<2x3xf32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @while_body(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.while' op region 1 returns 0 values, but needs 1}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<2x3xf32>):
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<2x3xf32>):
    stablehlo.return
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reduce_operands(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.reduce' op needs inputs and as many initial values, but has 1 operands}}
  %0 = "stablehlo.reduce"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_results(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce' op has 1 inputs but 0 results}}
  "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> ()
  return
}

// -----

func.func @reduce_dims(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce' op dimensions has dimension 2, out of range for a tensor of rank 2}}
  %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_dims_twice(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce' op dimensions has dimension 0 twice}}
  %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0, 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_init(%x: tensor<2x3xf32>, %i: tensor<1xf32>) {
  // expected-error @below {{'stablehlo.reduce' op initial value 0 must be a scalar tensor}}
  %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_result(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce' op a result has size 2 in dimension 0, but must have 3}}
  %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_body_arguments(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce' op region 0 has 1 arguments, but needs 2}}
  %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_body_results(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce' op region 0 returns 2 values, but needs 1}}
  %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_body_scalar(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce' op argument 0 of region 0 must be a scalar tensor}}
  %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<1xf32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_body_value(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce' op value 0 that region 0 returns must be a scalar tensor}}
  %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.reshape %a : (tensor<f32>) -> tensor<1xf32>
    stablehlo.return %1 : tensor<1xf32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_body_elements(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce' op region 0 combines other elements than result 0 has}}
  %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xi32>
  return
}

// -----

func.func @reduce_narrower(%x: tensor<2x3xf64>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce' op the elements that result 0 combines cannot hold those of its operands}}
  %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf64>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_input_shapes(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce' op the inputs have different shapes}}
  %0:2 = "stablehlo.reduce"(%x, %y, %i, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @window_count(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce_window' op attribute 'window_dimensions' has 1 entries, but needs 2}}
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @window_size(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce_window' op attribute 'window_dimensions' has the entry 0, but the least is 1}}
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2, 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @window_stride(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce_window' op attribute 'window_strides' has the entry 0, but the least is 1}}
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @window_padding(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce_window' op attribute 'padding' must have the shape 2x2}}
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2, 3>, padding = dense<0> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @window_result(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce_window' op a result has size 1 in dimension 0, but must have 2}}
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @select_and_scatter_result(%x: tensor<2x3xf32>, %s: tensor<1x1xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.select_and_scatter' op the operand and the result have different shapes}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 2, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<1x1xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @select_and_scatter_init(%x: tensor<2x3xf32>, %s: tensor<1x1xf32>) {
  // expected-error @below {{'stablehlo.select_and_scatter' op the initial value must be a scalar tensor}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %s) <{window_dimensions = array<i64: 2, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @select_and_scatter_source(%x: tensor<2x3xf32>, %s: tensor<2x1xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.select_and_scatter' op the source has size 2 in dimension 0, but must have 1}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 2, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @map_dimensions(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.map' op attribute 'dimensions' must be 0, 1, 2, ...}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @map_argument(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.map' op argument 0 of region 0 has other elements than operand 0}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @map_value(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.map' op region 0 returns a value of the wrong type}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @sort_nothing() {
  // expected-error @below {{'stablehlo.sort' op needs an operand}}
  "stablehlo.sort"() ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : () -> ()
  return
}

// -----

func.func @sort_dimension(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.sort' op has dimension 2, out of range for a tensor of rank 2}}
  %0 = "stablehlo.sort"(%x) <{dimension = 2 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @sort_shapes(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{'stablehlo.sort' op the operands have different shapes}}
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @scan_arguments(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @below {{'chlo.scan' op region 0 has 1 arguments, but needs 2}}
  %0:2 = "chlo.scan"(%x, %i) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<2xf32>):
    stablehlo.return %a, %a : tensor<2xf32>, tensor<2xf32>
  }) : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return
}

// -----

func.func @scan_results(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @below {{'chlo.scan' op region 0 returns 1 values, but needs 2}}
  %0:2 = "chlo.scan"(%x, %i) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    stablehlo.return %a : tensor<2xf32>
  }) : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return
}

// -----

func.func @scan_segments(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @below {{'chlo.scan' op attribute 'operandSegmentSizes' must be two sizes that add up to 2}}
  %0:2 = "chlo.scan"(%x, %i) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 2>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    stablehlo.return %a, %b : tensor<2xf32>, tensor<2xf32>
  }) : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return
}
