// Layout operations, with the sizes and paddings that need care.
//
// RUN: mlopt-run %s | FileCheck %s
// CHECK: right: 19 of 19 comparisons

func.func private @inputs()
    -> (tensor<3x4xi32>, tensor<2x1xi32>, tensor<i32>, tensor<4xi32>,
        tensor<0xi32>)
    attributes {mlopt.source} {
  %x = mlopt.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10,
      11]]> : tensor<3x4xi32>
  %row = mlopt.constant dense<[[7], [8]]> : tensor<2x1xi32>
  %one = mlopt.constant dense<1> : tensor<i32>
  %v = mlopt.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %empty = mlopt.constant dense<> : tensor<0xi32>
  return %x, %row, %one, %v, %empty
      : tensor<3x4xi32>, tensor<2x1xi32>, tensor<i32>, tensor<4xi32>,
          tensor<0xi32>
}

func.func @main(
    %x: tensor<3x4xi32>, %row: tensor<2x1xi32>, %one: tensor<i32>,
        %v: tensor<4xi32>, %empty: tensor<0xi32>)
    -> (tensor<3x1x2xi32>, tensor<3x1x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>,
        tensor<2x2xi32>, tensor<2x2xi32>, tensor<12xi32>, tensor<12xi32>,
        tensor<4x1x3xi32>, tensor<4x1x3xi32>, tensor<1x1xi32>, tensor<1x1xi32>,
        tensor<i32>, tensor<i32>, tensor<3x4xi32>, tensor<3x4xi32>,
        tensor<4x3xi32>, tensor<4x3xi32>, tensor<2x2xi32>, tensor<2x2xi32>,
        tensor<10xi32>, tensor<10xi32>, tensor<7xi32>, tensor<7xi32>,
        tensor<1xi32>, tensor<1xi32>, tensor<5xi32>, tensor<5xi32>,
        tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>,
        tensor<11xi32>, tensor<11xi32>, tensor<1x5xi8>, tensor<1x5xi8>,
        tensor<3x2xbf16>, tensor<3x2xbf16>)
    attributes {mlopt.arguments_from = [@inputs],
                mlopt.checks = [
      {kind = "eq", actual = 0, expected = 1},
      {kind = "eq", actual = 2, expected = 3},
      {kind = "eq", actual = 4, expected = 5},
      {kind = "eq", actual = 6, expected = 7},
      {kind = "eq", actual = 8, expected = 9},
      {kind = "eq", actual = 10, expected = 11},
      {kind = "eq", actual = 12, expected = 13},
      {kind = "eq", actual = 14, expected = 15},
      {kind = "eq", actual = 16, expected = 17},
      {kind = "eq", actual = 18, expected = 19},
      {kind = "eq", actual = 20, expected = 21},
      {kind = "eq", actual = 22, expected = 23},
      {kind = "eq", actual = 24, expected = 25},
      {kind = "eq", actual = 26, expected = 27},
      {kind = "eq", actual = 28, expected = 29},
      {kind = "eq", actual = 30, expected = 31},
      {kind = "eq", actual = 32, expected = 33},
      {kind = "eq", actual = 34, expected = 35},
      {kind = "eq", actual = 36, expected = 37}]} {

  // A dimension of size one is repeated; dimensions may change places.
  %bcast = mlopt.broadcast %row dims [2, 1]
      : tensor<2x1xi32> -> tensor<3x1x2xi32>
  %bcast2 = mlopt.broadcast %row dims [1, 0]
      : tensor<2x1xi32> -> tensor<2x2xi32>
  %splat = mlopt.broadcast %one dims [] : tensor<i32> -> tensor<2x2xi32>
  %bcast_is = mlopt.constant dense<[[[7, 8]], [[7, 8]], [[7,
      8]]]> : tensor<3x1x2xi32>
  %bcast2_is = mlopt.constant dense<[[7, 8], [7, 8]]> : tensor<2x2xi32>
  %splat_is = mlopt.constant dense<1> : tensor<2x2xi32>

  // Reshapes through every kind of grouping.
  %flat = mlopt.reshape %x : tensor<3x4xi32> -> tensor<12xi32>
  %regroup = mlopt.reshape %x : tensor<3x4xi32> -> tensor<4x1x3xi32>
  %up = mlopt.reshape %one : tensor<i32> -> tensor<1x1xi32>
  %down = mlopt.reshape %up : tensor<1x1xi32> -> tensor<i32>
  %flat_is = mlopt.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
      11]> : tensor<12xi32>
  %regroup_is = mlopt.constant dense<[[[0, 1, 2]], [[3, 4, 5]], [[6, 7, 8]],
      [[9, 10, 11]]]> : tensor<4x1x3xi32>
  %up_is = mlopt.constant dense<1> : tensor<1x1xi32>
  %down_is = mlopt.constant dense<1> : tensor<i32>

  // A slice of a transpose of a reverse.
  %rev = mlopt.reverse %x dims [0, 1] : tensor<3x4xi32>
  %turn = mlopt.transpose %rev perm [1, 0] : tensor<3x4xi32> -> tensor<4x3xi32>
  %part = mlopt.slice %turn starts [1, 0] limits [4, 3] strides [2, 2]
      : tensor<4x3xi32> -> tensor<2x2xi32>
  %rev_is = mlopt.constant dense<[[11, 10, 9, 8], [7, 6, 5, 4], [3, 2, 1,
      0]]> : tensor<3x4xi32>
  %turn_is = mlopt.constant dense<[[11, 7, 3], [10, 6, 2], [9, 5, 1], [8, 4,
      0]]> : tensor<4x3xi32>
  %part_is = mlopt.constant dense<[[10, 2], [8, 0]]> : tensor<2x2xi32>

  // Padding between, before and after.
  %grow = mlopt.pad %v, %one low [1] high [2] interior [1]
      : tensor<4xi32>, tensor<i32> -> tensor<10xi32>
  %grow_is = mlopt.constant dense<[1, 1, 1, 2, 1, 3, 1, 4, 1,
      1]> : tensor<10xi32>

  // Negative padding removes elements and the gaps between them.
  %cut = mlopt.pad %v, %one low [-2] high [-1] interior [2]
      : tensor<4xi32>, tensor<i32> -> tensor<7xi32>
  %cut_is = mlopt.constant dense<[1, 2, 1, 1, 3, 1, 1]> : tensor<7xi32>

  // Nothing but one padding place survives.
  %gone = mlopt.pad %v, %one low [-3] high [-3] interior [1]
      : tensor<4xi32>, tensor<i32> -> tensor<1xi32>
  %gone_is = mlopt.constant dense<1> : tensor<1xi32>

  // One end cut, the other padded.
  %mixed = mlopt.pad %v, %one low [-1] high [2] interior [0]
      : tensor<4xi32>, tensor<i32> -> tensor<5xi32>
  %mixed_is = mlopt.constant dense<[2, 3, 4, 1, 1]> : tensor<5xi32>

  // All elements but the last place move out at the end.
  %left = mlopt.pad %v, %one low [3] high [-4] interior [0]
      : tensor<4xi32>, tensor<i32> -> tensor<3xi32>
  %left_is = mlopt.constant dense<1> : tensor<3xi32>

  // Padding of no elements at all.
  %only = mlopt.pad %empty, %one low [1] high [2] interior [5]
      : tensor<0xi32>, tensor<i32> -> tensor<3xi32>
  %only_is = mlopt.constant dense<1> : tensor<3xi32>

  // Empty pieces vanish.
  %cat = mlopt.concat %v, %empty, %only, %v dim 0
      : (tensor<4xi32>, tensor<0xi32>, tensor<3xi32>, tensor<4xi32>)
        -> tensor<11xi32>
  %cat_is = mlopt.constant dense<[1, 2, 3, 4, 1, 1, 1, 1, 2, 3,
      4]> : tensor<11xi32>

  // Counting, in integers that wrap and in floats.
  %iota8 = mlopt.iota dim 1 : tensor<1x300xi8>
  %last = mlopt.slice %iota8 starts [0, 126] limits [1, 300] strides [1, 43]
      : tensor<1x300xi8> -> tensor<1x5xi8>
  %iotaf = mlopt.iota dim 0 : tensor<3x2xbf16>
  %last_is = mlopt.constant dense<[[126, -87, -44, -1, 42]]> : tensor<1x5xi8>
  %iotaf_is = mlopt.constant dense<[[0.0, 0.0], [1.0, 1.0], [2.0,
      2.0]]> : tensor<3x2xbf16>

  return %bcast, %bcast_is, %bcast2, %bcast2_is, %splat, %splat_is, %flat,
      %flat_is, %regroup, %regroup_is, %up, %up_is, %down, %down_is, %rev,
      %rev_is, %turn, %turn_is, %part, %part_is, %grow, %grow_is, %cut, %cut_is,
      %gone, %gone_is, %mixed, %mixed_is, %left, %left_is, %only, %only_is,
      %cat, %cat_is, %last, %last_is, %iotaf, %iotaf_is
      : tensor<3x1x2xi32>, tensor<3x1x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>,
          tensor<2x2xi32>, tensor<2x2xi32>, tensor<12xi32>, tensor<12xi32>,
          tensor<4x1x3xi32>, tensor<4x1x3xi32>, tensor<1x1xi32>,
          tensor<1x1xi32>, tensor<i32>, tensor<i32>, tensor<3x4xi32>,
          tensor<3x4xi32>, tensor<4x3xi32>, tensor<4x3xi32>, tensor<2x2xi32>,
          tensor<2x2xi32>, tensor<10xi32>, tensor<10xi32>, tensor<7xi32>,
          tensor<7xi32>, tensor<1xi32>, tensor<1xi32>, tensor<5xi32>,
          tensor<5xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>,
          tensor<3xi32>, tensor<11xi32>, tensor<11xi32>, tensor<1x5xi8>,
          tensor<1x5xi8>, tensor<3x2xbf16>, tensor<3x2xbf16>
}
