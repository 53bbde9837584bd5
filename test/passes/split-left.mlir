// RUN: mlopt-opt %s -pass-pipeline='builtin.module(func.func(mlopt-split-reductions))' | FileCheck %s

// What fills no piece: reduced with the pieces' results where it is little.

#id1 = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
#nothing = affine_map<(d0, d1) -> ()>

// CHECK-DAG: #[[LEFT:.*]] = affine_map<(d0, d1, d2) -> (d0 + d1 + 262063, d2)>
// CHECK-DAG: #[[INDEX:.*]] = affine_map<(d0, d1) -> (d0 + d1 + 2999808)>

// A column's are as many as 128.
// CHECK-LABEL: func.func @columns
// CHECK:       %[[P:.*]] = mlopt.fusion
// CHECK-SAME:    -> tensor<521x128xf32>
// CHECK:       mlopt.fusion (%[[X:.*]] = %{{.*}} : tensor<262181x128xf32>, %[[S:.*]] = %[[P]] : tensor<521x128xf32>) -> tensor<128xf32>
// CHECK:         %[[ALL:.*]] = linalg.generic {indexing_maps = [#[[LEFT]]{{.*}} ins(%[[X]], {{.*}} outs({{.*}} : tensor<118x128xf32>)
// CHECK:         %[[A:.*]] = tensor.insert_slice %[[S]] into %{{.*}}[0, 0] [521, 128] [1, 1]
// CHECK-NEXT:    %[[B:.*]] = tensor.insert_slice %[[ALL]] into %[[A]][521, 0] [118, 128] [1, 1]
// CHECK:         linalg.generic {{.*}}["reduction", "parallel"]} ins(%[[B]] :
// CHECK-NOT:   mlopt.fusion
func.func @columns(%x: tensor<262181x128xf32>) -> tensor<128xf32> {
  %r = mlopt.fusion (%ax = %x : tensor<262181x128xf32>) -> tensor<128xf32> {
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %out = linalg.generic {indexing_maps = [#id2, #col], iterator_types = ["reduction", "parallel"]} ins(%ax : tensor<262181x128xf32>) outs(%zero : tensor<128xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %s = arith.addf %acc, %v : f32
      linalg.yield %s : f32
    } -> tensor<128xf32>
    mlopt.yield %out : tensor<128xf32>
  }
  return %r : tensor<128xf32>
}

// Where an element stands is part of it.
// CHECK-LABEL: func.func @places
// CHECK:       mlopt.fusion
// CHECK:       mlopt.fusion
// CHECK:         linalg.generic {indexing_maps = [#[[INDEX]]
// CHECK:           %[[I:.*]] = linalg.index 0
// CHECK:           arith.constant 2999808 : index
// CHECK:         tensor.insert_slice
// CHECK-NOT:   mlopt.fusion
func.func @places(%x: tensor<3000017xf32>) -> tensor<f32> {
  %r = mlopt.fusion (%ax = %x : tensor<3000017xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %out = linalg.generic {indexing_maps = [#id1, #none], iterator_types = ["reduction"]} ins(%ax : tensor<3000017xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%v: f32, %acc: f32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i32
      %f = arith.sitofp %j : i32 to f32
      %p = arith.mulf %v, %f : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    mlopt.yield %out : tensor<f32>
  }
  return %r : tensor<f32>
}

// Sums of exponentials: each element's with its own, both behind those of the
// pieces.
// CHECK-LABEL: func.func @streamed
// CHECK:       %[[P:.*]]:2 = mlopt.fusion
// CHECK-SAME:    -> (tensor<[[N:[0-9]+]]xf32>, tensor<[[N]]xf32>)
// CHECK:       mlopt.fusion
// CHECK-SAME:    = %[[P]]#0 : tensor<[[N]]xf32>
// CHECK-SAME:    = %[[P]]#1 : tensor<[[N]]xf32>
// CHECK:           math.exp
// CHECK:         tensor.insert_slice {{.*}}[0] [[[N]]] [1]
// CHECK:         tensor.insert_slice {{.*}}[[[N]]] [{{[0-9]+}}] [1]
// CHECK:           arith.maximumf
// CHECK:         tensor.insert_slice {{.*}}[[[N]]] [{{[0-9]+}}] [1]
// CHECK:           math.exp
// CHECK-NEXT:      arith.mulf
// CHECK-NOT:   mlopt.fusion
func.func @streamed(%x: tensor<16777213xf32>) -> (tensor<f32>, tensor<f32>) {
  %r:2 = mlopt.fusion (%ax = %x : tensor<16777213xf32>) -> (tensor<f32>, tensor<f32>) {
    %low = arith.constant dense<0xFF800000> : tensor<f32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %max = linalg.generic {indexing_maps = [#id1, #none], iterator_types = ["reduction"]} ins(%ax : tensor<16777213xf32>) outs(%low : tensor<f32>) {
    ^bb0(%v: f32, %acc: f32):
      %m = arith.maximumf %acc, %v : f32
      linalg.yield %m : f32
    } -> tensor<f32>
    %sum = linalg.generic {indexing_maps = [#id1, #none, #none], iterator_types = ["reduction"]} ins(%ax, %max : tensor<16777213xf32>, tensor<f32>) outs(%zero : tensor<f32>) {
    ^bb0(%v: f32, %l: f32, %acc: f32):
      %d = arith.subf %v, %l : f32
      %e = math.exp %d : f32
      %s = arith.addf %acc, %e : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    mlopt.yield %max, %sum : tensor<f32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// Of columns they are two kernels behind the pieces, and the rest is one more.
// CHECK-LABEL: func.func @streamed_columns
// CHECK:       %[[P:.*]]:2 = mlopt.fusion
// CHECK:       %[[REST:.*]]:2 = mlopt.fusion
// CHECK-SAME:    -> (tensor<1x40xf32>, tensor<1x40xf32>)
// CHECK:       mlopt.fusion
// CHECK:       mlopt.fusion
// CHECK-NOT:   mlopt.fusion
func.func @streamed_columns(%x: tensor<131101x40xf32>) -> (tensor<40xf32>, tensor<40xf32>) {
  %r:2 = mlopt.fusion (%ax = %x : tensor<131101x40xf32>) -> (tensor<40xf32>, tensor<40xf32>) {
    %low = arith.constant dense<0xFF800000> : tensor<40xf32>
    %zero = arith.constant dense<0.0> : tensor<40xf32>
    %max = linalg.generic {indexing_maps = [#id2, #col], iterator_types = ["reduction", "parallel"]} ins(%ax : tensor<131101x40xf32>) outs(%low : tensor<40xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %m = arith.maximumf %acc, %v : f32
      linalg.yield %m : f32
    } -> tensor<40xf32>
    %sum = linalg.generic {indexing_maps = [#id2, #col, #col], iterator_types = ["reduction", "parallel"]} ins(%ax, %max : tensor<131101x40xf32>, tensor<40xf32>) outs(%zero : tensor<40xf32>) {
    ^bb0(%v: f32, %l: f32, %acc: f32):
      %d = arith.subf %v, %l : f32
      %e = math.exp %d : f32
      %s = arith.addf %acc, %e : f32
      linalg.yield %s : f32
    } -> tensor<40xf32>
    mlopt.yield %max, %sum : tensor<40xf32>, tensor<40xf32>
  }
  return %r#0, %r#1 : tensor<40xf32>, tensor<40xf32>
}

// Columns of narrow elements keep a kernel for the rest, since strips would be
// as wide for the pieces' results.
// CHECK-LABEL: func.func @narrow_columns
// CHECK:       %[[P:.*]] = mlopt.fusion
// CHECK:       %[[REST:.*]] = mlopt.fusion
// CHECK-SAME:    -> tensor<1x96xf32>
// CHECK:       mlopt.fusion ({{.*}} = %[[P]] : tensor<{{[0-9]+}}x96xf32>, {{.*}} = %[[REST]] : tensor<1x96xf32>) -> tensor<96xf32>
func.func @narrow_columns(%x: tensor<262147x96xbf16>) -> tensor<96xf32> {
  %r = mlopt.fusion (%ax = %x : tensor<262147x96xbf16>) -> tensor<96xf32> {
    %zero = arith.constant dense<0.0> : tensor<96xf32>
    %out = linalg.generic {indexing_maps = [#id2, #col], iterator_types = ["reduction", "parallel"]} ins(%ax : tensor<262147x96xbf16>) outs(%zero : tensor<96xf32>) {
    ^bb0(%v: bf16, %acc: f32):
      %w = arith.extf %v : bf16 to f32
      %s = arith.addf %acc, %w : f32
      linalg.yield %s : f32
    } -> tensor<96xf32>
    mlopt.yield %out : tensor<96xf32>
  }
  return %r : tensor<96xf32>
}

// Where no length of about as many pieces leaves little, it is a piece.
// CHECK-LABEL: func.func @much
// CHECK:       %[[P:.*]] = mlopt.fusion
// CHECK:       %[[REST:.*]] = mlopt.fusion
// CHECK-SAME:    -> tensor<1xf32>
// CHECK:       mlopt.fusion ({{.*}} = %[[P]] : tensor<[[N:[0-9]+]]xf32>, {{.*}} = %[[REST]] : tensor<1xf32>) -> tensor<f32>
func.func @much(%x: tensor<2987707xf32>) -> tensor<f32> {
  %r = mlopt.fusion (%ax = %x : tensor<2987707xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %out = linalg.generic {indexing_maps = [#id1, #none], iterator_types = ["reduction"]} ins(%ax : tensor<2987707xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%v: f32, %acc: f32):
      %s = arith.addf %acc, %v : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    mlopt.yield %out : tensor<f32>
  }
  return %r : tensor<f32>
}

// So it is where its elements are reduced themselves.
// CHECK-LABEL: func.func @rows
// CHECK:       %[[P:.*]] = mlopt.fusion
// CHECK-SAME:    -> tensor<435xf32>
// CHECK:       %[[REST:.*]] = mlopt.fusion
// CHECK-SAME:    -> tensor<1xf32>
// CHECK:       mlopt.fusion ({{.*}} = %[[P]] : tensor<435xf32>, {{.*}} = %[[REST]] : tensor<1xf32>) -> tensor<f32>
func.func @rows(%x: tensor<10007x700xf32>) -> tensor<f32> {
  %r = mlopt.fusion (%ax = %x : tensor<10007x700xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %out = linalg.generic {indexing_maps = [#id2, #nothing], iterator_types = ["reduction", "reduction"]} ins(%ax : tensor<10007x700xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%v: f32, %acc: f32):
      %s = arith.addf %acc, %v : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    mlopt.yield %out : tensor<f32>
  }
  return %r : tensor<f32>
}
