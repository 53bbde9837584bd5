// Sorts of lines that are too long for a block, and scatters of many windows.
//
// RUN: mlopt-opt %s --pass-pipeline='builtin.module(func.func(mlopt-split-reductions))' | FileCheck %s
// RUN: mlopt-opt %s --pass-pipeline='builtin.module(func.func(mlopt-split-reductions))' --mlir-print-op-generic | FileCheck %s --check-prefix=COUNT
// COUNT-COUNT-35: "mlopt.fusion"

// Runs of 4096 rows, then of twice as many. What is no key stays where it is:
// rows are numbered, and the last kernel reads it where the numbers say.
// CHECK-LABEL: @long(
// CHECK:         mlopt.fusion ({{.*}}) -> (tensor<2x10000xf32>, tensor<2x10000xi32>)
// CHECK:           mlopt.sort {{.*}} dim 1 to 4096 :
// CHECK:         mlopt.fusion ({{.*}}) -> (tensor<2x10000xf32>, tensor<2x10000xi32>)
// CHECK:           mlopt.sort {{.*}} dim 1 from 4096 to 8192 :
// CHECK:         mlopt.fusion ({{.*}}) -> tensor<2x10000xi64>
// CHECK:           mlopt.sort {{.*}} dim 1 from 8192 :
// CHECK:           tensor.extract
// CHECK:           mlopt.yield {{.*}} : tensor<2x10000xi64>
func.func @long(%x: tensor<2x10000xf32>, %i: tensor<2x10000xi64>) -> tensor<2x10000xi64> {
  %r = mlopt.fusion (%a = %x : tensor<2x10000xf32>, %n = %i : tensor<2x10000xi64>) -> tensor<2x10000xi64> {
    %s:2 = mlopt.sort %a, %n dim 1 : (tensor<2x10000xf32>, tensor<2x10000xi64>) -> (tensor<2x10000xf32>, tensor<2x10000xi64>) {
    ^bb0(%l: f32, %r: f32, %j: i64, %k: i64):
      %c = arith.cmpf olt, %l, %r : f32
      mlopt.yield %c : i1
    }
    mlopt.yield %s#1 : tensor<2x10000xi64>
  }
  return %r : tensor<2x10000xi64>
}

// What a comparator reads from outside comes along; so many keys leave room for
// shorter runs.
// CHECK-LABEL: @wide(
// CHECK:         arith.constant false
// CHECK:         mlopt.sort {{.*}} to 2048 :
// CHECK:         arith.constant false
// CHECK:         mlopt.sort {{.*}} from 2048 :
func.func @wide(%x: tensor<4096xf64>, %y: tensor<4096xi32>) -> tensor<4096xf64> {
  %r = mlopt.fusion (%a = %x : tensor<4096xf64>, %b = %y : tensor<4096xi32>) -> tensor<4096xf64> {
    %no = arith.constant false
    %s:2 = mlopt.sort %a, %b dim 0 : (tensor<4096xf64>, tensor<4096xi32>) -> (tensor<4096xf64>, tensor<4096xi32>) {
    ^bb0(%l: f64, %r: f64, %j: i32, %k: i32):
      %c = arith.cmpf olt, %l, %r : f64
      %g = arith.cmpf ogt, %l, %r : f64
      %i = arith.cmpi slt, %j, %k : i32
      %e = arith.select %g, %no, %i : i1
      %o = arith.ori %c, %e : i1
      mlopt.yield %o : i1
    }
    mlopt.yield %s#0 : tensor<4096xf64>
  }
  return %r : tensor<4096xf64>
}

// A narrow operand is no wider than a number and comes along.
// CHECK-LABEL: @narrow(
// CHECK:         mlopt.sort {{.*}} to 4096 : (tensor<5000xf32>, tensor<5000xbf16>)
// CHECK-NOT:     tensor.extract
func.func @narrow(%x: tensor<5000xf32>, %y: tensor<5000xbf16>) -> tensor<5000xbf16> {
  %r = mlopt.fusion (%a = %x : tensor<5000xf32>, %n = %y : tensor<5000xbf16>) -> tensor<5000xbf16> {
    %s:2 = mlopt.sort %a, %n dim 0 : (tensor<5000xf32>, tensor<5000xbf16>) -> (tensor<5000xf32>, tensor<5000xbf16>) {
    ^bb0(%l: f32, %r: f32, %j: bf16, %k: bf16):
      %c = arith.cmpf olt, %l, %r : f32
      mlopt.yield %c : i1
    }
    mlopt.yield %s#1 : tensor<5000xbf16>
  }
  return %r : tensor<5000xbf16>
}

// CHECK-LABEL: @short(
// CHECK:         mlopt.sort {{.*}} dim 0 :
func.func @short(%x: tensor<4096xi32>) -> tensor<4096xi32> {
  %r = mlopt.fusion (%a = %x : tensor<4096xi32>) -> tensor<4096xi32> {
    %s = mlopt.sort %a dim 0 : (tensor<4096xi32>) -> tensor<4096xi32> {
    ^bb0(%l: i32, %r: i32):
      %c = arith.cmpi slt, %l, %r : i32
      mlopt.yield %c : i1
    }
    mlopt.yield %s : tensor<4096xi32>
  }
  return %r : tensor<4096xi32>
}

// The rows' numbers are sorted, and the rows are read in that order; a row that
// is out of range becomes the one behind the last. All of them are numbers of 16
// bits, and so of two digits.
// CHECK-LABEL: @rows(
// CHECK:         mlopt.fusion ({{.*}}) -> tensor<256x10xi32>
// CHECK:           arith.constant 300 : i32
// CHECK:           arith.trunci {{.*}} : i32 to i16
// CHECK:         mlopt.sort {{.*}} counted 512 : (tensor<5000xi16>, tensor<5000xi32>, tensor<256x10xi32>)
// CHECK:         mlopt.sort {{.*}} counted 512 : (tensor<5000xi16>, tensor<5000xi32>, tensor<256x10xi32>)
// CHECK:         mlopt.fusion ({{.*}}) -> tensor<300x7xf32>
// CHECK:           tensor.extract
// CHECK:           mlopt.scatter {{.*}} update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 sorted_indices :
func.func @rows(%x: tensor<300x7xf32>, %i: tensor<5000x1xi64>, %u: tensor<5000x7xf32>) -> tensor<300x7xf32> {
  %r = mlopt.fusion (%a = %x : tensor<300x7xf32>, %n = %i : tensor<5000x1xi64>, %v = %u : tensor<5000x7xf32>) -> tensor<300x7xf32> {
    %s = mlopt.scatter %a, %n, %v update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<300x7xf32>, tensor<5000x1xi64>, tensor<5000x7xf32>) -> tensor<300x7xf32> {
    ^bb0(%old: f32, %new: f32):
      %c = arith.addf %old, %new : f32
      mlopt.yield %c : f32
    }
    mlopt.yield %s : tensor<300x7xf32>
  }
  return %r : tensor<300x7xf32>
}

// Two indices and a batch become three.
// CHECK-LABEL: @batched(
// CHECK:         mlopt.scatter {{.*}} inserted_window_dims [0, 1, 2] scatter_dims_to_operand_dims [0, 1, 2] index_vector_dim 1 sorted_indices : (tensor<4x9x8xi32>, tensor<4000x3xi32>, tensor<4000xi32>)
func.func @batched(%x: tensor<4x9x8xi32>, %i: tensor<2x4x1000xi32>, %u: tensor<4x1000xi32>) -> tensor<4x9x8xi32> {
  %r = mlopt.fusion (%a = %x : tensor<4x9x8xi32>, %n = %i : tensor<2x4x1000xi32>, %v = %u : tensor<4x1000xi32>) -> tensor<4x9x8xi32> {
    %s = mlopt.scatter %a, %n, %v inserted_window_dims [1, 2] input_batching_dims [0] scatter_indices_batching_dims [1] scatter_dims_to_operand_dims [2, 1] index_vector_dim 0 : (tensor<4x9x8xi32>, tensor<2x4x1000xi32>, tensor<4x1000xi32>) -> tensor<4x9x8xi32> {
    ^bb0(%old: i32, %new: i32):
      mlopt.yield %new : i32
    }
    mlopt.yield %s : tensor<4x9x8xi32>
  }
  return %r : tensor<4x9x8xi32>
}

// Windows that may overlap in part stay as they are, and so do few.
// CHECK-LABEL: @overlapping(
// CHECK-NOT:     sorted_indices
func.func @overlapping(%x: tensor<300x8xf32>, %i: tensor<5000x2xi64>, %u: tensor<5000x2xf32>) -> tensor<300x8xf32> {
  %r = mlopt.fusion (%a = %x : tensor<300x8xf32>, %n = %i : tensor<5000x2xi64>, %v = %u : tensor<5000x2xf32>) -> tensor<300x8xf32> {
    %s = mlopt.scatter %a, %n, %v update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0, 1] index_vector_dim 1 : (tensor<300x8xf32>, tensor<5000x2xi64>, tensor<5000x2xf32>) -> tensor<300x8xf32> {
    ^bb0(%old: f32, %new: f32):
      mlopt.yield %new : f32
    }
    mlopt.yield %s : tensor<300x8xf32>
  }
  return %r : tensor<300x8xf32>
}
// CHECK-LABEL: @few(
// CHECK-NOT:     sorted_indices
func.func @few(%x: tensor<300xf32>, %i: tensor<2047x1xi64>, %u: tensor<2047xf32>) -> tensor<300xf32> {
  %r = mlopt.fusion (%a = %x : tensor<300xf32>, %n = %i : tensor<2047x1xi64>, %v = %u : tensor<2047xf32>) -> tensor<300xf32> {
    %s = mlopt.scatter %a, %n, %v inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<300xf32>, tensor<2047x1xi64>, tensor<2047xf32>) -> tensor<300xf32> {
    ^bb0(%old: f32, %new: f32):
      mlopt.yield %new : f32
    }
    mlopt.yield %s : tensor<300xf32>
  }
  return %r : tensor<300xf32>
}

// Many rows of one key are sorted by one digit after the other: its rows are
// counted in each chunk, the counts added up, and then each row has its place.
// Signed numbers are made such that they compare as unsigned ones.
// CHECK-LABEL: @digits(
// CHECK:         mlopt.fusion ({{.*}}) -> tensor<256x245xi32>
// CHECK:           linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:             arith.xori {{.*}} : i16
// CHECK:             arith.cmpi eq
// CHECK:         mlopt.fusion ({{.*}}) -> tensor<256x245xi32>
// CHECK:           mlopt.scan {{.*}} dim 1 :
// CHECK:         mlopt.fusion ({{.*}}) -> (tensor<500001xi16>, tensor<500001xi8>)
// CHECK:           mlopt.sort {{.*}} dim 0 weak_order counted 2048 : (tensor<500001xi16>, tensor<500001xi8>, tensor<256x245xi32>)
// CHECK:             arith.xori
// CHECK-NOT:         arith.shrui
// CHECK:             arith.cmpi ult
// CHECK:         mlopt.fusion ({{.*}}) -> tensor<256x245xi32>
// CHECK:           arith.shrui
// CHECK:         mlopt.scan
// CHECK:         mlopt.sort {{.*}} counted 2048
// CHECK:           arith.shrui
// CHECK-NOT:     mlopt.sort
// CHECK:         return
func.func @digits(%x: tensor<500001xi16>, %y: tensor<500001xi8>) -> tensor<500001xi8> {
  %r = mlopt.fusion (%a = %x : tensor<500001xi16>, %b = %y : tensor<500001xi8>) -> tensor<500001xi8> {
    %s:2 = mlopt.sort %a, %b dim 0 : (tensor<500001xi16>, tensor<500001xi8>) -> (tensor<500001xi16>, tensor<500001xi8>) {
    ^bb0(%l: i16, %r: i16, %j: i8, %k: i8):
      %c = arith.cmpi slt, %l, %r : i16
      mlopt.yield %c : i1
    }
    mlopt.yield %s#1 : tensor<500001xi8>
  }
  return %r : tensor<500001xi8>
}

// Two rows are compared the other way round, by the same function of both, which
// comes along; NaNs go in front, and zeros of both signs are equal.
// CHECK-LABEL: @digits_of_function(
// CHECK:         mlopt.sort {{.*}} counted
// CHECK:           arith.mulf
// CHECK:           arith.cmpf oeq
// CHECK:           arith.cmpf uno
// CHECK:           arith.mulf
// CHECK:           arith.cmpi ult
func.func @digits_of_function(%x: tensor<500001xf16>) -> tensor<500001xf16> {
  %r = mlopt.fusion (%a = %x : tensor<500001xf16>) -> tensor<500001xf16> {
    %two = arith.constant 2.0 : f16
    %s = mlopt.sort %a dim 0 : (tensor<500001xf16>) -> tensor<500001xf16> {
    ^bb0(%l: f16, %r: f16):
      %m = arith.mulf %l, %two : f16
      %n = arith.mulf %r, %two : f16
      %o = arith.cmpf ord, %n, %n : f16
      %u = arith.cmpf ult, %n, %m : f16
      %c = arith.andi %o, %u : i1
      mlopt.yield %c : i1
    }
    mlopt.yield %s : tensor<500001xf16>
  }
  return %r : tensor<500001xf16>
}

// A comparator of different functions, or lines that lie across, are merged; so
// is what a program says is counted already.
// CHECK-LABEL: @no_digits(
// CHECK-NOT:     counted
// CHECK:         return
func.func @no_digits(%x: tensor<20001xi16>, %c: tensor<4x3xi32>) -> tensor<20001xi16> {
  %r = mlopt.fusion (%a = %x : tensor<20001xi16>, %b = %c : tensor<4x3xi32>) -> tensor<20001xi16> {
    %s = mlopt.sort %a, %b dim 0 counted 8192 : (tensor<20001xi16>, tensor<4x3xi32>) -> tensor<20001xi16> {
    ^bb0(%l: i16, %r: i16):
      %one = arith.constant 1 : i16
      %m = arith.addi %l, %one : i16
      %c0 = arith.cmpi slt, %m, %r : i16
      mlopt.yield %c0 : i1
    }
    mlopt.yield %s : tensor<20001xi16>
  }
  return %r : tensor<20001xi16>
}
