// RUN: mlopt-opt %s -split-input-file -verify-diagnostics

func.func @scan_dim(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.scan' op 'dim' is dimension 2, which is not in [0, 2)}}
  %0 = mlopt.scan add %x dim 2 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @scan_kind(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.scan' op needs a kind or a region}}
  %0 = mlopt.scan %x, %x dim 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @scan_region_yield(%x: tensor<2x4xf32>, %v: tensor<f32>) {
  %0 = mlopt.scan %x, %v dim 1 : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32> {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{'mlopt.yield' op must yield 1 values, but has 2}}
    mlopt.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @scan_region_type(%x: tensor<2x4xf32>, %v: tensor<f32>) {
  %0 = mlopt.scan %x, %v dim 1 : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = mlopt.convert %a : f32 -> f16
    // expected-error @+1 {{'mlopt.yield' op operand #0 has not the type that 'mlopt.scan' needs}}
    mlopt.yield %c : f16
  }
  return
}

// -----

func.func @scan_region_end(%x: tensor<2x4xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{'mlopt.scan' op has a region that does not end in mlopt.yield}}
  %0 = mlopt.scan %x, %v dim 1 : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32> {
  ^bb0(%a: f32, %b: f32):
    llvm.unreachable
  }
  return
}

// -----

func.func @scan_region_blocks(%x: tensor<2x4xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{'mlopt.scan' op expects a region of exactly one block}}
  %0 = mlopt.scan %x, %v dim 1 : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32> {
  ^bb0(%a: f32, %b: f32):
    cf.br ^bb1
  ^bb1:
    mlopt.yield %a : f32
  }
  return
}

// -----

func.func @sort_of_nothing() {
  // expected-error @+1 {{'mlopt.sort' op needs at least one operand}}
  mlopt.sort dim 0 : () -> ()
  return
}

// -----

func.func @sort_shapes(%x: tensor<2x4xf32>, %y: tensor<2x5xf32>) {
  // expected-error @+1 {{'mlopt.sort' op operand #1 has another shape than operand #0}}
  %0:2 = mlopt.sort %x, %y dim 0 : (tensor<2x4xf32>, tensor<2x5xf32>) -> (tensor<2x4xf32>, tensor<2x5xf32>)
  return
}

// -----

func.func @sort_dim(%x: tensor<f32>) {
  // expected-error @+1 {{'mlopt.sort' op 'dim' is dimension 0, which is not in [0, 0)}}
  %0 = mlopt.sort %x dim 0 : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @sort_keys(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.sort' op needs 1 to 1 keys, but 'num_keys' is 2}}
  %0 = mlopt.sort %x dim 0 keys 2 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @sort_runs(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.sort' op needs a power of two, 1 at least, but 'from' is 3}}
  %0 = mlopt.sort %x dim 1 from 3 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @sort_no_longer_runs(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.sort' op needs a power of two, 4 at least, but 'to' is 2}}
  %0 = mlopt.sort %x dim 1 from 2 to 2 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @sort_weak_order(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.sort' op has 'weak_order', but no region}}
  %0 = mlopt.sort %x dim 1 weak_order : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @sort_two_orders(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.sort' op has a region, which says the order, and 'descending'}}
  %0 = mlopt.sort %x dim 0 descending : (tensor<2x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = mlopt.compare lt, %a, %b : f32
    mlopt.yield %c : i1
  }
  return
}

// -----

func.func @sort_region(%x: tensor<2x4xf32>) {
  %0 = mlopt.sort %x dim 0 : (tensor<2x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{'mlopt.yield' op operand #0 has not the type that 'mlopt.sort' needs}}
    mlopt.yield %a : f32
  }
  return
}

// -----

func.func @counted_keys(%x: tensor<2x4xi32>, %c: tensor<2x2x1xi32>) {
  // expected-error @+1 {{'mlopt.sort' op has 'counted', but no region}}
  %0 = mlopt.sort %x, %c dim 1 counted 4 : (tensor<2x4xi32>, tensor<2x2x1xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @counted_columns(%x: tensor<2x4xi32>, %c: tensor<2x2x1xi32>) {
  // expected-error @+1 {{'mlopt.sort' op is counted along dimension 0, not the last of 2}}
  %0 = mlopt.sort %x, %c dim 0 counted 4 : (tensor<2x4xi32>, tensor<2x2x1xi32>) -> tensor<2x4xi32> {
  ^bb0(%a: i32, %b: i32):
    %d = arith.cmpi ult, %a, %b : i32
    mlopt.yield %d : i1
  }
  return
}

// -----

func.func @counted_by_nothing(%x: tensor<2x4xi32>, %c: tensor<2x2x1xi32>) {
  // expected-error @+1 {{'mlopt.sort' op needs a chunk of at least 1 row, but 'counted' is 0}}
  %0 = mlopt.sort %x, %c dim 1 counted 0 : (tensor<2x4xi32>, tensor<2x2x1xi32>) -> tensor<2x4xi32> {
  ^bb0(%a: i32, %b: i32):
    %d = arith.cmpi ult, %a, %b : i32
    mlopt.yield %d : i1
  }
  return
}

// -----

func.func @counted_too_few(%x: tensor<2x5xi32>, %c: tensor<2x2x1xi32>) {
  // expected-error @+1 {{'mlopt.sort' op needs counts of i32 for each line, value and chunk of 4 rows as its last operand}}
  %0 = mlopt.sort %x, %c dim 1 counted 4 : (tensor<2x5xi32>, tensor<2x2x1xi32>) -> tensor<2x5xi32> {
  ^bb0(%a: i32, %b: i32):
    %d = arith.cmpi ult, %a, %b : i32
    mlopt.yield %d : i1
  }
  return
}
