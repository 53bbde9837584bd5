module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x16x32xbf16>, %arg1: tensor<32xbf16>, %arg2: tensor<32xbf16>, %arg3: tensor<96x32xbf16>, %arg4: tensor<96xbf16>, %arg5: tensor<32x32xbf16>, %arg6: tensor<32xbf16>, %arg7: tensor<32xbf16>, %arg8: tensor<32xbf16>, %arg9: tensor<128x32xbf16>, %arg10: tensor<128xbf16>, %arg11: tensor<32x128xbf16>, %arg12: tensor<32xbf16>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<2x16x32xbf16> {jax.result_info = "result[1][0]"}, tensor<32xbf16> {jax.result_info = "result[1][1]"}, tensor<32xbf16> {jax.result_info = "result[1][2]"}, tensor<96x32xbf16> {jax.result_info = "result[1][3]"}, tensor<96xbf16> {jax.result_info = "result[1][4]"}, tensor<32x32xbf16> {jax.result_info = "result[1][5]"}, tensor<32xbf16> {jax.result_info = "result[1][6]"}, tensor<32xbf16> {jax.result_info = "result[1][7]"}, tensor<32xbf16> {jax.result_info = "result[1][8]"}, tensor<128x32xbf16> {jax.result_info = "result[1][9]"}, tensor<128xbf16> {jax.result_info = "result[1][10]"}, tensor<32x128xbf16> {jax.result_info = "result[1][11]"}, tensor<32xbf16> {jax.result_info = "result[1][12]"}) {
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
    %15 = stablehlo.divide %14, %13 : tensor<2x16x1xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %17 = stablehlo.multiply %16, %15 : tensor<2x16x1xf32>
    %18 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %19 = stablehlo.multiply %6, %18 : tensor<2x16x32xf32>
    %20 = stablehlo.convert %arg1 : (tensor<32xbf16>) -> tensor<32xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %23 = stablehlo.multiply %19, %22 : tensor<2x16x32xf32>
    %24 = stablehlo.convert %arg2 : (tensor<32xbf16>) -> tensor<32xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %27 = stablehlo.add %23, %26 : tensor<2x16x32xf32>
    %28 = stablehlo.convert %27 : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %29 = stablehlo.dot_general %28, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x32xbf16>, tensor<96x32xbf16>) -> tensor<2x16x96xf32>
    %30 = stablehlo.convert %arg4 : (tensor<96xbf16>) -> tensor<96xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [2] : (tensor<96xf32>) -> tensor<1x1x96xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2] : (tensor<1x1x96xf32>) -> tensor<2x16x96xf32>
    %33 = stablehlo.add %29, %32 : tensor<2x16x96xf32>
    %34 = stablehlo.convert %33 : (tensor<2x16x96xf32>) -> tensor<2x16x96xbf16>
    %35 = stablehlo.reshape %34 : (tensor<2x16x96xbf16>) -> tensor<2x16x3x4x8xbf16>
    %36 = stablehlo.transpose %35, dims = [2, 0, 3, 1, 4] : (tensor<2x16x3x4x8xbf16>) -> tensor<3x2x4x16x8xbf16>
    %37 = stablehlo.slice %36 [0:1, 0:2, 0:4, 0:16, 0:8] : (tensor<3x2x4x16x8xbf16>) -> tensor<1x2x4x16x8xbf16>
    %38 = stablehlo.reshape %37 : (tensor<1x2x4x16x8xbf16>) -> tensor<2x4x16x8xbf16>
    %39 = stablehlo.slice %36 [1:2, 0:2, 0:4, 0:16, 0:8] : (tensor<3x2x4x16x8xbf16>) -> tensor<1x2x4x16x8xbf16>
    %40 = stablehlo.reshape %39 : (tensor<1x2x4x16x8xbf16>) -> tensor<2x4x16x8xbf16>
    %41 = stablehlo.slice %36 [2:3, 0:2, 0:4, 0:16, 0:8] : (tensor<3x2x4x16x8xbf16>) -> tensor<1x2x4x16x8xbf16>
    %42 = stablehlo.reshape %41 : (tensor<1x2x4x16x8xbf16>) -> tensor<2x4x16x8xbf16>
    %43 = stablehlo.dot_general %38, %40, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16x8xbf16>, tensor<2x4x16x8xbf16>) -> tensor<2x4x16x16xf32>
    %44 = stablehlo.iota dim = 0 : tensor<16xi32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %46 = stablehlo.broadcast_in_dim %44, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %47 = stablehlo.broadcast_in_dim %45, dims = [0, 1] : (tensor<16x1xi32>) -> tensor<16x16xi32>
    %48 = stablehlo.broadcast_in_dim %46, dims = [0, 1] : (tensor<1x16xi32>) -> tensor<16x16xi32>
    %49 = stablehlo.compare GE, %47, %48, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %cst_5 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x4x16x16xf32>
    %51 = stablehlo.multiply %43, %50 : tensor<2x4x16x16xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %52:2 = call @_where(%49, %51, %cst_6) : (tensor<16x16xi1>, tensor<2x4x16x16xf32>, tensor<f32>) -> (tensor<2x4x16x16xf32>, tensor<2x4x16x16xi1>)
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %53 = stablehlo.reduce(%52#0 init: %cst_7) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %55 = stablehlo.maximum %54, %53 : tensor<2x4x16xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<2x4x16xf32>) -> tensor<2x4x16x1xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2, 3] : (tensor<2x4x16x1xf32>) -> tensor<2x4x16x16xf32>
    %58 = stablehlo.subtract %52#0, %57 : tensor<2x4x16x16xf32>
    %59 = stablehlo.exponential %58 : tensor<2x4x16x16xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.reduce(%59 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<2x4x16xf32>) -> tensor<2x4x16x1xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<2x4x16x1xf32>) -> tensor<2x4x16x16xf32>
    %63 = stablehlo.divide %59, %62 : tensor<2x4x16x16xf32>
    %64 = stablehlo.multiply %61, %61 : tensor<2x4x16x1xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x4x16x1xf32>
    %66 = stablehlo.divide %65, %64 : tensor<2x4x16x1xf32>
    %67 = stablehlo.convert %63 : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xbf16>
    %68 = stablehlo.dot_general %67, %42, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16x16xbf16>, tensor<2x4x16x8xbf16>) -> tensor<2x4x16x8xbf16>
    %69 = stablehlo.transpose %68, dims = [0, 2, 1, 3] : (tensor<2x4x16x8xbf16>) -> tensor<2x16x4x8xbf16>
    %70 = stablehlo.reshape %69 : (tensor<2x16x4x8xbf16>) -> tensor<2x16x32xbf16>
    %71 = stablehlo.dot_general %70, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x32xbf16>, tensor<32x32xbf16>) -> tensor<2x16x32xf32>
    %72 = stablehlo.convert %arg6 : (tensor<32xbf16>) -> tensor<32xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %75 = stablehlo.add %71, %74 : tensor<2x16x32xf32>
    %76 = stablehlo.convert %75 : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %77 = stablehlo.add %arg0, %76 : tensor<2x16x32xbf16>
    %78 = stablehlo.convert %77 : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.reduce(%78 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_12 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %82 = stablehlo.divide %80, %81 : tensor<2x16x1xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %84 = stablehlo.subtract %78, %83 : tensor<2x16x32xf32>
    %85 = stablehlo.multiply %84, %84 : tensor<2x16x32xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %86 = stablehlo.reduce(%85 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %87 = stablehlo.broadcast_in_dim %86, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_14 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %89 = stablehlo.divide %87, %88 : tensor<2x16x1xf32>
    %cst_15 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %91 = stablehlo.add %89, %90 : tensor<2x16x1xf32>
    %92 = stablehlo.rsqrt %91 : tensor<2x16x1xf32>
    %93 = stablehlo.divide %92, %91 : tensor<2x16x1xf32>
    %cst_16 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %95 = stablehlo.multiply %94, %93 : tensor<2x16x1xf32>
    %96 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %97 = stablehlo.multiply %84, %96 : tensor<2x16x32xf32>
    %98 = stablehlo.convert %arg7 : (tensor<32xbf16>) -> tensor<32xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %101 = stablehlo.multiply %97, %100 : tensor<2x16x32xf32>
    %102 = stablehlo.convert %arg8 : (tensor<32xbf16>) -> tensor<32xf32>
    %103 = stablehlo.broadcast_in_dim %102, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %105 = stablehlo.add %101, %104 : tensor<2x16x32xf32>
    %106 = stablehlo.convert %105 : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %107 = stablehlo.dot_general %106, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x32xbf16>, tensor<128x32xbf16>) -> tensor<2x16x128xf32>
    %108 = stablehlo.convert %arg10 : (tensor<128xbf16>) -> tensor<128xf32>
    %109 = stablehlo.broadcast_in_dim %108, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<2x16x128xf32>
    %111 = stablehlo.add %107, %110 : tensor<2x16x128xf32>
    %112 = stablehlo.convert %111 : (tensor<2x16x128xf32>) -> tensor<2x16x128xbf16>
    %113 = stablehlo.convert %112 : (tensor<2x16x128xbf16>) -> tensor<2x16x128xf32>
    %114 = stablehlo.multiply %113, %113 : tensor<2x16x128xf32>
    %115 = stablehlo.multiply %114, %113 : tensor<2x16x128xf32>
    %116 = stablehlo.multiply %113, %113 : tensor<2x16x128xf32>
    %cst_17 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x16x128xf32>
    %118 = stablehlo.multiply %117, %116 : tensor<2x16x128xf32>
    %cst_18 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x16x128xf32>
    %120 = stablehlo.multiply %119, %115 : tensor<2x16x128xf32>
    %121 = stablehlo.add %113, %120 : tensor<2x16x128xf32>
    %cst_19 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x16x128xf32>
    %123 = stablehlo.multiply %122, %121 : tensor<2x16x128xf32>
    %124 = stablehlo.tanh %123 : tensor<2x16x128xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x16x128xf32>
    %126 = stablehlo.subtract %125, %124 : tensor<2x16x128xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x16x128xf32>
    %128 = stablehlo.add %127, %124 : tensor<2x16x128xf32>
    %cst_22 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x16x128xf32>
    %130 = stablehlo.multiply %129, %128 : tensor<2x16x128xf32>
    %131 = stablehlo.multiply %113, %130 : tensor<2x16x128xf32>
    %132 = stablehlo.convert %131 : (tensor<2x16x128xf32>) -> tensor<2x16x128xbf16>
    %133 = stablehlo.dot_general %132, %arg11, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x128xbf16>, tensor<32x128xbf16>) -> tensor<2x16x32xf32>
    %134 = stablehlo.convert %arg12 : (tensor<32xbf16>) -> tensor<32xf32>
    %135 = stablehlo.broadcast_in_dim %134, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %136 = stablehlo.broadcast_in_dim %135, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %137 = stablehlo.add %133, %136 : tensor<2x16x32xf32>
    %138 = stablehlo.convert %137 : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %139 = stablehlo.add %77, %138 : tensor<2x16x32xbf16>
    %140 = stablehlo.convert %139 : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %141 = stablehlo.multiply %140, %140 : tensor<2x16x32xf32>
    %cst_23 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x16x32xf32>
    %143 = stablehlo.multiply %142, %140 : tensor<2x16x32xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %144 = stablehlo.reduce(%141 init: %cst_24) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<f32>
    %cst_25 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %145 = stablehlo.divide %144, %cst_25 : tensor<f32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_27 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %146 = stablehlo.divide %cst_26, %cst_27 : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %146, dims = [] : (tensor<f32>) -> tensor<2x16x32xf32>
    %148 = stablehlo.multiply %147, %143 : tensor<2x16x32xf32>
    %149 = stablehlo.convert %148 : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %150 = stablehlo.convert %149 : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %151 = stablehlo.reduce(%150 init: %cst_28) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %152 = stablehlo.reshape %151 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %153 = stablehlo.reduce(%152 init: %cst_29) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %154 = stablehlo.convert %153 : (tensor<32xf32>) -> tensor<32xbf16>
    %155 = stablehlo.convert %150 : tensor<2x16x32xf32>
    %156 = stablehlo.convert %132 : (tensor<2x16x128xbf16>) -> tensor<2x16x128xf32>
    %157 = stablehlo.dot_general %155, %156, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x32xf32>, tensor<2x16x128xf32>) -> tensor<32x128xf32>
    %158 = stablehlo.convert %157 : (tensor<32x128xf32>) -> tensor<32x128xbf16>
    %159 = stablehlo.convert %150 : tensor<2x16x32xf32>
    %160 = stablehlo.convert %arg11 : (tensor<32x128xbf16>) -> tensor<32x128xf32>
    %161 = stablehlo.dot_general %159, %160, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x32xf32>, tensor<32x128xf32>) -> tensor<2x16x128xf32>
    %162 = stablehlo.convert %161 : (tensor<2x16x128xf32>) -> tensor<2x16x128xbf16>
    %163 = stablehlo.convert %162 : (tensor<2x16x128xbf16>) -> tensor<2x16x128xf32>
    %164 = stablehlo.multiply %113, %163 : tensor<2x16x128xf32>
    %165 = stablehlo.multiply %163, %130 : tensor<2x16x128xf32>
    %cst_30 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x16x128xf32>
    %167 = stablehlo.multiply %166, %164 : tensor<2x16x128xf32>
    %168 = stablehlo.multiply %167, %126 : tensor<2x16x128xf32>
    %169 = stablehlo.multiply %168, %124 : tensor<2x16x128xf32>
    %170 = stablehlo.add %168, %169 : tensor<2x16x128xf32>
    %cst_31 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<2x16x128xf32>
    %172 = stablehlo.multiply %171, %170 : tensor<2x16x128xf32>
    %173 = stablehlo.add %165, %172 : tensor<2x16x128xf32>
    %cst_32 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<2x16x128xf32>
    %175 = stablehlo.multiply %174, %172 : tensor<2x16x128xf32>
    %176 = stablehlo.multiply %175, %118 : tensor<2x16x128xf32>
    %177 = stablehlo.add %173, %176 : tensor<2x16x128xf32>
    %178 = stablehlo.convert %177 : (tensor<2x16x128xf32>) -> tensor<2x16x128xbf16>
    %179 = stablehlo.convert %178 : (tensor<2x16x128xbf16>) -> tensor<2x16x128xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %180 = stablehlo.reduce(%179 init: %cst_33) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x128xf32>, tensor<f32>) -> tensor<128xf32>
    %181 = stablehlo.reshape %180 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.reduce(%181 init: %cst_34) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %183 = stablehlo.convert %182 : (tensor<128xf32>) -> tensor<128xbf16>
    %184 = stablehlo.convert %179 : tensor<2x16x128xf32>
    %185 = stablehlo.convert %106 : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %186 = stablehlo.dot_general %184, %185, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x128xf32>, tensor<2x16x32xf32>) -> tensor<128x32xf32>
    %187 = stablehlo.convert %186 : (tensor<128x32xf32>) -> tensor<128x32xbf16>
    %188 = stablehlo.convert %179 : tensor<2x16x128xf32>
    %189 = stablehlo.convert %arg9 : (tensor<128x32xbf16>) -> tensor<128x32xf32>
    %190 = stablehlo.dot_general %188, %189, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x128xf32>, tensor<128x32xf32>) -> tensor<2x16x32xf32>
    %191 = stablehlo.convert %190 : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %192 = stablehlo.convert %191 : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %193 = stablehlo.reduce(%192 init: %cst_35) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %194 = stablehlo.reshape %193 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %195 = stablehlo.reduce(%194 init: %cst_36) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %196 = stablehlo.convert %195 : (tensor<32xf32>) -> tensor<32xbf16>
    %197 = stablehlo.multiply %97, %192 : tensor<2x16x32xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %198 = stablehlo.reduce(%197 init: %cst_37) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %199 = stablehlo.reshape %198 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %200 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %201 = stablehlo.multiply %192, %200 : tensor<2x16x32xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %202 = stablehlo.reduce(%199 init: %cst_38) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %203 = stablehlo.convert %202 : (tensor<32xf32>) -> tensor<32xbf16>
    %204 = stablehlo.multiply %84, %201 : tensor<2x16x32xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %205 = stablehlo.reduce(%204 init: %cst_39) applies stablehlo.add across dimensions = [2] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %206 = stablehlo.reshape %205 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %207 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %208 = stablehlo.multiply %201, %207 : tensor<2x16x32xf32>
    %209 = stablehlo.multiply %206, %95 : tensor<2x16x1xf32>
    %cst_40 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %211 = stablehlo.divide %209, %210 : tensor<2x16x1xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %212 = stablehlo.reduce(%211 init: %cst_41) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %213 = stablehlo.broadcast_in_dim %212, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x32xf32>
    %214 = stablehlo.multiply %84, %213 : tensor<2x16x32xf32>
    %215 = stablehlo.add %208, %214 : tensor<2x16x32xf32>
    %216 = stablehlo.multiply %213, %84 : tensor<2x16x32xf32>
    %217 = stablehlo.add %215, %216 : tensor<2x16x32xf32>
    %218 = stablehlo.negate %217 : tensor<2x16x32xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %219 = stablehlo.reduce(%218 init: %cst_42) applies stablehlo.add across dimensions = [2] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %220 = stablehlo.reshape %219 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_43 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %222 = stablehlo.divide %220, %221 : tensor<2x16x1xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %223 = stablehlo.reduce(%222 init: %cst_44) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %224 = stablehlo.broadcast_in_dim %223, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x32xf32>
    %225 = stablehlo.add %217, %224 : tensor<2x16x32xf32>
    %226 = stablehlo.convert %225 : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %227 = stablehlo.add %149, %226 : tensor<2x16x32xbf16>
    %228 = stablehlo.convert %227 : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %229 = stablehlo.reduce(%228 init: %cst_45) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %230 = stablehlo.reshape %229 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %231 = stablehlo.reduce(%230 init: %cst_46) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %232 = stablehlo.convert %231 : (tensor<32xf32>) -> tensor<32xbf16>
    %233 = stablehlo.convert %228 : tensor<2x16x32xf32>
    %234 = stablehlo.convert %70 : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %235 = stablehlo.dot_general %233, %234, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x32xf32>, tensor<2x16x32xf32>) -> tensor<32x32xf32>
    %236 = stablehlo.convert %235 : (tensor<32x32xf32>) -> tensor<32x32xbf16>
    %237 = stablehlo.convert %228 : tensor<2x16x32xf32>
    %238 = stablehlo.convert %arg5 : (tensor<32x32xbf16>) -> tensor<32x32xf32>
    %239 = stablehlo.dot_general %237, %238, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x32xf32>, tensor<32x32xf32>) -> tensor<2x16x32xf32>
    %240 = stablehlo.convert %239 : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %241 = stablehlo.reshape %240 : (tensor<2x16x32xbf16>) -> tensor<2x16x4x8xbf16>
    %242 = stablehlo.transpose %241, dims = [0, 2, 1, 3] : (tensor<2x16x4x8xbf16>) -> tensor<2x4x16x8xbf16>
    %243 = stablehlo.dot_general %242, %67, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16x8xbf16>, tensor<2x4x16x16xbf16>) -> tensor<2x4x8x16xbf16>
    %244 = stablehlo.transpose %243, dims = [0, 1, 3, 2] : (tensor<2x4x8x16xbf16>) -> tensor<2x4x16x8xbf16>
    %245 = stablehlo.dot_general %242, %42, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16x8xbf16>, tensor<2x4x16x8xbf16>) -> tensor<2x4x16x16xbf16>
    %246 = stablehlo.convert %245 : (tensor<2x4x16x16xbf16>) -> tensor<2x4x16x16xf32>
    %247 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2, 3] : (tensor<2x4x16x1xf32>) -> tensor<2x4x16x16xf32>
    %248 = stablehlo.multiply %246, %247 : tensor<2x4x16x16xf32>
    %249 = stablehlo.multiply %248, %59 : tensor<2x4x16x16xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %250 = stablehlo.reduce(%249 init: %cst_47) applies stablehlo.add across dimensions = [3] : (tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16xf32>
    %251 = stablehlo.reshape %250 : (tensor<2x4x16xf32>) -> tensor<2x4x16x1xf32>
    %252 = stablehlo.negate %251 : tensor<2x4x16x1xf32>
    %253 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<2x4x16x1xf32>) -> tensor<2x4x16x16xf32>
    %254 = stablehlo.divide %246, %253 : tensor<2x4x16x16xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %255 = stablehlo.reduce(%252 init: %cst_48) applies stablehlo.add across dimensions = [3] : (tensor<2x4x16x1xf32>, tensor<f32>) -> tensor<2x4x16xf32>
    %256 = stablehlo.broadcast_in_dim %255, dims = [0, 1, 2] : (tensor<2x4x16xf32>) -> tensor<2x4x16x16xf32>
    %257 = stablehlo.add %254, %256 : tensor<2x4x16x16xf32>
    %258 = stablehlo.multiply %257, %59 : tensor<2x4x16x16xf32>
    %259 = call @_where_0(%52#1, %258) : (tensor<2x4x16x16xi1>, tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
    %cst_49 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %260 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<2x4x16x16xf32>
    %261 = stablehlo.multiply %259, %260 : tensor<2x4x16x16xf32>
    %262 = stablehlo.convert %261 : tensor<2x4x16x16xf32>
    %263 = stablehlo.convert %38 : (tensor<2x4x16x8xbf16>) -> tensor<2x4x16x8xf32>
    %264 = stablehlo.dot_general %262, %263, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
    %265 = stablehlo.convert %264 : (tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xbf16>
    %266 = stablehlo.convert %261 : tensor<2x4x16x16xf32>
    %267 = stablehlo.convert %40 : (tensor<2x4x16x8xbf16>) -> tensor<2x4x16x8xf32>
    %268 = stablehlo.dot_general %266, %267, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
    %269 = stablehlo.convert %268 : (tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xbf16>
    %270 = stablehlo.broadcast_in_dim %244, dims = [1, 2, 3, 4] : (tensor<2x4x16x8xbf16>) -> tensor<1x2x4x16x8xbf16>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %271 = stablehlo.pad %270, %cst_50, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x4x16x8xbf16>, tensor<bf16>) -> tensor<3x2x4x16x8xbf16>
    %272 = stablehlo.broadcast_in_dim %265, dims = [1, 2, 3, 4] : (tensor<2x4x16x8xbf16>) -> tensor<1x2x4x16x8xbf16>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %273 = stablehlo.pad %272, %cst_51, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x4x16x8xbf16>, tensor<bf16>) -> tensor<3x2x4x16x8xbf16>
    %274 = stablehlo.add %271, %273 : tensor<3x2x4x16x8xbf16>
    %275 = stablehlo.broadcast_in_dim %269, dims = [1, 2, 3, 4] : (tensor<2x4x16x8xbf16>) -> tensor<1x2x4x16x8xbf16>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %276 = stablehlo.pad %275, %cst_52, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x4x16x8xbf16>, tensor<bf16>) -> tensor<3x2x4x16x8xbf16>
    %277 = stablehlo.add %274, %276 : tensor<3x2x4x16x8xbf16>
    %278 = stablehlo.transpose %277, dims = [1, 3, 0, 2, 4] : (tensor<3x2x4x16x8xbf16>) -> tensor<2x16x3x4x8xbf16>
    %279 = stablehlo.reshape %278 : (tensor<2x16x3x4x8xbf16>) -> tensor<2x16x96xbf16>
    %280 = stablehlo.convert %279 : (tensor<2x16x96xbf16>) -> tensor<2x16x96xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %281 = stablehlo.reduce(%280 init: %cst_53) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x96xf32>, tensor<f32>) -> tensor<96xf32>
    %282 = stablehlo.reshape %281 : (tensor<96xf32>) -> tensor<1x1x96xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %283 = stablehlo.reduce(%282 init: %cst_54) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x96xf32>, tensor<f32>) -> tensor<96xf32>
    %284 = stablehlo.convert %283 : (tensor<96xf32>) -> tensor<96xbf16>
    %285 = stablehlo.convert %280 : tensor<2x16x96xf32>
    %286 = stablehlo.convert %28 : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %287 = stablehlo.dot_general %285, %286, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x96xf32>, tensor<2x16x32xf32>) -> tensor<96x32xf32>
    %288 = stablehlo.convert %287 : (tensor<96x32xf32>) -> tensor<96x32xbf16>
    %289 = stablehlo.convert %280 : tensor<2x16x96xf32>
    %290 = stablehlo.convert %arg3 : (tensor<96x32xbf16>) -> tensor<96x32xf32>
    %291 = stablehlo.dot_general %289, %290, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x96xf32>, tensor<96x32xf32>) -> tensor<2x16x32xf32>
    %292 = stablehlo.convert %291 : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %293 = stablehlo.convert %292 : (tensor<2x16x32xbf16>) -> tensor<2x16x32xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %294 = stablehlo.reduce(%293 init: %cst_55) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %295 = stablehlo.reshape %294 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %296 = stablehlo.reduce(%295 init: %cst_56) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %297 = stablehlo.convert %296 : (tensor<32xf32>) -> tensor<32xbf16>
    %298 = stablehlo.multiply %19, %293 : tensor<2x16x32xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %299 = stablehlo.reduce(%298 init: %cst_57) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %300 = stablehlo.reshape %299 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %301 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x16x32xf32>
    %302 = stablehlo.multiply %293, %301 : tensor<2x16x32xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %303 = stablehlo.reduce(%300 init: %cst_58) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %304 = stablehlo.convert %303 : (tensor<32xf32>) -> tensor<32xbf16>
    %305 = stablehlo.multiply %6, %302 : tensor<2x16x32xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %306 = stablehlo.reduce(%305 init: %cst_59) applies stablehlo.add across dimensions = [2] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %307 = stablehlo.reshape %306 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %308 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x32xf32>
    %309 = stablehlo.multiply %302, %308 : tensor<2x16x32xf32>
    %310 = stablehlo.multiply %307, %17 : tensor<2x16x1xf32>
    %cst_60 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %311 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %312 = stablehlo.divide %310, %311 : tensor<2x16x1xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %313 = stablehlo.reduce(%312 init: %cst_61) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %314 = stablehlo.broadcast_in_dim %313, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x32xf32>
    %315 = stablehlo.multiply %6, %314 : tensor<2x16x32xf32>
    %316 = stablehlo.add %309, %315 : tensor<2x16x32xf32>
    %317 = stablehlo.multiply %314, %6 : tensor<2x16x32xf32>
    %318 = stablehlo.add %316, %317 : tensor<2x16x32xf32>
    %319 = stablehlo.negate %318 : tensor<2x16x32xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %320 = stablehlo.reduce(%319 init: %cst_62) applies stablehlo.add across dimensions = [2] : (tensor<2x16x32xf32>, tensor<f32>) -> tensor<2x16xf32>
    %321 = stablehlo.reshape %320 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_63 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %322 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %323 = stablehlo.divide %321, %322 : tensor<2x16x1xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %324 = stablehlo.reduce(%323 init: %cst_64) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %325 = stablehlo.broadcast_in_dim %324, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x32xf32>
    %326 = stablehlo.add %318, %325 : tensor<2x16x32xf32>
    %327 = stablehlo.convert %326 : (tensor<2x16x32xf32>) -> tensor<2x16x32xbf16>
    %328 = stablehlo.add %227, %327 : tensor<2x16x32xbf16>
    return %145, %328, %304, %297, %288, %284, %236, %232, %203, %196, %187, %183, %158, %154 : tensor<f32>, tensor<2x16x32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<96x32xbf16>, tensor<96xbf16>, tensor<32x32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<128x32xbf16>, tensor<128xbf16>, tensor<32x128xbf16>, tensor<32xbf16>
  }
  func.func private @_where(%arg0: tensor<16x16xi1>, %arg1: tensor<2x4x16x16xf32>, %arg2: tensor<f32>) -> (tensor<2x4x16x16xf32>, tensor<2x4x16x16xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<16x16xi1>) -> tensor<2x4x16x16xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x4x16x16xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x4x16x16xi1>, tensor<2x4x16x16xf32>
    return %3, %1 : tensor<2x4x16x16xf32>, tensor<2x4x16x16xi1>
  }
  func.func private @_where_0(%arg0: tensor<2x4x16x16xi1>, %arg1: tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x16x16xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<2x4x16x16xi1>, tensor<2x4x16x16xf32>
    return %1 : tensor<2x4x16x16xf32>
  }
}
