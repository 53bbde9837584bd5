// RUN: mlopt-run %s

// Corner cases of what import decides by itself.
func.func @main() {
  // Unsigned exponents up to the greatest, modulo 256.
  %base = stablehlo.constant dense<[3, 2, 255, 0, 7, 0]> : tensor<6xui8>
  %exponent = stablehlo.constant dense<[200, 255, 129, 0, 1, 5]> : tensor<6xui8>
  %power = stablehlo.power %base, %exponent : tensor<6xui8>
  %power_want = stablehlo.constant dense<[161, 0, 255, 1, 7, 0]> : tensor<6xui8>
  stablehlo.custom_call @check.expect_eq(%power, %power_want) : (tensor<6xui8>, tensor<6xui8>) -> ()

  // The total order: -NaN, -inf, -0, 0, inf, NaN.
  %ordered = stablehlo.constant dense<[0xFFC00000, 0xFF800000, -0.0, 0.0, 0x7F800000]> : tensor<5xf32>
  %above = stablehlo.constant dense<[0xFF800000, -0.0, 0.0, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  %less = stablehlo.compare LT, %ordered, %above, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %true = stablehlo.constant dense<true> : tensor<5xi1>
  stablehlo.custom_call @check.expect_eq(%less, %true) : (tensor<5xi1>, tensor<5xi1>) -> ()

  // A float is true unless it is zero; NaN is true.
  %floats = stablehlo.constant dense<[0.0, -0.0, 0.5, 0x7FC00000]> : tensor<4xf32>
  %bools = stablehlo.convert %floats : (tensor<4xf32>) -> tensor<4xi1>
  %bools_want = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  stablehlo.custom_call @check.expect_eq(%bools, %bools_want) : (tensor<4xi1>, tensor<4xi1>) -> ()

  // Unsigned indices are great, not negative: they clamp to the end.
  %table = stablehlo.constant dense<[10, 11, 12, 13]> : tensor<4xi32>
  %index = stablehlo.constant dense<4294967295> : tensor<ui32>
  %last = stablehlo.dynamic_slice %table, %index, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
  %last_want = stablehlo.constant dense<13> : tensor<1xi32>
  stablehlo.custom_call @check.expect_eq(%last, %last_want) : (tensor<1xi32>, tensor<1xi32>) -> ()

  // A case's index that names no branch takes the last one.
  %minus = stablehlo.constant dense<-1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %a = call @pick(%minus) : (tensor<i32>) -> tensor<i32>
  %b = call @pick(%zero) : (tensor<i32>) -> tensor<i32>
  %c = call @pick(%seven) : (tensor<i32>) -> tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %twelve = stablehlo.constant dense<12> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%a, %twelve) : (tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @check.expect_eq(%b, %ten) : (tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @check.expect_eq(%c, %twelve) : (tensor<i32>, tensor<i32>) -> ()

  // Top-k by the total order, equal elements in their order.
  %x = stablehlo.constant dense<[-0.0, 0x7FC00000, 0.0, 1.0, 0x7F800000, 1.0, 0xFFC00000]> : tensor<7xf32>
  %top, %where = chlo.top_k(%x, k = 6) : tensor<7xf32> -> (tensor<6xf32>, tensor<6xi32>)
  %where_want = stablehlo.constant dense<[1, 4, 3, 5, 2, 0]> : tensor<6xi32>
  stablehlo.custom_call @check.expect_eq(%where, %where_want) : (tensor<6xi32>, tensor<6xi32>) -> ()

  // A comparator that is no kind: by size, then as they came.
  %sizes = stablehlo.constant dense<[-3, 1, 3, -2, 2, 0]> : tensor<6xi32>
  %sorted = "stablehlo.sort"(%sizes) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %0 = stablehlo.abs %p : tensor<i32>
    %1 = stablehlo.abs %q : tensor<i32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<6xi32>) -> tensor<6xi32>
  %sorted_want = stablehlo.constant dense<[0, 1, -2, 2, -3, 3]> : tensor<6xi32>
  stablehlo.custom_call @check.expect_eq(%sorted, %sorted_want) : (tensor<6xi32>, tensor<6xi32>) -> ()

  // A scatter by a region: updates come one after the other, and those out of
  // bounds not at all.
  %old = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %places = stablehlo.constant dense<[[2], [0], [2], [3], [-1]]> : tensor<5x1xi32>
  %updates = stablehlo.constant dense<[10.0, 20.0, 30.0, 40.0, 50.0]> : tensor<5xf32>
  %new = "stablehlo.scatter"(%old, %places, %updates) <{
      scatter_dimension_numbers = #stablehlo.scatter<
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
          index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %0 = stablehlo.subtract %q, %p : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) : (tensor<3xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<3xf32>
  %new_want = stablehlo.constant dense<[19.0, 2.0, 23.0]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_eq(%new, %new_want) : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}

func.func private @pick(%i: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.constant dense<10> : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }, {
    %1 = stablehlo.constant dense<11> : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }, {
    %1 = stablehlo.constant dense<12> : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
