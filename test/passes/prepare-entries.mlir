// RUN: mlopt-opt %s --mlopt-prepare-entries | FileCheck %s

// Arguments may not be written to; results are arguments, after them.
// CHECK-LABEL: func.func @mlopt.add(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32> {bufferization.writable = false}
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<4xf32> {llvm.noalias}
// CHECK-SAME: %[[OUT1:[a-z0-9]+]]: memref<4xf32> {llvm.noalias})
// CHECK-SAME: attributes {passthrough = ["optsize"]}
func.func @add(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[R:.*]] = arith.addf
  %r = arith.addf %x, %x : tensor<4xf32>
  // CHECK: bufferization.materialize_in_destination %[[R]] in restrict writable %[[OUT]]
  // CHECK: bufferization.materialize_in_destination %[[X]] in restrict writable %[[OUT1]]
  // CHECK: return{{$}}
  return %r, %x : tensor<4xf32>, tensor<4xf32>
}

// The host may call private functions too; each return writes.
// CHECK-LABEL: func.func @mlopt.branches(
// CHECK-COUNT-2: materialize_in_destination
func.func private @branches(%c: tensor<i1>, %x: tensor<f32>, %y: tensor<f32>)
    -> tensor<f32> {
  %0 = tensor.extract %c[] : tensor<i1>
  cf.cond_br %0, ^bb1, ^bb2
^bb1:
  return %x : tensor<f32>
^bb2:
  return %y : tensor<f32>
}

// What the module calls keeps its convention; every name gets the prefix.
// CHECK-LABEL: func.func private @mlopt.exp(
// CHECK-SAME: %{{.*}}: tensor<f32>) -> tensor<f32>
func.func private @exp(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
// CHECK-LABEL: func.func @mlopt.caller(
func.func @caller(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: call @mlopt.exp
  %0 = func.call @exp(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Of an empty argument or result only the place remains.
// CHECK-LABEL: func.func @mlopt.empty(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<0xf32>
// CHECK-SAME: %[[Y:[a-z0-9]+]]: tensor<f32>
// CHECK-SAME: %{{[a-z0-9]+}}: memref<0xf32>
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<f32>
func.func @empty(%x: tensor<4x0xf32>, %y: tensor<f32>)
    -> (tensor<4x0xf32>, tensor<f32>) {
  // CHECK-NEXT: tensor.empty() : tensor<4x0xf32>
  // CHECK-NEXT: materialize_in_destination %[[Y]] in restrict writable %[[OUT]]
  // CHECK-NEXT: return
  return %x, %y : tensor<4x0xf32>, tensor<f32>
}

// The host has read its attributes: they need not hold any more.
// CHECK-LABEL: func.func @mlopt.checked(
// CHECK-NOT: mlopt.checks
// CHECK: return
func.func @checked(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>)
    attributes {mlopt.checks = [{kind = "eq", actual = 0, expected = 1}]} {
  return %x, %x : tensor<f32>, tensor<f32>
}
