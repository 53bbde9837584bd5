func.func @main(%q: tensor<2x256x8x64xbf16>, %k: tensor<2x256x2x64xbf16>, %v: tensor<2x256x2x64xbf16>) -> tensor<2x256x8x64xbf16> {
  %0 = mlopt.reshape %q : tensor<2x256x8x64xbf16> -> tensor<2x256x2x4x64xbf16>
  %1 = mlopt.dot %0, %k batch [0, 2] x [0, 2] contract [4] x [3] : (tensor<2x256x2x4x64xbf16>, tensor<2x256x2x64xbf16>) -> tensor<2x2x256x4x256xf32>
  %2 = mlopt.constant dense<0.125> : tensor<2x2x256x4x256xf32>
  %3 = mlopt.mul %1, %2 : tensor<2x2x256x4x256xf32>
  %4 = mlopt.iota dim 2 : tensor<2x2x256x4x256xi32>
  %5 = mlopt.iota dim 4 : tensor<2x2x256x4x256xi32>
  %6 = mlopt.constant dense<0xff800000> : tensor<2x2x256x4x256xf32>
  %7 = mlopt.compare ge, %4, %5 : tensor<2x2x256x4x256xi32>
  %8 = mlopt.select %7, %3, %6 : tensor<2x2x256x4x256xf32>
  %9 = mlopt.reduce max %8 dims [4] : (tensor<2x2x256x4x256xf32>) -> tensor<2x2x256x4xf32>
  %10 = mlopt.broadcast %9 dims [0, 1, 2, 3] : tensor<2x2x256x4xf32> -> tensor<2x2x256x4x256xf32>
  %11 = mlopt.sub %8, %10 : tensor<2x2x256x4x256xf32>
  %12 = mlopt.exp %11 : tensor<2x2x256x4x256xf32>
  %13 = mlopt.reduce add %12 dims [4] : (tensor<2x2x256x4x256xf32>) -> tensor<2x2x256x4xf32>
  %14 = mlopt.broadcast %13 dims [0, 1, 2, 3] : tensor<2x2x256x4xf32> -> tensor<2x2x256x4x256xf32>
  %15 = mlopt.div %12, %14 : tensor<2x2x256x4x256xf32>
  %16 = mlopt.convert %15 : tensor<2x2x256x4x256xf32> -> tensor<2x2x256x4x256xbf16>
  %17 = mlopt.dot %16, %v batch [0, 1] x [0, 2] contract [4] x [1] : (tensor<2x2x256x4x256xbf16>, tensor<2x256x2x64xbf16>) -> tensor<2x2x256x4x64xf32>
  %18 = mlopt.convert %17 : tensor<2x2x256x4x64xf32> -> tensor<2x2x256x4x64xbf16>
  %19 = mlopt.transpose %18 perm [0, 2, 1, 3, 4] : tensor<2x2x256x4x64xbf16> -> tensor<2x256x2x4x64xbf16>
  %20 = mlopt.reshape %19 : tensor<2x256x2x4x64xbf16> -> tensor<2x256x8x64xbf16>
  return %20 : tensor<2x256x8x64xbf16>
}

