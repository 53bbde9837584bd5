// RUN: mlopt-run %s

// What no program of StableHLO's tests covers of convolutions and windows; the
// expected numbers come from a direct transcription of StableHLO's definition.
func.func @main() {
  // Batch groups; feature groups with a reversed kernel; negative padding of a
  // dilated input.
  %batch_groups_x = stablehlo.constant dense<[[[1.0, -2.0, 2.0, -4.0, -3.0], [4.0, -3.0, 1.0, -4.0, 4.0]], [[-1.0, -4.0, -3.0, 2.0, 2.0], [-3.0, -1.0, -3.0, 4.0, 2.0]], [[-4.0, -3.0, -1.0, -4.0, 2.0], [-4.0, -1.0, -4.0, 4.0, -2.0]], [[0.0, 2.0, -2.0, 4.0, -3.0], [0.0, 4.0, -2.0, -3.0, -1.0]]]> : tensor<4x2x5xf32>
  %batch_groups_w = stablehlo.constant dense<[[[1.0, -3.0], [4.0, -3.0]], [[-4.0, -1.0], [3.0, 4.0]], [[2.0, 1.0], [3.0, 3.0]], [[1.0, 0.0], [-1.0, -2.0]]]> : tensor<4x2x2xf32>
  %batch_groups_want = stablehlo.constant dense<[[[32.0, -23.0, 30.0, -23.0], [-2.0, 1.0, -17.0, 23.0], [-26.0, -22.0, -6.0, 0.0], [2.0, 6.0, -5.0, -4.0]], [[2.0, 10.0, -33.0, 6.0], [-5.0, 4.0, 17.0, 10.0], [14.0, 8.0, -15.0, -7.0], [-8.0, 2.0, 6.0, 9.0]]]> : tensor<2x4x4xf32>
  %batch_groups = stablehlo.convolution(%batch_groups_x, %batch_groups_w)
      dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
      window = {stride = [1], pad = [[0, 0]], lhs_dilate = [1],
                rhs_dilate = [1], reverse = [false]}
      {batch_group_count = 2 : i64, feature_group_count = 1 : i64}
      : (tensor<4x2x5xf32>, tensor<4x2x2xf32>) -> tensor<2x4x4xf32>
  stablehlo.custom_call @check.expect_eq(%batch_groups, %batch_groups_want)
      : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> ()
  %feature_groups_x = stablehlo.constant dense<[[[-1.0, -3.0, 0.0, 4.0, 3.0], [1.0, 3.0, 0.0, -3.0, -3.0], [4.0, 2.0, -2.0, 1.0, -2.0], [3.0, 2.0, -4.0, -3.0, 4.0]], [[1.0, 1.0, 1.0, 3.0, 3.0], [-3.0, -3.0, 0.0, 3.0, -3.0], [-4.0, 0.0, 3.0, 0.0, 2.0], [1.0, -4.0, 3.0, 1.0, -2.0]]]> : tensor<2x4x5xf32>
  %feature_groups_w = stablehlo.constant dense<[[[-3.0, 3.0], [-4.0, -1.0]], [[0.0, -2.0], [-1.0, 2.0]], [[2.0, 3.0], [-3.0, -2.0]], [[3.0, 2.0], [4.0, 0.0]]]> : tensor<4x2x2xf32>
  %feature_groups_want = stablehlo.constant dense<[[[-1.0, -12.0, 18.0], [-1.0, 12.0, -11.0], [-1.0, 10.0, -7.0], [24.0, -18.0, 12.0]], [[9.0, 3.0, 9.0], [3.0, -8.0, 3.0], [-11.0, 5.0, 8.0], [-8.0, 21.0, -2.0]]]> : tensor<2x4x3xf32>
  %feature_groups = stablehlo.convolution(%feature_groups_x, %feature_groups_w)
      dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
      window = {stride = [2], pad = [[1, 0]], lhs_dilate = [1],
                rhs_dilate = [1], reverse = [true]}
      {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
      : (tensor<2x4x5xf32>, tensor<4x2x2xf32>) -> tensor<2x4x3xf32>
  stablehlo.custom_call @check.expect_eq(%feature_groups, %feature_groups_want)
      : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> ()
  %negative_padding_x = stablehlo.constant dense<[[[-2.0, 2.0, 4.0, 0.0, 2.0, 1.0, 2.0], [-1.0, -2.0, -3.0, -2.0, -2.0, -1.0, -1.0]]]> : tensor<1x2x7xf32>
  %negative_padding_w = stablehlo.constant dense<[[[-4.0, 3.0, -2.0], [0.0, 0.0, -4.0]], [[-2.0, 2.0, 4.0], [1.0, 1.0, -2.0]], [[4.0, -4.0, 3.0], [4.0, 2.0, 2.0]]]> : tensor<3x2x3xf32>
  %negative_padding_want = stablehlo.constant dense<[[[0.0, 16.0, 0.0, -4.0, 0.0, 10.0], [0.0, 15.0, 0.0, 14.0, 0.0, 3.0], [0.0, -28.0, 0.0, 2.0, 0.0, -16.0]]]> : tensor<1x3x6xf32>
  %negative_padding = stablehlo.convolution(%negative_padding_x, %negative_padding_w)
      dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
      window = {stride = [1], pad = [[-1, -2]], lhs_dilate = [2],
                rhs_dilate = [2], reverse = [true]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x2x7xf32>, tensor<3x2x3xf32>) -> tensor<1x3x6xf32>
  stablehlo.custom_call @check.expect_eq(%negative_padding, %negative_padding_want)
      : (tensor<1x3x6xf32>, tensor<1x3x6xf32>) -> ()

  // Overlapping windows with ties, some of them wholly in the padding.
  %ss_x = stablehlo.constant dense<[[2.0, 2.0, -3.0, 3.0, 2.0], [-4.0, -1.0, -3.0, -1.0, 3.0], [-2.0, -3.0, 1.0, -4.0, -3.0], [-4.0, -2.0, 4.0, -3.0, 1.0]]> : tensor<4x5xf32>
  %ss_source = stablehlo.constant dense<[[-4.0, -3.0, -1.0], [2.0, -2.0, 0.0], [1.0, 1.0, 3.0], [-3.0, -3.0, 3.0], [3.0, 3.0, 3.0], [0.0, -3.0, -2.0]]> : tensor<6x3xf32>
  %ss_init = stablehlo.constant dense<10.0> : tensor<f32>
  %ss_want = stablehlo.constant dense<[[8.0, 10.0, 10.0, 5.0, 9.0], [10.0, 10.0, 10.0, 10.0, 14.0], [10.0, 10.0, 11.0, 10.0, 10.0], [10.0, 10.0, 10.0, 10.0, 16.0]]> : tensor<4x5xf32>
  %ss = "stablehlo.select_and_scatter"(%ss_x, %ss_source, %ss_init) <{
      window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>,
      padding = dense<[[1, 2], [0, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<6x3xf32>, tensor<f32>) -> tensor<4x5xf32>
  stablehlo.custom_call @check.expect_eq(%ss, %ss_want) : (tensor<4x5xf32>, tensor<4x5xf32>) -> ()

  // Padding and holes take part with the initial value.
  %window_sum_x = stablehlo.constant dense<[-3.0, 1.0, 0.0, 3.0, -2.0, 4.0]> : tensor<6xf32>
  %window_sum_init = stablehlo.constant dense<1.0> : tensor<f32>
  %window_sum_want = stablehlo.constant dense<[4.0, 4.0, 4.0, 4.0, 4.0, 4.0]> : tensor<6xf32>
  %window_sum = "stablehlo.reduce_window"(%window_sum_x, %window_sum_init) <{
      window_dimensions = array<i64: 3>, window_strides = array<i64: 2>,
      base_dilations = array<i64: 2>, window_dilations = array<i64: 2>,
      padding = dense<[[3, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  stablehlo.custom_call @check.expect_eq(%window_sum, %window_sum_want) : (tensor<6xf32>, tensor<6xf32>) -> ()
  %window_region_x = stablehlo.constant dense<[-3.0, 1.0, 0.0, 3.0, -2.0, 4.0]> : tensor<6xf32>
  %window_region_init = stablehlo.constant dense<2.0> : tensor<f32>
  %window_region_want = stablehlo.constant dense<[8.0, 8.0, 8.0, 8.0, 8.0, 8.0]> : tensor<6xf32>
  %window_region = "stablehlo.reduce_window"(%window_region_x, %window_region_init) <{
      window_dimensions = array<i64: 3>, window_strides = array<i64: 2>,
      base_dilations = array<i64: 2>, window_dilations = array<i64: 2>,
      padding = dense<[[3, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.abs %b : tensor<f32>
    %0 = stablehlo.add %a, %1 : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  stablehlo.custom_call @check.expect_eq(%window_region, %window_region_want) : (tensor<6xf32>, tensor<6xf32>) -> ()
  return
}
