// RUN: mlopt-opt %s -mlopt-to-gpu -split-input-file -verify-diagnostics

// Both of these products run on Tensor Cores.
func.func @kept(%a: tensor<512x256xbf16>, %b: tensor<256x384xbf16>, %c: tensor<512x384xbf16>) -> tensor<512x512xbf16>
    attributes {mlopt.expect = {tensor_cores}} {
  %0 = mlopt.dot %a, %b contract [1] x [0] : (tensor<512x256xbf16>, tensor<256x384xbf16>) -> tensor<512x384xbf16>
  %1 = mlopt.dot %0, %c contract [1] x [1] : (tensor<512x384xbf16>, tensor<512x384xbf16>) -> tensor<512x512xbf16>
  return %1 : tensor<512x512xbf16>
}

// -----

func.func @broken(%a: tensor<512x256xi32>, %b: tensor<256x384xi32>) -> tensor<512x384xi32>
    attributes {mlopt.expect = {tensor_cores}} {
  // expected-error @+1 {{'mlopt.fusion' op computes a product without Tensor Cores, which its function promises in 'mlopt.expect'}}
  %0 = mlopt.dot %a, %b contract [1] x [0] : (tensor<512x256xi32>, tensor<256x384xi32>) -> tensor<512x384xi32>
  return %0 : tensor<512x384xi32>
}
