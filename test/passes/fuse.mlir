// RUN: mlopt-opt %s -split-input-file --mlopt-fuse | FileCheck %s

// What precedes a reduction, two reductions over the same rows, and what
// follows them are one kernel that reads and writes once.
// CHECK-LABEL: func.func @softmax
// CHECK-SAME: mlopt.traffic = {hbm_bytes = 24576 : i64, kernels = 1 : i64, least_bytes = 24576 : i64}
// CHECK-COUNT-1: mlopt.fusion
// CHECK-NOT: mlopt.fusion
func.func @softmax(%x: tensor<32x128xbf16>) -> tensor<32x128xf32> {
  %w = mlopt.convert %x : tensor<32x128xbf16> -> tensor<32x128xf32>
  %m = mlopt.reduce max %w dims [1] : (tensor<32x128xf32>) -> tensor<32xf32>
  %b = mlopt.broadcast %m dims [0] : tensor<32xf32> -> tensor<32x128xf32>
  %s = mlopt.sub %w, %b : tensor<32x128xf32>
  %e = mlopt.exp %s : tensor<32x128xf32>
  %t = mlopt.reduce add %e dims [1] : (tensor<32x128xf32>) -> tensor<32xf32>
  %u = mlopt.broadcast %t dims [0] : tensor<32xf32> -> tensor<32x128xf32>
  %r = mlopt.div %e, %u : tensor<32x128xf32>
  return %r : tensor<32x128xf32>
}

// -----

// The sum that is normalised is a result too, and the kernel has both.
// CHECK-LABEL: func.func @residual_norm
// CHECK: %[[K:.*]]:2 = mlopt.fusion
// CHECK-NOT: mlopt.fusion
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @residual_norm(%x: tensor<16x64xf32>, %y: tensor<16x64xf32>,
                         %g: tensor<64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %s = mlopt.add %x, %y : tensor<16x64xf32>
  %q = mlopt.mul %s, %s : tensor<16x64xf32>
  %t = mlopt.reduce add %q dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %u = mlopt.rsqrt %t : tensor<16xf32>
  %b = mlopt.broadcast %u dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %n = mlopt.mul %s, %b : tensor<16x64xf32>
  %h = mlopt.broadcast %g dims [1] : tensor<64xf32> -> tensor<16x64xf32>
  %r = mlopt.mul %n, %h : tensor<16x64xf32>
  return %s, %r : tensor<16x64xf32>, tensor<16x64xf32>
}

// -----

// Cross entropy: the label's logit is read in the row that is reduced.
// CHECK-LABEL: func.func @cross_entropy
// CHECK-COUNT-1: mlopt.fusion
// CHECK-NOT: mlopt.fusion
func.func @cross_entropy(%x: tensor<8x512xf32>, %label: tensor<8x1xi32>) -> tensor<8xf32> {
  %m = mlopt.reduce max %x dims [1] : (tensor<8x512xf32>) -> tensor<8xf32>
  %b = mlopt.broadcast %m dims [0] : tensor<8xf32> -> tensor<8x512xf32>
  %s = mlopt.sub %x, %b : tensor<8x512xf32>
  %e = mlopt.exp %s : tensor<8x512xf32>
  %t = mlopt.reduce add %e dims [1] : (tensor<8x512xf32>) -> tensor<8xf32>
  %l = mlopt.log %t : tensor<8xf32>
  %c = mlopt.broadcast %l dims [0] : tensor<8xf32> -> tensor<8x512xf32>
  %p = mlopt.sub %s, %c : tensor<8x512xf32>
  %g = mlopt.gather %p, %label collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [0] start_index_map [1] index_vector_dim 1 slice_sizes [1, 1] : (tensor<8x512xf32>, tensor<8x1xi32>) -> tensor<8xf32>
  %r = mlopt.neg %g : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Siblings that read the same data, one of them an arg-reduction.
// CHECK-LABEL: func.func @siblings
// CHECK-COUNT-1: mlopt.fusion
// CHECK-NOT: mlopt.fusion
func.func @siblings(%x: tensor<16x64xf32>) -> (tensor<16xf32>, tensor<16xi32>, tensor<16x64xf32>) {
  %s = mlopt.reduce add %x dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %v, %i = mlopt.arg_reduce max %x dim 1 : tensor<16x64xf32> -> (tensor<16xf32>, tensor<16xi32>)
  %e = mlopt.exp %x : tensor<16x64xf32>
  return %s, %i, %e : tensor<16xf32>, tensor<16xi32>, tensor<16x64xf32>
}

// -----

// Layout operations on the way in, whatever they are.
// CHECK-LABEL: func.func @layouts
// CHECK-COUNT-1: mlopt.fusion
// CHECK-NOT: mlopt.fusion
func.func @layouts(%x: tensor<64x16xf32>, %z: tensor<f32>, %i: tensor<16x1xi32>) -> tensor<16xf32> {
  %t = mlopt.transpose %x perm [1, 0] : tensor<64x16xf32> -> tensor<16x64xf32>
  %p = mlopt.pad %t, %z low [0, 1] high [0, 3] interior [0, 0] : tensor<16x64xf32>, tensor<f32> -> tensor<16x68xf32>
  %s = mlopt.slice %p starts [0, 0] limits [16, 66] strides [1, 2] : tensor<16x68xf32> -> tensor<16x33xf32>
  %g = mlopt.gather %s, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 33] : (tensor<16x33xf32>, tensor<16x1xi32>) -> tensor<16x33xf32>
  %c = mlopt.concat %g, %s dim 1 : (tensor<16x33xf32>, tensor<16x33xf32>) -> tensor<16x66xf32>
  %r = mlopt.reduce add %c dims [1] : (tensor<16x66xf32>) -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// A conversion that a reduction and what follows a contraction read is computed
// in each: to read bf16 twice costs less than to write and read f32.
// CHECK-LABEL: func.func @recompute
// CHECK: mlopt.fusion
// CHECK-SAME: tensor<64x64xbf16>
// CHECK: mlopt.convert
// CHECK: mlopt.reduce
// CHECK: mlopt.fusion
// CHECK-SAME: tensor<64x64xbf16>
// CHECK: mlopt.convert
// CHECK: mlopt.dot
// CHECK: mlopt.add
func.func @recompute(%x: tensor<64x64xbf16>) -> (tensor<64xf32>, tensor<64x64xf32>) {
  %w = mlopt.convert %x : tensor<64x64xbf16> -> tensor<64x64xf32>
  %s = mlopt.reduce add %w dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  %d = mlopt.dot %x, %x contract [1] x [0] : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
  %r = mlopt.add %d, %w : tensor<64x64xf32>
  return %s, %r : tensor<64xf32>, tensor<64x64xf32>
}

// -----

// A long function of a short vector is computed once and not for each row.
// CHECK-LABEL: func.func @no_gain
// CHECK: mlopt.fusion
// CHECK: mlopt.fusion
// CHECK: mlopt.ledger = [{bytes = 65536 : i64, operand = 0 : i64, reason = "no-gain"}]
func.func @no_gain(%x: tensor<65536x8192xi8>, %v: tensor<8192xf32>) -> tensor<65536x8192xi8> {
  %0 = mlopt.atan2 %v, %v : tensor<8192xf32>
  %1 = mlopt.atan2 %0, %v : tensor<8192xf32>
  %2 = mlopt.atan2 %1, %v : tensor<8192xf32>
  %3 = mlopt.convert %2 : tensor<8192xf32> -> tensor<8192xi8>
  %b = mlopt.broadcast %2 dims [1] : tensor<8192xf32> -> tensor<65536x8192xf32>
  %c = mlopt.convert %b : tensor<65536x8192xf32> -> tensor<65536x8192xi8>
  %r = mlopt.add %x, %c : tensor<65536x8192xi8>
  return %r : tensor<65536x8192xi8>
}

// -----

// Reductions over rows, then over columns: not the same rows.
// CHECK-LABEL: func.func @other_rows
// CHECK-COUNT-2: mlopt.fusion
// CHECK: reason = "other-rows"
func.func @other_rows(%x: tensor<16x64xf32>) -> tensor<64xf32> {
  %s = mlopt.reduce add %x dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %d = mlopt.sub %x, %b : tensor<16x64xf32>
  %r = mlopt.reduce add %d dims [0] : (tensor<16x64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

// The sum of a row is used in another row.
// CHECK-LABEL: func.func @moved
// CHECK-COUNT-2: mlopt.fusion
// CHECK: reason = "moved-after-reduction"
func.func @moved(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %s = mlopt.reduce add %x dims [1] : (tensor<16x16xf32>) -> tensor<16xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<16xf32> -> tensor<16x16xf32>
  %d = mlopt.sub %x, %b : tensor<16x16xf32>
  %e = mlopt.reverse %d dims [0] : tensor<16x16xf32>
  %r = mlopt.mul %d, %e : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// -----

// One row of 64 MB that is read again: two kernels that use the whole GPU.
// CHECK-LABEL: func.func @row_too_long
// CHECK-COUNT-2: mlopt.fusion
// CHECK: reason = "row-too-long"
func.func @row_too_long(%x: tensor<16777216xf32>) -> tensor<16777216xf32> {
  %s = mlopt.reduce add %x dims [0] : (tensor<16777216xf32>) -> tensor<f32>
  %b = mlopt.broadcast %s dims [] : tensor<f32> -> tensor<16777216xf32>
  %r = mlopt.div %x, %b : tensor<16777216xf32>
  return %r : tensor<16777216xf32>
}

// -----

// Of such a row the largest element and the sum of exponentials with it are
// found together; what reads it again is a kernel of its own.
// CHECK-LABEL: func.func @streamed_row
// CHECK:       mlopt.fusion
// CHECK-SAME:    -> (tensor<f32>, tensor<f32>)
// CHECK:         mlopt.reduce max
// CHECK:         mlopt.reduce add
// CHECK:       mlopt.fusion
// CHECK:       mlopt.div
// CHECK:       reason = "row-too-long"
// CHECK-NOT:   mlopt.fusion
func.func @streamed_row(%x: tensor<16777216xf32>) -> tensor<16777216xf32> {
  %m = mlopt.reduce max %x dims [0] : (tensor<16777216xf32>) -> tensor<f32>
  %a = mlopt.broadcast %m dims [] : tensor<f32> -> tensor<16777216xf32>
  %d = mlopt.sub %x, %a : tensor<16777216xf32>
  %e = mlopt.exp %d : tensor<16777216xf32>
  %s = mlopt.reduce add %e dims [0] : (tensor<16777216xf32>) -> tensor<f32>
  %b = mlopt.broadcast %s dims [] : tensor<f32> -> tensor<16777216xf32>
  %r = mlopt.div %e, %b : tensor<16777216xf32>
  return %r : tensor<16777216xf32>
}

// -----

// With another row's largest element nothing is known of the exponentials.
// CHECK-LABEL: func.func @other_row
// CHECK-COUNT-2: mlopt.fusion
// CHECK:       reason = "row-too-long"
func.func @other_row(%x: tensor<16777216xf32>, %y: tensor<16777216xf32>) -> tensor<f32> {
  %m = mlopt.reduce max %y dims [0] : (tensor<16777216xf32>) -> tensor<f32>
  %a = mlopt.broadcast %m dims [] : tensor<f32> -> tensor<16777216xf32>
  %d = mlopt.sub %x, %a : tensor<16777216xf32>
  %e = mlopt.exp %d : tensor<16777216xf32>
  %s = mlopt.reduce add %e dims [0] : (tensor<16777216xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// What computes a factor is a kernel before the contraction's, even where the
// code that follows the contraction reads it too.
// CHECK-LABEL: func.func @contraction
// CHECK: mlopt.exp
// CHECK: mlopt.dot
// CHECK: mlopt.add
// CHECK: mlopt.ledger = [{bytes = 8192 : i64, operand = 0 : i64, reason = "prologue"}]
// CHECK-NOT: mlopt.fusion
func.func @contraction(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %e = mlopt.exp %x : tensor<32x32xf32>
  %l = mlopt.reduce add %e dims [1] : (tensor<32x32xf32>) -> tensor<32xf32>
  %b = mlopt.broadcast %l dims [0] : tensor<32xf32> -> tensor<32x32xf32>
  %n = mlopt.div %e, %b : tensor<32x32xf32>
  %d = mlopt.dot %n, %x contract [1] x [0] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %r = mlopt.add %d, %n : tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

// -----

// Loops are fused inside; what costs nothing is in each kernel, and a reshape
// is none.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: kernels = 3
// CHECK: scf.while
// CHECK: mlopt.fusion
// CHECK: scf.condition
// CHECK: mlopt.fusion
// CHECK: mlopt.constant
// CHECK: mlopt.fusion
// CHECK: scf.yield
// CHECK: mlopt.reshape
func.func @loop(%n: tensor<i32>, %x: tensor<4x4xf32>) -> tensor<16xf32> {
  %one = mlopt.constant dense<1> : tensor<i32>
  %zero = mlopt.constant dense<0> : tensor<i32>
  %r:2 = scf.while (%i = %n, %a = %x) : (tensor<i32>, tensor<4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>) {
    %c = mlopt.compare gt, %i, %zero : tensor<i32>
    %p = tensor.extract %c[] : tensor<i1>
    scf.condition(%p) %i, %a : tensor<i32>, tensor<4x4xf32>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<4x4xf32>):
    %j = mlopt.sub %i, %one : tensor<i32>
    %e = mlopt.exp %a : tensor<4x4xf32>
    %f = mlopt.neg %e : tensor<4x4xf32>
    scf.yield %j, %f : tensor<i32>, tensor<4x4xf32>
  }
  %v = mlopt.reshape %r#1 : tensor<4x4xf32> -> tensor<16xf32>
  return %v : tensor<16xf32>
}

// -----

// Together against the cost, apart against the gain.
// CHECK-LABEL: func.func @levers
// CHECK: mlopt.fusion
// CHECK: mlopt.exp
// CHECK: mlopt.neg
// CHECK: mlopt.ledger = [{bytes = 128 : i64, operand = 0 : i64, reason = "kept-apart"}]
func.func @levers(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = mlopt.exp %x {mlopt.fuse = {group = "a", keep = "apart"}} : tensor<16xf32>
  %1 = mlopt.neg %0 {mlopt.fuse = {group = "a", keep = "apart"}} : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// What would be computed in every kernel is one of its own where it is kept
// apart, and an operation that nothing needs asks for nothing.
// CHECK-LABEL: func.func @levers_of_free
// CHECK: mlopt.fusion
// CHECK-NEXT: mlopt.iota
// CHECK-NEXT: mlopt.yield
// CHECK: mlopt.fusion
// CHECK-NEXT: mlopt.neg
func.func @levers_of_free(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = mlopt.iota dim 0 {mlopt.fuse = {group = "a", keep = "apart"}} : tensor<16xf32>
  %1 = mlopt.neg %0 {mlopt.fuse = {group = "a", keep = "apart"}} : tensor<16xf32>
  %2 = mlopt.add %1, %x {mlopt.fuse = {group = "b", keep = "together"}} : tensor<16xf32>
  %3 = mlopt.exp %2 {mlopt.fuse = {group = "b", keep = "together"}} : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// CHECK-LABEL: func.func @together
// CHECK-COUNT-1: mlopt.fusion
// CHECK-NOT: mlopt.fusion
func.func @together(%x: tensor<16xf32>, %y: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = mlopt.exp %x {mlopt.fuse = {group = "a", keep = "together"}} : tensor<16xf32>
  %1 = mlopt.neg %y {mlopt.fuse = {group = "a", keep = "together"}} : tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// A transposed weight is read as it lies.
// CHECK-LABEL: func.func @transposed_operand
// CHECK-SAME: kernels = 1
// CHECK-NOT: mlopt.transpose
// CHECK: mlopt.dot %{{.*}}, %{{.*}} contract [1] x [1]
func.func @transposed_operand(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x16xf32> {
  %t = mlopt.transpose %w perm [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %r = mlopt.dot %x, %t contract [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

// Batches, rows and columns in any order; a product's rows and columns change
// places with its factors.
// CHECK-LABEL: func.func @transposed_factors
// CHECK-SAME: (%[[X:.*]]: tensor<6x4x8xf32>, %[[W:.*]]: tensor<8x6x16xf32>)
// CHECK: mlopt.fusion (%[[A:.*]] = %[[W]] : {{.*}}, %[[B:.*]] = %[[X]]
// CHECK-NOT: mlopt.transpose
// CHECK: mlopt.dot %[[A]], %[[B]] batch [1] x [0] contract [0] x [2] : {{.*}} -> tensor<6x16x4xf32>
// CHECK-NOT: mlopt.transpose
func.func @transposed_factors(%x: tensor<6x4x8xf32>, %w: tensor<8x6x16xf32>) -> tensor<6x16x4xf32> {
  %a = mlopt.transpose %x perm [2, 0, 1] : tensor<6x4x8xf32> -> tensor<8x6x4xf32>
  %b = mlopt.transpose %w perm [1, 2, 0] : tensor<8x6x16xf32> -> tensor<6x16x8xf32>
  %d = mlopt.dot %a, %b batch [1] x [0] contract [0] x [2] : (tensor<8x6x4xf32>, tensor<6x16x8xf32>) -> tensor<6x4x16xf32>
  %r = mlopt.transpose %d perm [0, 2, 1] : tensor<6x4x16xf32> -> tensor<6x16x4xf32>
  return %r : tensor<6x16x4xf32>
}

// -----

// The rows of each head lie apart: the product would not be one of matrices.
// CHECK-LABEL: func.func @apart_factors
// CHECK: mlopt.transpose
// CHECK: mlopt.dot
// CHECK-SAME: batch [0, 1] x [0, 1] contract [3] x [3]
func.func @apart_factors(%x: tensor<2x16x4x8xf32>, %w: tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32> {
  %a = mlopt.transpose %x perm [0, 2, 1, 3] : tensor<2x16x4x8xf32> -> tensor<2x4x16x8xf32>
  %d = mlopt.dot %a, %w batch [0, 1] x [0, 1] contract [3] x [3] : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  return %d : tensor<2x4x16x16xf32>
}

// -----

// Two kernels that compute one value do not need each other: the gradients of a
// norm are two passes over the data.
// CHECK-LABEL: func.func @computed_in_both
// CHECK-SAME: kernels = 2
func.func @computed_in_both(%x: tensor<1024x512xbf16>, %g: tensor<1024x512xbf16>) -> (tensor<1024x512xf32>, tensor<512xf32>) {
  %f = mlopt.convert %x : tensor<1024x512xbf16> -> tensor<1024x512xf32>
  %d = mlopt.convert %g : tensor<1024x512xbf16> -> tensor<1024x512xf32>
  %q = mlopt.mul %f, %f : tensor<1024x512xf32>
  %s = mlopt.reduce add %q dims [1] : (tensor<1024x512xf32>) -> tensor<1024xf32>
  %u = mlopt.rsqrt %s : tensor<1024xf32>
  %b = mlopt.broadcast %u dims [0] : tensor<1024xf32> -> tensor<1024x512xf32>
  %n = mlopt.mul %f, %b : tensor<1024x512xf32>
  %p = mlopt.mul %d, %n : tensor<1024x512xf32>
  %t = mlopt.reduce add %p dims [1] : (tensor<1024x512xf32>) -> tensor<1024xf32>
  %c = mlopt.broadcast %t dims [0] : tensor<1024xf32> -> tensor<1024x512xf32>
  %m = mlopt.mul %n, %c : tensor<1024x512xf32>
  %dx = mlopt.sub %d, %m : tensor<1024x512xf32>
  %dg = mlopt.reduce add %p dims [0] : (tensor<1024x512xf32>) -> tensor<512xf32>
  return %dx, %dg : tensor<1024x512xf32>, tensor<512xf32>
}

// -----

// What follows a reduction is computed again from the reduction, which is
// small, in place of being stored.
// CHECK-LABEL: func.func @from_reductions
// CHECK: %[[K:.*]]:2 = mlopt.fusion
// CHECK: %[[S:.*]] = mlopt.reduce
// CHECK: mlopt.yield %[[S]], %{{.*}} : tensor<1024xf32>, tensor<1024x512xbf16>
// CHECK: mlopt.sort
// CHECK: mlopt.fusion
// CHECK-SAME: = %[[K]]#0 : tensor<1024xf32>
// CHECK: mlopt.sub
// CHECK: mlopt.mul
func.func @from_reductions(%x: tensor<1024x512xbf16>) -> tensor<1024x512xf32> {
  %f = mlopt.convert %x : tensor<1024x512xbf16> -> tensor<1024x512xf32>
  %s = mlopt.reduce add %f dims [1] : (tensor<1024x512xf32>) -> tensor<1024xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<1024xf32> -> tensor<1024x512xf32>
  %c = mlopt.sub %f, %b : tensor<1024x512xf32>
  %e = mlopt.exp %c : tensor<1024x512xf32>
  %n = mlopt.convert %e : tensor<1024x512xf32> -> tensor<1024x512xbf16>
  %k = mlopt.sort %n dim 1 keys 1 : (tensor<1024x512xbf16>) -> tensor<1024x512xbf16>
  %h = mlopt.convert %k : tensor<1024x512xbf16> -> tensor<1024x512xf32>
  %r = mlopt.mul %h, %c : tensor<1024x512xf32>
  return %r : tensor<1024x512xf32>
}

// -----

// A sum in a given order takes many steps, which nothing else repeats; a
// maximum has no order.
// CHECK-LABEL: func.func @ordered
// CHECK-COUNT-3: mlopt.fusion
// CHECK: mlopt.ledger = {{.*}}reason = "ordered"
// CHECK-NOT: mlopt.fusion
func.func @ordered(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %m = mlopt.reduce max %x dims [1] {numerics = #mlopt.numerics<strict>} : (tensor<16x64xf32>) -> tensor<16xf32>
  %b = mlopt.broadcast %m dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %d = mlopt.sub %x, %b : tensor<16x64xf32>
  %s = mlopt.reduce add %d dims [1] {numerics = #mlopt.numerics<strict>} : (tensor<16x64xf32>) -> tensor<16xf32>
  %c = mlopt.broadcast %s dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %r = mlopt.mul %x, %c : tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}
