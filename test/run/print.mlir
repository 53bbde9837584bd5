// Results are printed when there is nothing to compare them with: in nested
// brackets, each float with as many digits as tell it from its neighbours, only
// the first elements of a large one.
//
// RUN: mlopt-run %s | FileCheck %s

// CHECK: @main on cpu: compiled in {{.*}} ms, ran in {{.*}} ms
// CHECK-NEXT: out0 tensor<2x2xf32>: {{\[\[}}0.1, -0], [inf, nan]]
// CHECK-NEXT: out1 tensor<2xbf16>: [0.1, 3.39e+38]
// CHECK-NEXT: out2 tensor<3xi8>: [-128, 0, 127]
// CHECK-NEXT: out3 tensor<2xi1>: [1, 0]
// CHECK-NEXT: out4 tensor<i64>: -7
// CHECK-NEXT: out5 tensor<0x3xf32>: []
// CHECK-NEXT: out6 tensor<10x10xi32>: {{\[\[}}0, 1, 2, {{.*}}, 9], [0, {{.*}}, ... (100 elements)
func.func @main() -> (tensor<2x2xf32>, tensor<2xbf16>, tensor<3xi8>,
                      tensor<2xi1>, tensor<i64>, tensor<0x3xf32>,
                      tensor<10x10xi32>) {
  %0 = mlopt.constant dense<[[0.1, -0.0], [0x7F800000, 0x7FC00000]]> : tensor<2x2xf32>
  %1 = mlopt.constant dense<[0.1, 3.39e38]> : tensor<2xbf16>
  %2 = mlopt.constant dense<[-128, 0, 127]> : tensor<3xi8>
  %3 = mlopt.constant dense<[true, false]> : tensor<2xi1>
  %4 = mlopt.constant dense<-7> : tensor<i64>
  %5 = mlopt.constant dense<0.0> : tensor<0x3xf32>
  %6 = mlopt.iota dim 1 : tensor<10x10xi32>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<2x2xf32>, tensor<2xbf16>, tensor<3xi8>, tensor<2xi1>,
        tensor<i64>, tensor<0x3xf32>, tensor<10x10xi32>
}
