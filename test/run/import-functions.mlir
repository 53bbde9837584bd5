// RUN: mlopt-run %s

// CHLO's special functions against values computed with 50 digits.
func.func @main() {
  %lgamma_x = stablehlo.constant dense<[0.1, 0.75, 3.5, 20.0, -0.5, -3.25, 1.0, 0.0]> : tensor<8xf32>
  %lgamma = chlo.lgamma %lgamma_x : tensor<8xf32> -> tensor<8xf32>
  %lgamma_want = stablehlo.constant dense<[2.2527127, 0.20328096, 1.2009736, 39.339886, 1.2655121, -0.62315345, 0.0, 0x7F800000]> : tensor<8xf32>
  stablehlo.custom_call @check.expect_almost_eq(%lgamma, %lgamma_want) {tolerance = 1.0e-5 : f64} : (tensor<8xf32>, tensor<8xf32>) -> ()

  %digamma_x = stablehlo.constant dense<[0.1, 0.75, 3.5, 20.0, -0.6, -3.25, 0.0, -2.0]> : tensor<8xf32>
  %digamma = chlo.digamma %digamma_x : tensor<8xf32> -> tensor<8xf32>
  %digamma_want = stablehlo.constant dense<[-10.423755, -1.0858608, 1.1031567, 2.970524, -0.8947181, 4.4662757, 0x7FC00000, 0x7FC00000]> : tensor<8xf32>
  stablehlo.custom_call @check.expect_almost_eq(%digamma, %digamma_want) {tolerance = 1.0e-5 : f64} : (tensor<8xf32>, tensor<8xf32>) -> ()

  %bessel_x = stablehlo.constant dense<[0.5, 2.0, 7.5, 9.0, 50.0, -3.0, 0.0]> : tensor<7xf32>
  %bessel = chlo.bessel_i1e %bessel_x : tensor<7xf32> -> tensor<7xf32>
  %bessel_want = stablehlo.constant dense<[0.1564208, 0.21526928, 0.13804121, 0.12722498, 0.055993125, -0.19682671, 0.0]> : tensor<7xf32>
  stablehlo.custom_call @check.expect_almost_eq(%bessel, %bessel_want) {tolerance = 1.0e-6 : f64} : (tensor<7xf32>, tensor<7xf32>) -> ()

  %erf_inv_x = stablehlo.constant dense<[0.1, 0.5, -0.9, 0.999, -0.99999, 0.25, 1.0, -1.0, 2.0, 0.0]> : tensor<10xf32>
  %erf_inv = chlo.erf_inv %erf_inv_x : tensor<10xf32> -> tensor<10xf32>
  %erf_inv_want = stablehlo.constant dense<[0.08885599, 0.47693628, -1.1630871, 2.3267562, -3.1232057, 0.22531205, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0]> : tensor<10xf32>
  stablehlo.custom_call @check.expect_close(%erf_inv, %erf_inv_want) : (tensor<10xf32>, tensor<10xf32>) -> ()

  // Steps over zero, to a subnormal, to infinity, not at all.
  %from = stablehlo.constant dense<[0.0, -0.0, 1.0, 1.0, -1.0, 0x7F7FFFFF, 0x00000001, 2.0, 0.0, 0x7FC00000]> : tensor<10xf32>
  %to = stablehlo.constant dense<[1.0, -1.0, 2.0, 0.0, 0.0, 0x7F800000, -1.0, 2.0, -0.0, 1.0]> : tensor<10xf32>
  %next = chlo.next_after %from, %to : tensor<10xf32>, tensor<10xf32> -> tensor<10xf32>
  %next_want = stablehlo.constant dense<[0x00000001, 0x80000001, 0x3F800001, 0x3F7FFFFF, 0xBF7FFFFF, 0x7F800000, 0x00000000, 2.0, -0.0, 0x7FC00000]> : tensor<10xf32>
  stablehlo.custom_call @check.expect_eq(%next, %next_want) : (tensor<10xf32>, tensor<10xf32>) -> ()
  return
}
