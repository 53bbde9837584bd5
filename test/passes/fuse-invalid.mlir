// RUN: mlopt-opt %s -split-input-file -verify-diagnostics --mlopt-fuse

func.func @together_with_dot(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @below {{'mlopt.exp' op cannot be in one kernel with the others of group 'a': a dot reads its factors from memory: in its kernel, what computes them would run again for every tile}}
  %0 = mlopt.exp %x {mlopt.fuse = {group = "a", keep = "together"}} : tensor<16x16xf32>
  %1 = mlopt.dot %0, %x contract [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %2 = mlopt.neg %1 {mlopt.fuse = {group = "a", keep = "together"}} : tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}

// -----

func.func @other_rows(%x: tensor<16x32xf32>) -> (tensor<16xf32>, tensor<32xf32>) {
  // expected-error @below {{'mlopt.reduce' op cannot be in one kernel with the others of group 'rows': the reductions would go over different rows or columns}}
  %0 = mlopt.reduce add %x dims [1] {mlopt.fuse = {group = "rows", keep = "together"}} : (tensor<16x32xf32>) -> tensor<16xf32>
  %1 = mlopt.reduce add %x dims [0] {mlopt.fuse = {group = "rows", keep = "together"}} : (tensor<16x32xf32>) -> tensor<32xf32>
  return %0, %1 : tensor<16xf32>, tensor<32xf32>
}

// -----

func.func @other_blocks(%c: i1, %x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = mlopt.exp %x {mlopt.fuse = {group = "a", keep = "together"}} : tensor<16xf32>
  %1 = scf.if %c -> tensor<16xf32> {
    // expected-error @below {{'mlopt.neg' op cannot be in one kernel with the others of group 'a': they are in different blocks}}
    %2 = mlopt.neg %0 {mlopt.fuse = {group = "a", keep = "together"}} : tensor<16xf32>
    scf.yield %2 : tensor<16xf32>
  } else {
    scf.yield %0 : tensor<16xf32>
  }
  return %1 : tensor<16xf32>
}

// -----

func.func @both(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = mlopt.exp %x {mlopt.fuse = {group = "a", keep = "together"}} : tensor<16xf32>
  // expected-error @below {{'mlopt.neg' op group 'a' is kept together and apart}}
  %1 = mlopt.neg %0 {mlopt.fuse = {group = "a", keep = "apart"}} : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

func.func @lever(%x: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @below {{'mlopt.exp' op attribute 'mlopt.fuse' must be {group = "name", keep = "together" or "apart"}}}
  %0 = mlopt.exp %x {mlopt.fuse = {group = "a", keep = "close"}} : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// expected-error @below {{'func.func' op attribute 'mlopt.expect' must be a dictionary of kernels, hbm_bytes (i64, at least 0), tensor_cores (a unit)}}
func.func private @expect() attributes {mlopt.expect = {kernel = 1}}

// -----

// expected-error @below {{'func.func' op attribute 'mlopt.traffic' must be a dictionary of kernels, hbm_bytes, least_bytes (i64, at least 0)}}
func.func private @traffic() attributes {mlopt.traffic = {kernels = 1, hbm_bytes = -1, least_bytes = 0}}

// -----

func.func @ledger(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'mlopt.fusion' op attribute 'mlopt.ledger' must be an array of {operand, reason, bytes}}}
  %r = mlopt.fusion (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %0 = mlopt.exp %a : tensor<4xf32>
    mlopt.yield %0 : tensor<4xf32>
  } {mlopt.ledger = [{operand = 0}]}
  return %r : tensor<4xf32>
}
