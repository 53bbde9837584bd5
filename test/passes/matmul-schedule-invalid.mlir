// RUN: mlopt-opt %s -mlopt-to-gpu -split-input-file -verify-diagnostics

// What makes a schedule illegal is said where the fusion stands that pins it.
func.func @rows(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{tile 96x128x64 with 4 stages in bands of 16, clusters of 1, 1 splits: a consumer computes 64 or 128 rows}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, stages = 4 : i64, tile = array<i64: 96, 128, 64>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @columns(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{: the columns must fill rows of 128 bytes, and be at most 256}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, stages = 4 : i64, tile = array<i64: 128, 320, 64>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @registers(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{: the accumulators exceed the registers of a thread}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, stages = 2 : i64, tile = array<i64: 256, 256, 64>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @promoted(%a: tensor<512x256xf8E4M3FN>, %b: tensor<384x256xf8E4M3FN>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{: the accumulators exceed the registers of a thread}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xf8E4M3FN>, %y = %b : tensor<384x256xf8E4M3FN>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xf8E4M3FN>, tensor<384x256xf8E4M3FN>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, stages = 4 : i64, tile = array<i64: 128, 256, 128>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @depth(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{: a stage is 128 bytes deep}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, stages = 4 : i64, tile = array<i64: 128, 128, 32>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @stages(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{: a ring has 2 to 63 stages}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, stages = 1 : i64, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @shared(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{: the stages exceed 232448 bytes of shared memory}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, stages = 7 : i64, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @cluster(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{: a cluster is of 1 or 2 blocks, which load 64 columns or more each}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, cluster = 2 : i64, stages = 4 : i64, tile = array<i64: 128, 64, 64>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @band(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{: a band has at least one row}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", band = 0 : i64, stages = 4 : i64, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @many_splits(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{: a cluster has at most 8 blocks}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, splits = 16 : i64, stages = 4 : i64, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @alternating_splits(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{: splits of k share no tiles of B, and all their consumers one tile}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", alternate, band = 16 : i64, splits = 2 : i64, stages = 4 : i64, tile = array<i64: 64, 128, 64>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @empty_split(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{: a split of k is empty}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, splits = 8 : i64, stages = 4 : i64, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @wide_split(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{: a consumer computes at most 64x128 of a tile whose k is split}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, splits = 2 : i64, stages = 4 : i64, tile = array<i64: 128, 256, 64>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @many_tiles(%a: tensor<4096x512xbf16>, %b: tensor<4096x512xbf16>) -> tensor<4096x4096xbf16> {
  // expected-error @+1 {{: there are more tiles than clusters that run at once}}
  %0 = mlopt.fusion (%x = %a : tensor<4096x512xbf16>, %y = %b : tensor<4096x512xbf16>) -> tensor<4096x4096xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<4096x512xbf16>, tensor<4096x512xbf16>) -> tensor<4096x4096xbf16>
    mlopt.yield %1 : tensor<4096x4096xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, splits = 2 : i64, stages = 4 : i64, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<4096x4096xbf16>
}

// -----

// A row of 2 * 250 bytes.
func.func @unreachable(%a: tensor<512x250xbf16>, %b: tensor<384x250xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{has the schedule of a matrix product, but TMA and wgmma do not take its tensors}}
  %0 = mlopt.fusion (%x = %a : tensor<512x250xbf16>, %y = %b : tensor<384x250xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x250xbf16>, tensor<384x250xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, stages = 4 : i64, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @incomplete(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{'mlopt.fusion' op pins a schedule that is not {family = "matmul", band, stages, tile = [m, n, k]}, with alternate, cluster, splits, tail or without, nor {family = "tiled", groups, stages, terms, tile = [m, n, k], warp = [m, n]}, with splits or without}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @misspelt(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  // expected-error @+1 {{'mlopt.fusion' op pins a schedule that is not {family = "matmul", band, stages, tile = [m, n, k]}, with alternate, cluster, splits, tail or without}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
    mlopt.yield %1 : tensor<512x384xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, clusters = 2 : i64, stages = 4 : i64, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<512x384xbf16>
}

// -----

func.func @no_product(%a: tensor<512x256xbf16>) -> tensor<512x256xbf16> {
  // expected-error @+1 {{'mlopt.fusion' op pins the schedule of a matrix product, but is none, or not for a chip with wgmma}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>) -> tensor<512x256xbf16> {
    %1 = mlopt.add %x, %x : tensor<512x256xbf16>
    mlopt.yield %1 : tensor<512x256xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, stages = 4 : i64, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<512x256xbf16>
}

// -----

func.func @tail_of_full_rounds(%a: tensor<1408x256xbf16>, %b: tensor<1536x256xbf16>) -> tensor<1408x1536xbf16> {
  // expected-error @+1 {{: a tail is a last round after others, not full, of tiles of enough steps}}
  %0 = mlopt.fusion (%x = %a : tensor<1408x256xbf16>, %y = %b : tensor<1536x256xbf16>) -> tensor<1408x1536xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<1408x256xbf16>, tensor<1536x256xbf16>) -> tensor<1408x1536xbf16>
    mlopt.yield %1 : tensor<1408x1536xbf16>
  } {mlopt.schedule = {family = "matmul", band = 8 : i64, stages = 4 : i64, tail, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<1408x1536xbf16>
}

// -----

func.func @tail_of_one_round(%a: tensor<512x256xbf16>, %b: tensor<512x256xbf16>) -> tensor<512x512xbf16> {
  // expected-error @+1 {{: a tail is a last round after others, not full, of tiles of enough steps}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<512x256xbf16>) -> tensor<512x512xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<512x256xbf16>) -> tensor<512x512xbf16>
    mlopt.yield %1 : tensor<512x512xbf16>
  } {mlopt.schedule = {family = "matmul", band = 8 : i64, stages = 4 : i64, tail, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<512x512xbf16>
}

// -----

func.func @alternating_tail(%a: tensor<2048x256xbf16>, %b: tensor<2048x256xbf16>) -> tensor<2048x2048xbf16> {
  // expected-error @+1 {{: blocks that share a tail are in no clusters, and their consumers share each tile}}
  %0 = mlopt.fusion (%x = %a : tensor<2048x256xbf16>, %y = %b : tensor<2048x256xbf16>) -> tensor<2048x2048xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<2048x256xbf16>, tensor<2048x256xbf16>) -> tensor<2048x2048xbf16>
    mlopt.yield %1 : tensor<2048x2048xbf16>
  } {mlopt.schedule = {family = "matmul", band = 8 : i64, stages = 4 : i64, tail, alternate, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<2048x2048xbf16>
}

// -----

func.func @strict_tail(%a: tensor<2048x256xbf16>, %b: tensor<2048x256xbf16>) -> tensor<2048x2048xbf16> {
  // expected-error @+1 {{: the sums of a strict product are one chain}}
  %0 = mlopt.fusion (%x = %a : tensor<2048x256xbf16>, %y = %b : tensor<2048x256xbf16>) -> tensor<2048x2048xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] {numerics = #mlopt.numerics<strict>} : (tensor<2048x256xbf16>, tensor<2048x256xbf16>) -> tensor<2048x2048xbf16>
    mlopt.yield %1 : tensor<2048x2048xbf16>
  } {mlopt.schedule = {family = "matmul", band = 8 : i64, stages = 4 : i64, tail, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<2048x2048xbf16>
}

// -----

func.func @tail_of_a_list(%a: tensor<2048x1024xbf16>, %b: tensor<2048x1024xbf16>, %c: tensor<256x1024xbf16>) -> (tensor<2048x2048xbf16>, tensor<2048x256xbf16>) {
  // expected-error @+1 {{: the tiles of a tail are those of one product, or of several side by side}}
  %0:2 = mlopt.fusion (%x = %a : tensor<2048x1024xbf16>, %y = %b : tensor<2048x1024xbf16>, %z = %c : tensor<256x1024xbf16>) -> (tensor<2048x2048xbf16>, tensor<2048x256xbf16>) {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<2048x1024xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x2048xbf16>
    %2 = mlopt.dot %x, %z contract [1] x [1] : (tensor<2048x1024xbf16>, tensor<256x1024xbf16>) -> tensor<2048x256xbf16>
    mlopt.yield %1, %2 : tensor<2048x2048xbf16>, tensor<2048x256xbf16>
  } {mlopt.schedule = {family = "matmul", band = 8 : i64, stages = 4 : i64, tail, tile = array<i64: 128, 256, 64>}}
  return %0#0, %0#1 : tensor<2048x2048xbf16>, tensor<2048x256xbf16>
}

// -----

func.func @parts_of_rows(%a: tensor<512x256xbf16>, %b: tensor<192x256xbf16>) -> tensor<512x192xf32> {
  // expected-error @+1 {{: a tile holds whole rows that are reduced, or whole parts of them, multiples of 16}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<192x256xbf16>) -> tensor<512x192xf32> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<192x256xbf16>) -> tensor<512x192xf32>
    %2 = mlopt.reduce max %1 dims [1] : (tensor<512x192xf32>) -> tensor<512xf32>
    %3 = mlopt.broadcast %2 dims [0] : tensor<512xf32> -> tensor<512x192xf32>
    %4 = mlopt.sub %1, %3 : tensor<512x192xf32>
    mlopt.yield %4 : tensor<512x192xf32>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, stages = 4 : i64, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<512x192xf32>
}

// -----

func.func @split_rows(%a: tensor<512x256xbf16>, %b: tensor<128x256xbf16>) -> tensor<512x128xf32> {
  // expected-error @+1 {{: blocks that split k store parts of rows, which are reduced}}
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<128x256xbf16>) -> tensor<512x128xf32> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<512x256xbf16>, tensor<128x256xbf16>) -> tensor<512x128xf32>
    %2 = mlopt.reduce max %1 dims [1] : (tensor<512x128xf32>) -> tensor<512xf32>
    %3 = mlopt.broadcast %2 dims [0] : tensor<512xf32> -> tensor<512x128xf32>
    %4 = mlopt.sub %1, %3 : tensor<512x128xf32>
    mlopt.yield %4 : tensor<512x128xf32>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, splits = 2 : i64, stages = 4 : i64, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<512x128xf32>
}
