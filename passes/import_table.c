//===- import_table.c - What becomes of each operation --------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one list of StableHLO and CHLO operations that can be imported, and of
// those for whose refusal there is more to say than that they are not here.
//
//===----------------------------------------------------------------------===//

#include "import.h"

/// The same operation under another name.
#define NAME(op, to) NAME_BY_TYPE(op, to, NULL, NULL)
/// Another name for unsigned operands, and one for booleans.
#define NAME_BY_TYPE(op, to, toUnsigned, toBool)                               \
  {                                                                            \
    .name = op, .rewrite = mloptImportElementwise, .target = "mlopt." to,      \
    .targetUnsigned = toUnsigned, .targetBool = toBool, .scalar = true,        \
    .check = mloptImportCheckArithmetic                                        \
  }
/// The same with CHLO's implicit broadcasts, in functions only.
#define BROADCAST(op, to, toUnsigned, toBool)                                  \
  {                                                                            \
    .name = op, .rewrite = mloptImportBroadcasting, .target = "mlopt." to,     \
    .targetUnsigned = toUnsigned, .targetBool = toBool,                        \
    .check = mloptImportCheckArithmetic                                        \
  }
/// A rewrite of its own; `SCALAR` works in bodies too, `BODIES` has them.
#define OP(op, fn, checkFn)                                                    \
  { .name = op, .rewrite = mloptImport##fn, .check = checkFn }
#define SCALAR(op, fn, checkFn)                                                \
  { .name = op, .rewrite = mloptImport##fn, .scalar = true, .check = checkFn }
#define BODIES(op, fn, checkFn)                                                \
  { .name = op, .rewrite = mloptImport##fn, .bodies = true, .check = checkFn }
#define CHECK(rule) mloptImportCheck##rule
#define REFUSE(op, why)                                                        \
  { .name = op, .refusal = why }

#define DYNAMIC "operations of dynamic shape are not supported"
#define DEVICES "programs for several devices are not supported"
#define COMPLEX "complex numbers are not supported"
#define RANDOM "random number generators are not supported"
#define QUANTIZED "quantized elements are not supported"
#define TOKENS "tokens, and the side effects they order, are not supported"
#define TUPLES "tuples are not supported"
#define SPECIAL "this special function is not supported"

// clang-format off
const MloptImportRow mloptImportRows[] = {
// Elementwise, one operand.
NAME("stablehlo.abs", "abs"),
NAME("stablehlo.cbrt", "cbrt"),
NAME("stablehlo.ceil", "ceil"),
NAME("stablehlo.cosine", "cos"),
NAME("stablehlo.count_leading_zeros", "ctlz"),
NAME("stablehlo.exponential", "exp"),
NAME("stablehlo.exponential_minus_one", "expm1"),
NAME("stablehlo.floor", "floor"),
NAME("stablehlo.is_finite", "isfinite"),
NAME("stablehlo.log", "log"),
NAME("stablehlo.log_plus_one", "log1p"),
NAME("stablehlo.logistic", "logistic"),
NAME("stablehlo.negate", "neg"),
NAME("stablehlo.not", "not"),
NAME("stablehlo.popcnt", "ctpop"),
NAME("stablehlo.round_nearest_afz", "round"),
NAME("stablehlo.round_nearest_even", "roundeven"),
NAME("stablehlo.rsqrt", "rsqrt"),
NAME("stablehlo.sign", "sign"),
NAME("stablehlo.sine", "sin"),
NAME("stablehlo.sqrt", "sqrt"),
NAME("stablehlo.tan", "tan"),
NAME("stablehlo.tanh", "tanh"),
NAME("chlo.acos", "acos"),
NAME("chlo.acosh", "acosh"),
NAME("chlo.asin", "asin"),
NAME("chlo.asinh", "asinh"),
NAME("chlo.atan", "atan"),
NAME("chlo.atanh", "atanh"),
NAME("chlo.cosh", "cosh"),
NAME("chlo.erf", "erf"),
NAME("chlo.erfc", "erfc"),
NAME("chlo.sinh", "sinh"),
NAME("chlo.tan", "tan"),
SCALAR("chlo.bessel_i1e", BesselI1e, CHECK(Bessel)),
SCALAR("chlo.digamma", Digamma, CHECK(Floats)),
SCALAR("chlo.erf_inv", ErfInv, CHECK(Floats)),
SCALAR("chlo.is_inf", IsInf, CHECK(Floats)),
SCALAR("chlo.is_neg_inf", IsNegInf, CHECK(Floats)),
SCALAR("chlo.is_pos_inf", IsPosInf, CHECK(Floats)),
SCALAR("chlo.lgamma", Lgamma, CHECK(Floats)),
SCALAR("chlo.square", Square, CHECK(Arithmetic)),

// Elementwise, two operands. A boolean sum is an `or`, and so on.
NAME_BY_TYPE("stablehlo.add", "add", NULL, "mlopt.or"),
NAME_BY_TYPE("stablehlo.and", "and", NULL, NULL),
NAME_BY_TYPE("stablehlo.atan2", "atan2", NULL, NULL),
NAME_BY_TYPE("stablehlo.divide", "div", "mlopt.divu", NULL),
NAME_BY_TYPE("stablehlo.maximum", "max", "mlopt.maxu", "mlopt.or"),
NAME_BY_TYPE("stablehlo.minimum", "min", "mlopt.minu", "mlopt.and"),
NAME_BY_TYPE("stablehlo.multiply", "mul", NULL, "mlopt.and"),
NAME_BY_TYPE("stablehlo.or", "or", NULL, NULL),
NAME_BY_TYPE("stablehlo.remainder", "rem", "mlopt.remu", NULL),
NAME_BY_TYPE("stablehlo.shift_left", "shl", NULL, NULL),
NAME_BY_TYPE("stablehlo.shift_right_arithmetic", "shrs", NULL, NULL),
NAME_BY_TYPE("stablehlo.shift_right_logical", "shru", NULL, NULL),
NAME_BY_TYPE("stablehlo.subtract", "sub", NULL, "mlopt.xor"),
NAME_BY_TYPE("stablehlo.xor", "xor", NULL, NULL),
SCALAR("stablehlo.power", Power, CHECK(Arithmetic)),
SCALAR("chlo.next_after", NextAfter, CHECK(Floats)),
BROADCAST("chlo.broadcast_add", "add", NULL, "mlopt.or"),
BROADCAST("chlo.broadcast_and", "and", NULL, NULL),
BROADCAST("chlo.broadcast_atan2", "atan2", NULL, NULL),
BROADCAST("chlo.broadcast_divide", "div", "mlopt.divu", NULL),
BROADCAST("chlo.broadcast_maximum", "max", "mlopt.maxu", "mlopt.or"),
BROADCAST("chlo.broadcast_minimum", "min", "mlopt.minu", "mlopt.and"),
BROADCAST("chlo.broadcast_multiply", "mul", NULL, "mlopt.and"),
BROADCAST("chlo.broadcast_or", "or", NULL, NULL),
BROADCAST("chlo.broadcast_remainder", "rem", "mlopt.remu", NULL),
BROADCAST("chlo.broadcast_select", "select", NULL, NULL),
BROADCAST("chlo.broadcast_shift_left", "shl", NULL, NULL),
BROADCAST("chlo.broadcast_shift_right_arithmetic", "shrs", NULL, NULL),
BROADCAST("chlo.broadcast_shift_right_logical", "shru", NULL, NULL),
BROADCAST("chlo.broadcast_subtract", "sub", NULL, "mlopt.xor"),
BROADCAST("chlo.broadcast_xor", "xor", NULL, NULL),
OP("chlo.broadcast_compare", BroadcastCompare, CHECK(Arithmetic)),
OP("chlo.broadcast_next_after", BroadcastNextAfter, CHECK(Floats)),
OP("chlo.broadcast_power", BroadcastPower, CHECK(Arithmetic)),

// Comparison, choice and conversion.
SCALAR("stablehlo.bitcast_convert", BitcastConvert, CHECK(Bitcast)),
SCALAR("stablehlo.clamp", Clamp, CHECK(Arithmetic)),
SCALAR("stablehlo.compare", CompareOp, CHECK(Arithmetic)),
SCALAR("stablehlo.convert", ConvertOp, NULL),
SCALAR("stablehlo.optimization_barrier", Forward, NULL),
SCALAR("stablehlo.reduce_precision", ReducePrecision, NULL),
SCALAR("stablehlo.select", SelectOp, NULL),

// Creation and layout.
SCALAR("stablehlo.constant", Constant, CHECK(Constant)),
SCALAR("chlo.constant", Constant, CHECK(Constant)),
SCALAR("chlo.constant_like", ConstantLike, CHECK(ConstantLike)),
SCALAR("stablehlo.broadcast_in_dim", BroadcastInDim, NULL),
SCALAR("stablehlo.reshape", ReshapeOp, NULL),
OP("stablehlo.broadcast", BroadcastPrefix, NULL),
OP("stablehlo.concatenate", Concatenate, NULL),
OP("stablehlo.get_dimension_size", GetDimensionSize, NULL),
OP("stablehlo.iota", Iota, NULL),
OP("stablehlo.pad", Pad, NULL),
OP("stablehlo.reverse", Reverse, NULL),
OP("stablehlo.slice", Slice, NULL),
OP("stablehlo.transpose", TransposeOp, NULL),

// Indexed access.
OP("stablehlo.dynamic_slice", DynamicSlice, NULL),
OP("stablehlo.dynamic_update_slice", DynamicUpdateSlice, NULL),
OP("stablehlo.gather", Gather, NULL),
BODIES("stablehlo.scatter", Scatter, CHECK(Scatter)),
BODIES("stablehlo.select_and_scatter", SelectAndScatter, CHECK(Bodies)),

// Reduction and sorting.
BODIES("stablehlo.map", Map, CHECK(Bodies)),
BODIES("stablehlo.reduce", Reduce, CHECK(Reduction)),
BODIES("stablehlo.reduce_window", ReduceWindow, CHECK(Reduction)),
BODIES("stablehlo.sort", Sort, CHECK(Bodies)),
OP("chlo.top_k", TopK, NULL),

// Contraction.
OP("stablehlo.convolution", Convolution, CHECK(Convolution)),
OP("stablehlo.dot", Dot, CHECK(Dot)),
OP("stablehlo.dot_general", DotGeneral, CHECK(Dot)),

// Control.
OP("stablehlo.case", Case, NULL),
OP("stablehlo.composite", Composite, NULL),
OP("stablehlo.if", If, NULL),
OP("stablehlo.return", Return, NULL),
OP("stablehlo.while", While, NULL),
{.name = "stablehlo.custom_call", .check = CHECK(CustomCall)},

REFUSE("chlo.broadcast_complex", COMPLEX),
REFUSE("chlo.conj", COMPLEX),
REFUSE("stablehlo.complex", COMPLEX),
REFUSE("stablehlo.fft", COMPLEX),
REFUSE("stablehlo.imag", COMPLEX),
REFUSE("stablehlo.real", COMPLEX),
REFUSE("stablehlo.dynamic_broadcast_in_dim", DYNAMIC),
REFUSE("stablehlo.dynamic_conv", DYNAMIC),
REFUSE("stablehlo.dynamic_gather", DYNAMIC),
REFUSE("stablehlo.dynamic_iota", DYNAMIC),
REFUSE("stablehlo.dynamic_pad", DYNAMIC),
REFUSE("stablehlo.dynamic_reshape", DYNAMIC),
REFUSE("stablehlo.real_dynamic_slice", DYNAMIC),
REFUSE("stablehlo.set_dimension_size", DYNAMIC),
REFUSE("stablehlo.all_gather", DEVICES),
REFUSE("stablehlo.all_reduce", DEVICES),
REFUSE("stablehlo.all_to_all", DEVICES),
REFUSE("stablehlo.async_done", DEVICES),
REFUSE("stablehlo.async_start", DEVICES),
REFUSE("stablehlo.collective_broadcast", DEVICES),
REFUSE("stablehlo.collective_permute", DEVICES),
REFUSE("stablehlo.collective_reduce", DEVICES),
REFUSE("stablehlo.cross-replica-sum", DEVICES),
REFUSE("stablehlo.partition_id", DEVICES),
REFUSE("stablehlo.reduce_scatter", DEVICES),
REFUSE("stablehlo.replica_id", DEVICES),
REFUSE("stablehlo.rng", RANDOM),
REFUSE("stablehlo.rng_bit_generator", RANDOM),
REFUSE("stablehlo.uniform_dequantize", QUANTIZED),
REFUSE("stablehlo.uniform_quantize", QUANTIZED),
REFUSE("stablehlo.after_all", TOKENS),
REFUSE("stablehlo.create_token", TOKENS),
REFUSE("stablehlo.infeed", TOKENS),
REFUSE("stablehlo.outfeed", TOKENS),
REFUSE("stablehlo.recv", TOKENS),
REFUSE("stablehlo.send", TOKENS),
REFUSE("stablehlo.get_tuple_element", TUPLES),
REFUSE("stablehlo.tuple", TUPLES),
REFUSE("chlo.broadcast_polygamma", SPECIAL),
REFUSE("chlo.broadcast_zeta", SPECIAL),
REFUSE("chlo.polygamma", SPECIAL),
REFUSE("chlo.zeta", SPECIAL),
};
// clang-format on

const int mloptNumImportRows = MLOPT_COUNT(mloptImportRows);

const MloptImportRow *mloptImportFindRow(MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  for (int i = 0; i < mloptNumImportRows; ++i)
    if (mloptStrEq(name, mloptImportRows[i].name))
      return &mloptImportRows[i];
  return NULL;
}
