// RUN: mlopt-opt %s -pass-pipeline='builtin.module(func.func(mlopt-split-reductions))' | FileCheck %s

#id1 = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// CHECK-DAG: #[[PIECE:.*]] = affine_map<(d0, d1) -> (d0 * 32768 + d1)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2) -> (d0 * 128 + d1, d2)>

// Blocks sum pieces, one sums what they found. The first sum starts
// from the neutral element, the second from where the program does.
// CHECK-LABEL: func.func @sum
// CHECK:       %[[P:.*]] = mlopt.fusion
// CHECK-SAME:    -> tensor<8192xf32>
// CHECK:         dense<-0.000000e+00>
// CHECK:         linalg.generic {indexing_maps = [#[[PIECE]]
// CHECK-SAME:    ["parallel", "reduction"]
// CHECK:       mlopt.fusion ({{.*}} = %[[P]] : tensor<8192xf32>) -> tensor<f32>
// CHECK:         dense<1.000000e+00>
// CHECK:         linalg.generic
// CHECK-SAME:    ["reduction"]
// CHECK-NOT:   mlopt.fusion
func.func @sum(%x: tensor<268435456xbf16>) -> tensor<f32> {
  %r = mlopt.fusion (%ax = %x : tensor<268435456xbf16>) -> tensor<f32> {
    %one = arith.constant dense<1.0> : tensor<f32>
    %out = linalg.generic {indexing_maps = [#id1, #none], iterator_types = ["reduction"]} ins(%ax : tensor<268435456xbf16>) outs(%one : tensor<f32>) {
    ^bb0(%e: bf16, %acc: f32):
      %f = arith.extf %e : bf16 to f32
      %s = arith.addf %acc, %f : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    mlopt.yield %out : tensor<f32>
  }
  return %r : tensor<f32>
}

// Elements that fill no piece are few, and reduced with what the pieces gave.
// CHECK-LABEL: func.func @prime
// CHECK:       %[[P:.*]] = mlopt.fusion
// CHECK-SAME:    -> tensor<[[N:[0-9]+]]xf32>
// CHECK:       mlopt.fusion (%[[X:.*]] = %{{.*}} : tensor<67108859xf32>, %[[S:.*]] = %[[P]] : tensor<[[N]]xf32>) -> tensor<f32>
// CHECK:         %[[LEFT:.*]] = linalg.generic {{.*}} ins(%[[X]], {{.*}} : tensor<67108859xf32>, tensor<1xi8>) outs({{.*}} : tensor<[[M:[0-9]+]]xf32>)
// CHECK:         %[[ALL:.*]] = tensor.insert_slice %[[S]] into %{{.*}}[0] [[[N]]] [1]
// CHECK-NEXT:    %[[BOTH:.*]] = tensor.insert_slice %[[LEFT]] into %[[ALL]][[[N]]] [[[M]]] [1]
// CHECK:         linalg.generic {{.*}}["reduction"]} ins(%[[BOTH]] :
// CHECK-NOT:   mlopt.fusion
func.func @prime(%x: tensor<67108859xf32>) -> tensor<f32> {
  %r = mlopt.fusion (%ax = %x : tensor<67108859xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %out = linalg.generic {indexing_maps = [#id1, #none], iterator_types = ["reduction"]} ins(%ax : tensor<67108859xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%e: f32, %acc: f32):
      %s = arith.addf %acc, %e : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    mlopt.yield %out : tensor<f32>
  }
  return %r : tensor<f32>
}

// Columns: the same along the first dimension. A result of every element that
// needs no sum is stored as the pieces are read.
// CHECK-LABEL: func.func @columns
// CHECK:       %[[P:.*]]:2 = mlopt.fusion
// CHECK-SAME:    -> (tensor<512x32xf32>, tensor<65536x32xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[ROWS]]
// CHECK:       %[[S:.*]] = mlopt.fusion ({{.*}} = %[[P]]#0 : tensor<512x32xf32>) -> tensor<32xf32>
// CHECK:       return %[[S]], %[[P]]#1
func.func @columns(%x: tensor<65536x32xf32>) -> (tensor<32xf32>, tensor<65536x32xf32>) {
  %r:2 = mlopt.fusion (%ax = %x : tensor<65536x32xf32>) -> (tensor<32xf32>, tensor<65536x32xf32>) {
    %zero = arith.constant dense<0.0> : tensor<32xf32>
    %e = tensor.empty() : tensor<65536x32xf32>
    %sq = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%ax : tensor<65536x32xf32>) outs(%e : tensor<65536x32xf32>) {
    ^bb0(%v: f32, %q: f32):
      %m = arith.mulf %v, %v : f32
      linalg.yield %m : f32
    } -> tensor<65536x32xf32>
    %out = linalg.generic {indexing_maps = [#id2, #col], iterator_types = ["reduction", "parallel"]} ins(%sq : tensor<65536x32xf32>) outs(%zero : tensor<32xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %s = arith.addf %acc, %v : f32
      linalg.yield %s : f32
    } -> tensor<32xf32>
    mlopt.yield %out, %sq : tensor<32xf32>, tensor<65536x32xf32>
  }
  return %r#0, %r#1 : tensor<32xf32>, tensor<65536x32xf32>
}

// A result of every element that needs the sum comes last.
// CHECK-LABEL: func.func @scaled
// CHECK:       %[[P:.*]] = mlopt.fusion
// CHECK:       %[[S:.*]] = mlopt.fusion ({{.*}} = %[[P]]
// CHECK:       %[[Y:.*]] = mlopt.fusion
// CHECK-SAME:    = %[[S]] : tensor<f32>
// CHECK-SAME:    -> tensor<67108864xf32>
// CHECK:       return %[[Y]]
func.func @scaled(%x: tensor<67108864xf32>) -> tensor<67108864xf32> {
  %r = mlopt.fusion (%ax = %x : tensor<67108864xf32>) -> tensor<67108864xf32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %e = tensor.empty() : tensor<67108864xf32>
    %sum = linalg.generic {indexing_maps = [#id1, #none], iterator_types = ["reduction"]} ins(%ax : tensor<67108864xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%v: f32, %acc: f32):
      %s = arith.addf %acc, %v : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    %out = linalg.generic {indexing_maps = [#id1, #none, #id1], iterator_types = ["parallel"]} ins(%ax, %sum : tensor<67108864xf32>, tensor<f32>) outs(%e : tensor<67108864xf32>) {
    ^bb0(%v: f32, %s: f32, %q: f32):
      %d = arith.divf %v, %s : f32
      linalg.yield %d : f32
    } -> tensor<67108864xf32>
    mlopt.yield %out : tensor<67108864xf32>
  }
  return %r : tensor<67108864xf32>
}

// Rows enough, or too little to be worth a second kernel: nothing changes.
// CHECK-LABEL: func.func @busy
// CHECK-COUNT-1: mlopt.fusion
// CHECK-NOT:   mlopt.fusion
// CHECK-LABEL: func.func @small
// CHECK-COUNT-1: mlopt.fusion
// CHECK-NOT:   mlopt.fusion
func.func @busy(%x: tensor<256x65536xf32>) -> tensor<256xf32> {
  %r = mlopt.fusion (%ax = %x : tensor<256x65536xf32>) -> tensor<256xf32> {
    %zero = arith.constant dense<0.0> : tensor<256xf32>
    %out = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%ax : tensor<256x65536xf32>) outs(%zero : tensor<256xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %s = arith.addf %acc, %v : f32
      linalg.yield %s : f32
    } -> tensor<256xf32>
    mlopt.yield %out : tensor<256xf32>
  }
  return %r : tensor<256xf32>
}
func.func @small(%x: tensor<4096xf32>) -> tensor<f32> {
  %r = mlopt.fusion (%ax = %x : tensor<4096xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %out = linalg.generic {indexing_maps = [#id1, #none], iterator_types = ["reduction"]} ins(%ax : tensor<4096xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%v: f32, %acc: f32):
      %s = arith.addf %acc, %v : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    mlopt.yield %out : tensor<f32>
  }
  return %r : tensor<f32>
}

// The largest of a row and the sum of exponentials with it: pieces are summed
// with their own largest, which the kernel behind them makes up for.
// CHECK-LABEL: func.func @streamed
// CHECK:       %[[P:.*]]:2 = mlopt.fusion
// CHECK-SAME:    -> (tensor<4096xf32>, tensor<4096xf32>)
// CHECK:         %[[L:.*]] = linalg.generic {{.*}}["parallel", "reduction"]
// CHECK:           arith.maximumf
// CHECK:         %[[M:.*]] = linalg.generic {{.*}}["parallel"]} ins(%[[L]] :
// CHECK:           arith.select
// CHECK:         %[[S:.*]] = linalg.generic {{.*}}["parallel", "reduction"]} ins({{%.*}}, %[[M]],
// CHECK:           math.exp
// CHECK:         mlopt.yield %[[L]], %[[S]]
// CHECK:       %[[R:.*]]:2 = mlopt.fusion ({{.*}} = %[[P]]#0 : tensor<4096xf32>, {{.*}} = %[[P]]#1 : tensor<4096xf32>)
// CHECK:           arith.maximumf
// CHECK:         linalg.generic {{.*}}["reduction"]
// CHECK:           arith.subf
// CHECK-NEXT:      math.exp
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK:       return %[[R]]#0, %[[R]]#1
func.func @streamed(%x: tensor<67108864xf32>) -> (tensor<f32>, tensor<f32>) {
  %r:2 = mlopt.fusion (%ax = %x : tensor<67108864xf32>) -> (tensor<f32>, tensor<f32>) {
    %z0 = arith.constant dense<0xFF800000> : tensor<f32>
    %z1 = arith.constant dense<0.0> : tensor<f32>
    %m = linalg.generic {indexing_maps = [#id1, #none], iterator_types = ["reduction"]} ins(%ax : tensor<67108864xf32>) outs(%z0 : tensor<f32>) {
    ^bb0(%e: f32, %acc: f32):
      %s = arith.maximumf %acc, %e : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    %out = linalg.generic {indexing_maps = [#id1, #none, #none], iterator_types = ["reduction"]} ins(%ax, %m : tensor<67108864xf32>, tensor<f32>) outs(%z1 : tensor<f32>) {
    ^bb0(%e: f32, %f: f32, %acc: f32):
      %d = arith.subf %e, %f : f32
      %p = math.exp %d : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    mlopt.yield %m, %out : tensor<f32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// With another row's largest, exponentials of a piece may be too large: the sum
// comes last, in pieces of its own.
// CHECK-LABEL: func.func @not_streamed
// CHECK-COUNT-4: mlopt.fusion
// CHECK-NOT:   arith.select
func.func @not_streamed(%x: tensor<67108864xf32>, %y: tensor<67108864xf32>) -> tensor<f32> {
  %r = mlopt.fusion (%ax = %x : tensor<67108864xf32>, %ay = %y : tensor<67108864xf32>) -> tensor<f32> {
    %z0 = arith.constant dense<0xFF800000> : tensor<f32>
    %z1 = arith.constant dense<0.0> : tensor<f32>
    %m = linalg.generic {indexing_maps = [#id1, #none], iterator_types = ["reduction"]} ins(%ay : tensor<67108864xf32>) outs(%z0 : tensor<f32>) {
    ^bb0(%e: f32, %acc: f32):
      %s = arith.maximumf %acc, %e : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    %out = linalg.generic {indexing_maps = [#id1, #none, #none], iterator_types = ["reduction"]} ins(%ax, %m : tensor<67108864xf32>, tensor<f32>) outs(%z1 : tensor<f32>) {
    ^bb0(%e: f32, %f: f32, %acc: f32):
      %d = arith.subf %e, %f : f32
      %p = math.exp %d : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    mlopt.yield %out : tensor<f32>
  }
  return %r : tensor<f32>
}

// Columns that are reduced beside rows: in pieces of rows, each a block's, with
// everything that does not need them.
// CHECK-LABEL: func.func @beside
// CHECK:       %[[P:.*]]:2 = mlopt.fusion
// CHECK-SAME:    -> (tensor<256x1024xf32>, tensor<8192xf32>)
// CHECK:         linalg.generic {{.*}}["parallel", "reduction", "parallel"]
// CHECK:       %[[R:.*]] = mlopt.fusion ({{.*}} = %[[P]]#0 : tensor<256x1024xf32>) -> tensor<1024xf32>
// CHECK:       return %[[P]]#1, %[[R]]
func.func @beside(%x: tensor<8192x1024xf32>) -> (tensor<8192xf32>, tensor<1024xf32>) {
  %r:2 = mlopt.fusion (%ax = %x : tensor<8192x1024xf32>) -> (tensor<8192xf32>, tensor<1024xf32>) {
    %z0 = arith.constant dense<0.0> : tensor<8192xf32>
    %z1 = arith.constant dense<0.0> : tensor<1024xf32>
    %row = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%ax : tensor<8192x1024xf32>) outs(%z0 : tensor<8192xf32>) {
    ^bb0(%e: f32, %acc: f32):
      %s = arith.addf %acc, %e : f32
      linalg.yield %s : f32
    } -> tensor<8192xf32>
    %column = linalg.generic {indexing_maps = [#id2, #row, #col], iterator_types = ["reduction", "parallel"]} ins(%ax, %row : tensor<8192x1024xf32>, tensor<8192xf32>) outs(%z1 : tensor<1024xf32>) {
    ^bb0(%e: f32, %f: f32, %acc: f32):
      %m = arith.mulf %e, %f : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    } -> tensor<1024xf32>
    mlopt.yield %row, %column : tensor<8192xf32>, tensor<1024xf32>
  }
  return %r#0, %r#1 : tensor<8192xf32>, tensor<1024xf32>
}

// What fills no piece is summed by the same fusion.
// CHECK-LABEL: func.func @beside_rest
// CHECK:       %[[P:.*]]:3 = mlopt.fusion
// CHECK-SAME:    -> (tensor<255x1024xf32>, tensor<1x1024xf32>, tensor<8191xf32>)
// CHECK:       %[[R:.*]] = mlopt.fusion ({{.*}} = %[[P]]#0 : tensor<255x1024xf32>, {{.*}} = %[[P]]#1 : tensor<1x1024xf32>) -> tensor<1024xf32>
// CHECK:       return %[[P]]#2, %[[R]]
func.func @beside_rest(%x: tensor<8191x1024xf32>) -> (tensor<8191xf32>, tensor<1024xf32>) {
  %r:2 = mlopt.fusion (%ax = %x : tensor<8191x1024xf32>) -> (tensor<8191xf32>, tensor<1024xf32>) {
    %z0 = arith.constant dense<0.0> : tensor<8191xf32>
    %z1 = arith.constant dense<0.0> : tensor<1024xf32>
    %row = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%ax : tensor<8191x1024xf32>) outs(%z0 : tensor<8191xf32>) {
    ^bb0(%e: f32, %acc: f32):
      %s = arith.addf %acc, %e : f32
      linalg.yield %s : f32
    } -> tensor<8191xf32>
    %column = linalg.generic {indexing_maps = [#id2, #row, #col], iterator_types = ["reduction", "parallel"]} ins(%ax, %row : tensor<8191x1024xf32>, tensor<8191xf32>) outs(%z1 : tensor<1024xf32>) {
    ^bb0(%e: f32, %f: f32, %acc: f32):
      %m = arith.mulf %e, %f : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    } -> tensor<1024xf32>
    mlopt.yield %row, %column : tensor<8191xf32>, tensor<1024xf32>
  }
  return %r#0, %r#1 : tensor<8191xf32>, tensor<1024xf32>
}

// So few rows are in no pieces: the rows first, then the columns.
// CHECK-LABEL: func.func @beside_few
// CHECK:       %[[F:.*]]:2 = mlopt.fusion
// CHECK-SAME:    -> (tensor<127xf32>, tensor<127xf32>)
// CHECK:       %[[S:.*]] = mlopt.fusion ({{.*}} = %[[F]]#0 : tensor<127xf32>{{.*}}) -> tensor<1024xf32>
// CHECK:       return %[[F]]#1, %[[S]]
func.func @beside_few(%x: tensor<127x1024xf32>) -> (tensor<127xf32>, tensor<1024xf32>) {
  %r:2 = mlopt.fusion (%ax = %x : tensor<127x1024xf32>) -> (tensor<127xf32>, tensor<1024xf32>) {
    %z0 = arith.constant dense<0.0> : tensor<127xf32>
    %z1 = arith.constant dense<0.0> : tensor<1024xf32>
    %row = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%ax : tensor<127x1024xf32>) outs(%z0 : tensor<127xf32>) {
    ^bb0(%e: f32, %acc: f32):
      %s = arith.addf %acc, %e : f32
      linalg.yield %s : f32
    } -> tensor<127xf32>
    %column = linalg.generic {indexing_maps = [#id2, #row, #col], iterator_types = ["reduction", "parallel"]} ins(%ax, %row : tensor<127x1024xf32>, tensor<127xf32>) outs(%z1 : tensor<1024xf32>) {
    ^bb0(%e: f32, %f: f32, %acc: f32):
      %m = arith.mulf %e, %f : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    } -> tensor<1024xf32>
    mlopt.yield %row, %column : tensor<127xf32>, tensor<1024xf32>
  }
  return %r#0, %r#1 : tensor<127xf32>, tensor<1024xf32>
}

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// What follows a product is reduced in pieces of 16, which tiles hold whole; each
// space in a kernel of its own.
// CHECK-LABEL: func.func @product
// CHECK:       %[[P:.*]]:3 = mlopt.fusion
// CHECK-SAME:    -> (tensor<64x512xf32>, tensor<1024x32xf32>, tensor<1024x512xf32>)
// CHECK:         linalg.generic
// CHECK-SAME:    ["parallel", "parallel", "reduction"]
// CHECK:         linalg.generic {indexing_maps = [#[[DOWN:.*]], #{{.*}}, #{{.*}}]
// CHECK:         linalg.generic {indexing_maps = [#[[ALONG:.*]], #{{.*}}, #{{.*}}]
// CHECK:       mlopt.fusion ({{.*}} = %[[P]]#0 : tensor<64x512xf32>) -> tensor<512xf32>
// CHECK:       mlopt.fusion ({{.*}} = %[[P]]#1 : tensor<1024x32xf32>) -> tensor<1024xf32>
// CHECK-NOT:   mlopt.fusion
func.func @product(%x: tensor<1024x256xbf16>, %w: tensor<512x256xbf16>) -> (tensor<1024x512xf32>, tensor<512xf32>, tensor<1024xf32>) {
  %r:3 = mlopt.fusion (%ax = %x : tensor<1024x256xbf16>, %aw = %w : tensor<512x256xbf16>) -> (tensor<1024x512xf32>, tensor<512xf32>, tensor<1024xf32>) {
    %zero = arith.constant dense<0.0> : tensor<1024x512xf32>
    %zeron = arith.constant dense<0.0> : tensor<512xf32>
    %zerom = arith.constant dense<0.0> : tensor<1024xf32>
    %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%ax, %aw : tensor<1024x256xbf16>, tensor<512x256xbf16>) outs(%zero : tensor<1024x512xf32>) {
    ^bb0(%e: bf16, %f: bf16, %acc: f32):
      %0 = arith.extf %e : bf16 to f32
      %1 = arith.extf %f : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<1024x512xf32>
    %s = linalg.generic {indexing_maps = [#id2, #column], iterator_types = ["reduction", "parallel"]} ins(%y : tensor<1024x512xf32>) outs(%zeron : tensor<512xf32>) {
    ^bb0(%e: f32, %acc: f32):
      %0 = arith.addf %acc, %e : f32
      linalg.yield %0 : f32
    } -> tensor<512xf32>
    %t = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<1024x512xf32>) outs(%zerom : tensor<1024xf32>) {
    ^bb0(%e: f32, %acc: f32):
      %0 = arith.addf %acc, %e : f32
      linalg.yield %0 : f32
    } -> tensor<1024xf32>
    mlopt.yield %y, %s, %t : tensor<1024x512xf32>, tensor<512xf32>, tensor<1024xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<1024x512xf32>, tensor<512xf32>, tensor<1024xf32>
}
