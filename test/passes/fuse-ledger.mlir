// RUN: mlopt-opt %s --mlopt-fuse --remark-format=emitRemark --remarks-filter=mlopt-fuse -o %t 2>&1 | FileCheck %s

// Each edge has a remark, named by its reason, at the consumer.
func.func @ledger(%x: tensor<16x16xf32>) -> (tensor<16xf32>, tensor<16x16xf32>) {
  %0 = mlopt.exp %x : tensor<16x16xf32>
  // CHECK-DAG: fuse-ledger.mlir:[[@LINE+1]]:{{.*}}[Passed] fused | Category:mlopt-fuse{{.*}}Function=ledger{{.*}}bytes=1024, consumer=mlopt.neg, producer=mlopt.exp
  %1 = mlopt.neg %0 : tensor<16x16xf32>
  // CHECK-DAG: fuse-ledger.mlir:[[@LINE+1]]:{{.*}}[Passed] fused-and-stored | Category:mlopt-fuse{{.*}}producer=mlopt.neg
  %2 = mlopt.reduce add %1 dims [1] : (tensor<16x16xf32>) -> tensor<16xf32>
  // CHECK-DAG: fuse-ledger.mlir:[[@LINE+1]]:{{.*}}[Missed] prologue | Category:mlopt-fuse{{.*}}bytes=2048, consumer=mlopt.dot, producer=mlopt.neg
  %3 = mlopt.dot %1, %x contract [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %2, %3 : tensor<16xf32>, tensor<16x16xf32>
}
