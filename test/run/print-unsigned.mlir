// Integers that the program calls unsigned are printed so.
//
// RUN: mlopt-run %s | FileCheck %s

// CHECK: out0 tensor<3xi8>: [255, 128, 1]
// CHECK-NEXT: out1 tensor<i64>: 18446744073709551615
// CHECK-NEXT: out2 tensor<1xi8>: [-1]
func.func @main() -> (tensor<3xui8>, tensor<ui64>, tensor<1xi8>) {
  %0 = stablehlo.constant dense<[255, 128, 1]> : tensor<3xui8>
  %1 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %2 = stablehlo.constant dense<-1> : tensor<1xi8>
  return %0, %1, %2 : tensor<3xui8>, tensor<ui64>, tensor<1xi8>
}
