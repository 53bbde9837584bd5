// RUN: mlopt-opt %s -mlopt-erase-small-floats | FileCheck %s

// Globals, constants, choices and parameters keep their bits as integers.
// CHECK-NOT:   {{bf16|f8E4M3FN|f16}}
// CHECK:       llvm.mlir.global {{.*}}@table(dense<[16256, 1]> : tensor<2xi16>) {{.*}}: !llvm.array<2 x i16>
llvm.mlir.global private constant @table(dense<[1.0, 9.1835e-41]> : tensor<2xbf16>) : !llvm.array<2 x bf16>

// CHECK-LABEL: llvm.func @choose
// CHECK-SAME:  (%{{.*}}: i1, %[[X:.*]]: i16) -> i16
// CHECK:       %[[ONE:.*]] = llvm.mlir.constant(16256 : i16) : i16
// CHECK:       llvm.select %{{.*}}, %[[X]], %[[ONE]] : i1, i16
llvm.func @choose(%c: i1, %x: bf16) -> bf16 {
  %one = llvm.mlir.constant(1.0 : bf16) : bf16
  %0 = llvm.select %c, %x, %one : i1, bf16
  llvm.return %0 : bf16
}
