// Elementary functions, at ordinary values and where they end: infinities,
// zeros, NaN, the bounds of their domains.
//
// RUN: mlopt-run %s | FileCheck %s
// CHECK: right: 27 of 27 comparisons

func.func private @inputs()
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<4xbf16>, tensor<4xf64>)
    attributes {mlopt.source} {
  %x = mlopt.constant dense<[0.5, -0.0, 2.0, -3.0, 0x7F800000, 0xFF800000,
      0x7FC00000, 9.999999974752427e-07]> : tensor<8xf32>
  %u = mlopt.constant dense<[0.5, -0.0, 1.0, -1.0, 2.0, -0.25, 0x7FC00000,
      9.999999974752427e-07]> : tensor<8xf32>
  %p = mlopt.constant dense<[2.0, -2.0, -2.0, 0.0, -0.0, 1.0, 0x7FC00000,
      -1.0]> : tensor<8xf32>
  %q = mlopt.constant dense<[0.5, 3.0, 0.5, -1.0, -3.0, 0x7FC00000, 0.0,
      0x7F800000]> : tensor<8xf32>
  %b = mlopt.constant dense<[0.5, -1.5, 3.0, 80.0]> : tensor<4xbf16>
  %d = mlopt.constant dense<[0.5, -1.5, 3.0, 80.0]> : tensor<4xf64>
  return %x, %u, %p, %q, %b, %d
      : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
          tensor<4xbf16>, tensor<4xf64>
}

func.func @main(
    %x: tensor<8xf32>, %u: tensor<8xf32>, %p: tensor<8xf32>, %q: tensor<8xf32>,
        %b: tensor<4xbf16>, %d: tensor<4xf64>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xf32>, tensor<4xbf16>, tensor<4xbf16>,
        tensor<4xbf16>, tensor<4xbf16>, tensor<4xf64>, tensor<4xf64>,
        tensor<4xf64>, tensor<4xf64>)
    attributes {mlopt.arguments_from = [@inputs],
                mlopt.checks = [
      {kind = "close", actual = 0, expected = 1, max_ulp = 2},
      {kind = "close", actual = 2, expected = 3, max_ulp = 2},
      {kind = "close", actual = 4, expected = 5, max_ulp = 2},
      {kind = "close", actual = 6, expected = 7, max_ulp = 2},
      {kind = "close", actual = 8, expected = 9, max_ulp = 2},
      {kind = "close", actual = 10, expected = 11, max_ulp = 2},
      {kind = "close", actual = 12, expected = 13, max_ulp = 2},
      {kind = "close", actual = 14, expected = 15, max_ulp = 2},
      {kind = "close", actual = 16, expected = 17, max_ulp = 2},
      {kind = "close", actual = 18, expected = 19, max_ulp = 2},
      {kind = "close", actual = 20, expected = 21, max_ulp = 2},
      {kind = "close", actual = 22, expected = 23, max_ulp = 2},
      {kind = "close", actual = 24, expected = 25, max_ulp = 2},
      {kind = "close", actual = 26, expected = 27, max_ulp = 2},
      {kind = "close", actual = 28, expected = 29, max_ulp = 2},
      {kind = "close", actual = 30, expected = 31, max_ulp = 2},
      {kind = "close", actual = 32, expected = 33, max_ulp = 2},
      {kind = "close", actual = 34, expected = 35, max_ulp = 2},
      {kind = "close", actual = 36, expected = 37, max_ulp = 2},
      {kind = "close", actual = 38, expected = 39, max_ulp = 2},
      {kind = "close", actual = 40, expected = 41, max_ulp = 2},
      {kind = "close", actual = 42, expected = 43, max_ulp = 2},
      {kind = "close", actual = 44, expected = 45, max_ulp = 2},
      {kind = "close", actual = 46, expected = 47, max_ulp = 2},
      {kind = "close", actual = 48, expected = 49, max_ulp = 2},
      {kind = "close", actual = 50, expected = 51, max_ulp = 2},
      {kind = "close", actual = 52, expected = 53, max_ulp = 2}]} {
  %exp = mlopt.exp %x : tensor<8xf32>
  %exp_is = mlopt.constant dense<[1.6487212181091309, 1.0, 7.389056205749512,
      0.049787066876888275, 0x7F800000, 0.0, 0x7FC00000,
      1.0000009536743164]> : tensor<8xf32>
  %expm1 = mlopt.expm1 %x : tensor<8xf32>
  %expm1_is = mlopt.constant dense<[0.6487212777137756, -0.0, 6.389056205749512,
      -0.9502129554748535, 0x7F800000, -1.0, 0x7FC00000,
      1.0000004522225936e-06]> : tensor<8xf32>
  %log = mlopt.log %x : tensor<8xf32>
  %log_is = mlopt.constant dense<[-0.6931471824645996, 0xFF800000,
      0.6931471824645996, 0x7FC00000, 0x7F800000, 0x7FC00000, 0x7FC00000,
      -13.815510749816895]> : tensor<8xf32>
  %log1p = mlopt.log1p %x : tensor<8xf32>
  %log1p_is = mlopt.constant dense<[0.40546509623527527, -0.0,
      1.0986123085021973, 0x7FC00000, 0x7F800000, 0x7FC00000, 0x7FC00000,
      9.999995427278918e-07]> : tensor<8xf32>
  %rsqrt = mlopt.rsqrt %x : tensor<8xf32>
  %rsqrt_is = mlopt.constant dense<[1.4142135381698608, 0xFF800000,
      0.7071067690849304, 0x7FC00000, 0.0, 0x7FC00000, 0x7FC00000,
      1000.0]> : tensor<8xf32>
  %cbrt = mlopt.cbrt %x : tensor<8xf32>
  %cbrt_is = mlopt.constant dense<[0.7937005162239075, -0.0, 1.2599210739135742,
      -1.4422495365142822, 0x7F800000, 0xFF800000, 0x7FC00000,
      0.009999999776482582]> : tensor<8xf32>
  %logistic = mlopt.logistic %x : tensor<8xf32>
  %logistic_is = mlopt.constant dense<[0.622459352016449, 0.5,
      0.8807970881462097, 0.04742587357759476, 1.0, 0.0, 0x7FC00000,
      0.5000002384185791]> : tensor<8xf32>
  %sin = mlopt.sin %x : tensor<8xf32>
  %sin_is = mlopt.constant dense<[0.4794255495071411, -0.0, 0.9092974066734314,
      -0.14112000167369843, 0x7FC00000, 0x7FC00000, 0x7FC00000,
      9.999999974752427e-07]> : tensor<8xf32>
  %cos = mlopt.cos %x : tensor<8xf32>
  %cos_is = mlopt.constant dense<[0.8775825500488281, 1.0, -0.416146844625473,
      -0.9899924993515015, 0x7FC00000, 0x7FC00000, 0x7FC00000,
      1.0]> : tensor<8xf32>
  %tan = mlopt.tan %x : tensor<8xf32>
  %tan_is = mlopt.constant dense<[0.5463024973869324, -0.0, -2.185039758682251,
      0.14254654943943024, 0x7FC00000, 0x7FC00000, 0x7FC00000,
      9.999999974752427e-07]> : tensor<8xf32>
  %atan = mlopt.atan %x : tensor<8xf32>
  %atan_is = mlopt.constant dense<[0.46364760398864746, -0.0,
      1.1071487665176392, -1.249045729637146, 1.5707963705062866,
      -1.5707963705062866, 0x7FC00000, 9.999999974752427e-07]> : tensor<8xf32>
  %sinh = mlopt.sinh %x : tensor<8xf32>
  %sinh_is = mlopt.constant dense<[0.5210952758789062, -0.0, 3.6268603801727295,
      -10.017874717712402, 0x7F800000, 0xFF800000, 0x7FC00000,
      9.999999974752427e-07]> : tensor<8xf32>
  %cosh = mlopt.cosh %x : tensor<8xf32>
  %cosh_is = mlopt.constant dense<[1.1276259422302246, 1.0, 3.762195587158203,
      10.067662239074707, 0x7F800000, 0x7F800000, 0x7FC00000,
      1.0]> : tensor<8xf32>
  %tanh = mlopt.tanh %x : tensor<8xf32>
  %tanh_is = mlopt.constant dense<[0.46211716532707214, -0.0,
      0.9640275835990906, -0.9950547814369202, 1.0, -1.0, 0x7FC00000,
      9.999999974752427e-07]> : tensor<8xf32>
  %asinh = mlopt.asinh %x : tensor<8xf32>
  %asinh_is = mlopt.constant dense<[0.4812118113040924, -0.0,
      1.4436354637145996, -1.8184465169906616, 0x7F800000, 0xFF800000,
      0x7FC00000, 9.999999974752427e-07]> : tensor<8xf32>
  %acosh = mlopt.acosh %x : tensor<8xf32>
  %acosh_is = mlopt.constant dense<[0x7FC00000, 0x7FC00000, 1.316957950592041,
      0x7FC00000, 0x7F800000, 0x7FC00000, 0x7FC00000,
      0x7FC00000]> : tensor<8xf32>
  %erf = mlopt.erf %x : tensor<8xf32>
  %erf_is = mlopt.constant dense<[0.5204998850822449, -0.0, 0.9953222870826721,
      -0.9999778866767883, 1.0, -1.0, 0x7FC00000,
      1.1283791536698118e-06]> : tensor<8xf32>
  %erfc = mlopt.erfc %x : tensor<8xf32>
  %erfc_is = mlopt.constant dense<[0.4795001149177551, 1.0,
      0.004677734803408384, 1.999977946281433, 0.0, 2.0, 0x7FC00000,
      0.9999988675117493]> : tensor<8xf32>
  %asin = mlopt.asin %u : tensor<8xf32>
  %asin_is = mlopt.constant dense<[0.5235987901687622, -0.0, 1.5707963705062866,
      -1.5707963705062866, 0x7FC00000, -0.252680242061615, 0x7FC00000,
      9.999999974752427e-07]> : tensor<8xf32>
  %acos = mlopt.acos %u : tensor<8xf32>
  %acos_is = mlopt.constant dense<[1.0471975803375244, 1.5707963705062866, 0.0,
      3.1415927410125732, 0x7FC00000, 1.8234765529632568, 0x7FC00000,
      1.5707952976226807]> : tensor<8xf32>
  %atanh = mlopt.atanh %u : tensor<8xf32>
  %atanh_is = mlopt.constant dense<[0.5493061542510986, -0.0, 0x7F800000,
      0xFF800000, 0x7FC00000, -0.2554128170013428, 0x7FC00000,
      9.999999974752427e-07]> : tensor<8xf32>

  // pow(1, x) and pow(x, 0) are 1 for every x.
  %pow = mlopt.pow %p, %q : tensor<8xf32>
  %pow_is = mlopt.constant dense<[1.4142135381698608, -8.0, 0x7FC00000,
      0x7F800000, 0xFF800000, 1.0, 1.0, 1.0]> : tensor<8xf32>

  // The angle of a point, signed zeros told apart.
  %atan2 = mlopt.atan2 %u, %p : tensor<8xf32>
  %atan2_is = mlopt.constant dense<[0.244978666305542, -3.1415927410125732,
      2.677945137023926, -1.5707963705062866, 1.5707963705062866,
      -0.244978666305542, 0x7FC00000, 3.1415915489196777]> : tensor<8xf32>

  // In bf16: the f32 result, rounded once.
  %bexp = mlopt.exp %b : tensor<4xbf16>
  %blogistic = mlopt.logistic %b : tensor<4xbf16>
  %bexp_is = mlopt.constant dense<[1.6484375, 0.22265625, 20.125,
      5.549267267559097e+34]> : tensor<4xbf16>
  %blogistic_is = mlopt.constant dense<[0.62109375, 0.1826171875, 0.953125,
      1.0]> : tensor<4xbf16>

  // In f64.
  %dexp = mlopt.exp %d : tensor<4xf64>
  %dtanh = mlopt.tanh %d : tensor<4xf64>
  %dexp_is = mlopt.constant dense<[1.6487212707001282, 0.22313016014842982,
      20.085536923187668, 5.54062238439351e+34]> : tensor<4xf64>
  %dtanh_is = mlopt.constant dense<[0.46211715726000974, -0.9051482536448664,
      0.9950547536867305, 1.0]> : tensor<4xf64>

  return %exp, %exp_is, %expm1, %expm1_is, %log, %log_is, %log1p, %log1p_is,
      %rsqrt, %rsqrt_is, %cbrt, %cbrt_is, %logistic, %logistic_is, %sin,
      %sin_is, %cos, %cos_is, %tan, %tan_is, %atan, %atan_is, %sinh, %sinh_is,
      %cosh, %cosh_is, %tanh, %tanh_is, %asinh, %asinh_is, %acosh, %acosh_is,
      %erf, %erf_is, %erfc, %erfc_is, %asin, %asin_is, %acos, %acos_is, %atanh,
      %atanh_is, %pow, %pow_is, %atan2, %atan2_is, %bexp, %bexp_is, %blogistic,
      %blogistic_is, %dexp, %dexp_is, %dtanh, %dtanh_is
      : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
          tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
          tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
          tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
          tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
          tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
          tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
          tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
          tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
          tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
          tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
          tensor<8xf32>, tensor<8xf32>, tensor<4xbf16>, tensor<4xbf16>,
          tensor<4xbf16>, tensor<4xbf16>, tensor<4xf64>, tensor<4xf64>,
          tensor<4xf64>, tensor<4xf64>
}
