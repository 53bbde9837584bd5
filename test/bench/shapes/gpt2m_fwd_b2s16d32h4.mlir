module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x16x32xbf16>, %arg1: tensor<32xbf16>, %arg2: tensor<32xbf16>, %arg3: tensor<96x32xbf16>, %arg4: tensor<96xbf16>, %arg5: tensor<32x32xbf16>, %arg6: tensor<32xbf16>, %arg7: tensor<32xbf16>, %arg8: tensor<32xbf16>, %arg9: tensor<128x32xbf16>, %arg10: tensor<128xbf16>, %arg11: tensor<32x128xbf16>, %arg12: tensor<32xbf16>) -> (tensor<2x16x32xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_0 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<2x16x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<2x16x32xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<2x16x32xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_2 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<2x16x1xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %13 = stablehlo.add %11, %12 : tensor<2x16x1xf32>
    %14 = stablehlo.rsqrt %13 : tensor<2x16x1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %16 = stablehlo.multiply %6, %15 : tensor<2x16x32xf32>
    %17 = stablehlo.convert %arg1 : (tensor<32xbf16>) -> tensor<32xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %20 = stablehlo.multiply %16, %19 : tensor<2x16x32xf32>
    %21 = stablehlo.convert %arg2 : (tensor<32xbf16>) -> tensor<32xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %24 = stablehlo.add %20, %23 : tensor<2x16x32xf32>
    %25 = stablehlo.convert %24 : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %26 = stablehlo.dot_general %25, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x32xbf16>, tensor<96x32xbf16>) -> tensor<2x16x96xf32>
    %27 = stablehlo.convert %arg4 : (tensor<96xbf16>) -> tensor<96xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [2] : (tensor<96xf32>) -> tensor<1x1x96xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<1x1x96xf32>) -> tensor<2x16x96xf32>
    %30 = stablehlo.add %26, %29 : tensor<2x16x96xf32>
    %31 = stablehlo.convert %30 : (tensor<2x16x96xf32>) -> tensor<2x16x96xbf16>
    %32 = stablehlo.reshape %31 : (tensor<2x16x96xbf16>) -> tensor<2x16x3x4x8xbf16>
    %33 = stablehlo.transpose %32, dims = [2, 0, 3, 1, 4] : (tensor<2x16x3x4x8xbf16>) -> tensor<3x2x4x16x8xbf16>
    %34 = stablehlo.slice %33 [0:1, 0:2, 0:4, 0:16, 0:8] : (tensor<3x2x4x16x8xbf16>) -> tensor<1x2x4x16x8xbf16>
    %35 = stablehlo.reshape %34 : (tensor<1x2x4x16x8xbf16>) -> tensor<2x4x16x8xbf16>
    %36 = stablehlo.slice %33 [1:2, 0:2, 0:4, 0:16, 0:8] : (tensor<3x2x4x16x8xbf16>) -> tensor<1x2x4x16x8xbf16>
    %37 = stablehlo.reshape %36 : (tensor<1x2x4x16x8xbf16>) -> tensor<2x4x16x8xbf16>
    %38 = stablehlo.slice %33 [2:3, 0:2, 0:4, 0:16, 0:8] : (tensor<3x2x4x16x8xbf16>) -> tensor<1x2x4x16x8xbf16>
    %39 = stablehlo.reshape %38 : (tensor<1x2x4x16x8xbf16>) -> tensor<2x4x16x8xbf16>
    %40 = stablehlo.dot_general %35, %37, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16x8xbf16>, tensor<2x4x16x8xbf16>) -> tensor<2x4x16x16xf32>
    %41 = stablehlo.iota dim = 0 : tensor<16xi32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %43 = stablehlo.broadcast_in_dim %41, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %44 = stablehlo.broadcast_in_dim %42, dims = [0, 1] : (tensor<16x1xi32>) -> tensor<16x16xi32>
    %45 = stablehlo.broadcast_in_dim %43, dims = [0, 1] : (tensor<1x16xi32>) -> tensor<16x16xi32>
    %46 = stablehlo.compare GE, %44, %45, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %cst_4 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x4x16x16xf32>
    %48 = stablehlo.multiply %40, %47 : tensor<2x4x16x16xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %49 = call @_where(%46, %48, %cst_5) : (tensor<16x16xi1>, tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16x16xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_6) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %52 = stablehlo.maximum %51, %50 : tensor<2x4x16xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<2x4x16xf32>) -> tensor<2x4x16x1xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2, 3] : (tensor<2x4x16x1xf32>) -> tensor<2x4x16x16xf32>
    %55 = stablehlo.subtract %49, %54 : tensor<2x4x16x16xf32>
    %56 = stablehlo.exponential %55 : tensor<2x4x16x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.reduce(%56 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16xf32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2] : (tensor<2x4x16xf32>) -> tensor<2x4x16x1xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3] : (tensor<2x4x16x1xf32>) -> tensor<2x4x16x16xf32>
    %60 = stablehlo.divide %56, %59 : tensor<2x4x16x16xf32>
    %61 = stablehlo.convert %60 : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xbf16>
    %62 = stablehlo.dot_general %61, %39, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16x16xbf16>, tensor<2x4x16x8xbf16>) -> tensor<2x4x16x8xbf16>
    %63 = stablehlo.transpose %62, dims = [0, 2, 1, 3] : (tensor<2x4x16x8xbf16>) -> tensor<2x16x4x8xbf16>
    %64 = stablehlo.reshape %63 : (tensor<2x16x4x8xbf16>) -> tensor<2x16x32xbf16>
    %65 = stablehlo.dot_general %64, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x32xbf16>, tensor<32x32xbf16>) -> tensor<2x16x32xf32>
    %66 = stablehlo.convert %arg6 : (tensor<32xbf16>) -> tensor<32xf32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %69 = stablehlo.add %65, %68 : tensor<2x16x32xf32>
    %70 = stablehlo.convert %69 : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %71 = stablehlo.add %arg0, %70 : tensor<2x16x32xbf16>
    %72 = stablehlo.convert %71 : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.reduce(%72 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_10 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %76 = stablehlo.divide %74, %75 : tensor<2x16x1xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %78 = stablehlo.subtract %72, %77 : tensor<2x16x32xf32>
    %79 = stablehlo.multiply %78, %78 : tensor<2x16x32xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %80 = stablehlo.reduce(%79 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_12 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %83 = stablehlo.divide %81, %82 : tensor<2x16x1xf32>
    %cst_13 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %85 = stablehlo.add %83, %84 : tensor<2x16x1xf32>
    %86 = stablehlo.rsqrt %85 : tensor<2x16x1xf32>
    %87 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %88 = stablehlo.multiply %78, %87 : tensor<2x16x32xf32>
    %89 = stablehlo.convert %arg7 : (tensor<32xbf16>) -> tensor<32xf32>
    %90 = stablehlo.broadcast_in_dim %89, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %91 = stablehlo.broadcast_in_dim %90, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %92 = stablehlo.multiply %88, %91 : tensor<2x16x32xf32>
    %93 = stablehlo.convert %arg8 : (tensor<32xbf16>) -> tensor<32xf32>
    %94 = stablehlo.broadcast_in_dim %93, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %96 = stablehlo.add %92, %95 : tensor<2x16x32xf32>
    %97 = stablehlo.convert %96 : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %98 = stablehlo.dot_general %97, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x32xbf16>, tensor<128x32xbf16>) -> tensor<2x16x128xf32>
    %99 = stablehlo.convert %arg10 : (tensor<128xbf16>) -> tensor<128xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<2x16x128xf32>
    %102 = stablehlo.add %98, %101 : tensor<2x16x128xf32>
    %103 = stablehlo.convert %102 : (tensor<2x16x128xf32>) -> tensor<2x16x128xbf16>
    %104 = stablehlo.convert %103 : (tensor<2x16x128xbf16>) -> tensor<2x16x128xf32>
    %105 = stablehlo.multiply %104, %104 : tensor<2x16x128xf32>
    %106 = stablehlo.multiply %105, %104 : tensor<2x16x128xf32>
    %cst_14 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x16x128xf32>
    %108 = stablehlo.multiply %107, %106 : tensor<2x16x128xf32>
    %109 = stablehlo.add %104, %108 : tensor<2x16x128xf32>
    %cst_15 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x16x128xf32>
    %111 = stablehlo.multiply %110, %109 : tensor<2x16x128xf32>
    %112 = stablehlo.tanh %111 : tensor<2x16x128xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x16x128xf32>
    %114 = stablehlo.add %113, %112 : tensor<2x16x128xf32>
    %cst_17 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x16x128xf32>
    %116 = stablehlo.multiply %115, %114 : tensor<2x16x128xf32>
    %117 = stablehlo.multiply %104, %116 : tensor<2x16x128xf32>
    %118 = stablehlo.convert %117 : (tensor<2x16x128xf32>) -> tensor<2x16x128xbf16>
    %119 = stablehlo.dot_general %118, %arg11, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x128xbf16>, tensor<32x128xbf16>) -> tensor<2x16x32xf32>
    %120 = stablehlo.convert %arg12 : (tensor<32xbf16>) -> tensor<32xf32>
    %121 = stablehlo.broadcast_in_dim %120, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %122 = stablehlo.broadcast_in_dim %121, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %123 = stablehlo.add %119, %122 : tensor<2x16x32xf32>
    %124 = stablehlo.convert %123 : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %125 = stablehlo.add %71, %124 : tensor<2x16x32xbf16>
    return %125 : tensor<2x16x32xbf16>
  }
  func.func private @_where(%arg0: tensor<16x16xi1>, %arg1: tensor<2x4x16x16xf32>, %arg2: tensor<f32>) -> tensor<2x4x16x16xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<16x16xi1>) -> tensor<2x4x16x16xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x4x16x16xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x4x16x16xi1>, tensor<2x4x16x16xf32>
    return %3 : tensor<2x4x16x16xf32>
  }
}
