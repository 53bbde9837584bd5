//===- emit_stream_softmax.c - Weights, and the rows' running state -------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   m' = max(m, the step's scores)          weight = exp(score - m')
//   repair = exp(m - m')                    sum = sum * repair + weights
//
// exp(x) is 2 to the power of x log2(e): one multiplication and subtraction
// that rounds once, and the special function unit. The largest score times
// log2(e) is rounded up, so that no exponent is above 0. Where all scores so
// far are -inf, 0 stands for the largest one, which makes their weights 0.
//
// Of a thread's two rows, elements 4i, 4i + 1 are the first one's; four threads
// that lie side by side in a warp share a row.
//
//===----------------------------------------------------------------------===//

#include "emit_stream_impl.h"

#include <math.h>
#include <stdio.h>

static MlirValue number(MloptNv *nv, double value) {
  return mloptBuildConstant(
      nv->b, mlirFloatAttrDoubleGet(nv->b->context, nv->f32, value));
}

static MlirValue powerOfTwo(MloptNv *nv, MlirValue x) {
  return mloptBuildIntrinsic(nv->b, "llvm.nvvm.ex2.approx.ftz.f32", 1, &x,
                             nv->f32);
}

static MlirValue multiplyUp(MloptNv *nv, MlirValue x, MlirValue y) {
  MlirValue operands[] = {x, y};
  return mloptBuildIntrinsic(nv->b, "llvm.nvvm.mul.rp.f", 2, operands, nv->f32);
}

static MlirValue multiplyAdd(MloptNv *nv, MlirValue x, MlirValue y,
                             MlirValue z) {
  MlirValue operands[] = {x, y, z};
  return mloptNvValue(nv, "math.fma", 3, operands, nv->f32, NULL);
}

/// One value of all of a row's threads.
static MlirValue reduceQuad(MloptNv *nv, const char *name, MlirValue x) {
  for (int distance = 1; distance <= 2; distance *= 2) {
    MlirValue operands[] = {mloptNvInt(nv, -1), x, mloptNvInt(nv, distance),
                            mloptNvInt(nv, 31)};
    MlirValue other = mloptNvValue(nv, "nvvm.shfl.sync", 4, operands, nv->f32,
                                   "{kind = #nvvm<shfl_kind bfly>}");
    x = mloptNvArith(nv, name, x, other);
  }
  return x;
}

/// A row's elements of a fragment, combined pair by pair.
static MlirValue reduceRow(MloptStreamKernel *g, const char *name, int row,
                           const MlirValue *fragment) {
  MlirValue values[MLOPT_STREAM_MAX_SCORES / 2] = {{NULL}};
  int64_t n = mloptNvFragmentSize(&g->scores) / 2;
  for (int64_t i = 0; i < n; ++i)
    values[i] = fragment[i / 2 * 4 + (int64_t)2 * row + i % 2];
  for (; n > 1; n = (n + 1) / 2)
    for (int64_t i = 0; i < n / 2; ++i)
      values[i] = mloptNvArith(&g->nv, name, values[i], values[n - 1 - i]);
  return values[0];
}

static MlirValue isEmpty(MloptNv *nv, MlirValue max) {
  return mloptBuildCmpF(nv->b, "oeq", max, number(nv, -INFINITY));
}

/// What is added to scores times the factor: less the largest one's.
static MlirValue lowerOf(MloptNv *nv, MlirValue max, MlirValue factor) {
  MlirValue used =
      mloptBuildSelect(nv->b, isEmpty(nv, max), number(nv, 0), max);
  return mloptBuildUnary(nv->b, "arith.negf", multiplyUp(nv, used, factor),
                         nv->f32);
}

/// What repairs sums that were taken with another maximum.
static MlirValue repairOf(MloptNv *nv, MlirValue max, MlirValue factor,
                          MlirValue lower) {
  return powerOfTwo(
      nv, mloptNvArith(nv, "arith.addf", multiplyUp(nv, max, factor), lower));
}

MloptStreamRows mloptStreamRowsStart(MloptStreamKernel *g) {
  MloptStreamRows rows;
  for (int row = 0; row < MLOPT_STREAM_ROWS; ++row) {
    rows.max[row] = number(&g->nv, -INFINITY);
    rows.sum[row] = number(&g->nv, 0);
  }
  return rows;
}

void mloptStreamSoftmax(MloptStreamKernel *g, double scale, MlirValue *scores,
                        MloptStreamRows *rows,
                        MlirValue outRepair[MLOPT_STREAM_ROWS]) {
  MloptNv *nv = &g->nv;
  MlirValue factor = number(nv, scale * M_LOG2E);
  MlirValue lower[MLOPT_STREAM_ROWS];
  for (int row = 0; row < MLOPT_STREAM_ROWS; ++row) {
    MlirValue max = reduceQuad(nv, "arith.maximumf",
                               reduceRow(g, "arith.maximumf", row, scores));
    max = mloptNvArith(nv, "arith.maximumf", rows->max[row], max);
    lower[row] = lowerOf(nv, max, factor);
    outRepair[row] = repairOf(nv, rows->max[row], factor, lower[row]);
    rows->max[row] = max;
  }
  for (int64_t i = 0, n = mloptNvFragmentSize(&g->scores); i < n; ++i)
    scores[i] =
        powerOfTwo(nv, multiplyAdd(nv, scores[i], factor, lower[i / 2 % 2]));
  for (int row = 0; row < MLOPT_STREAM_ROWS; ++row)
    rows->sum[row] = multiplyAdd(nv, rows->sum[row], outRepair[row],
                                 reduceRow(g, "arith.addf", row, scores));
}

MloptStreamRows
mloptStreamMergeRows(MloptStreamKernel *g, double scale, int64_t count,
                     const MloptStreamRows *parts,
                     MlirValue (*outRepairs)[MLOPT_STREAM_ROWS]) {
  MloptNv *nv = &g->nv;
  MlirValue factor = number(nv, scale * M_LOG2E);
  MloptStreamRows rows = mloptStreamRowsStart(g);
  for (int row = 0; row < MLOPT_STREAM_ROWS; ++row) {
    for (int64_t i = 0; i < count; ++i)
      rows.max[row] =
          mloptNvArith(nv, "arith.maximumf", rows.max[row], parts[i].max[row]);
    MlirValue lower = lowerOf(nv, rows.max[row], factor);
    for (int64_t i = 0; i < count; ++i) {
      outRepairs[i][row] = repairOf(nv, parts[i].max[row], factor, lower);
      rows.sum[row] =
          multiplyAdd(nv, parts[i].sum[row], outRepairs[i][row], rows.sum[row]);
    }
  }
  return rows;
}

void mloptStreamRowsFinish(MloptStreamKernel *g, double scale,
                           MloptStreamRows *rows, MlirValue *sums) {
  MloptNv *nv = &g->nv;
  MlirValue nan = number(nv, NAN), empty[MLOPT_STREAM_ROWS];
  for (int row = 0; row < MLOPT_STREAM_ROWS; ++row) {
    empty[row] = isEmpty(nv, rows->max[row]);
    MlirValue sum = reduceQuad(nv, "arith.addf", rows->sum[row]);
    rows->sum[row] = mloptBuildSelect(nv->b, empty[row], nan, sum);
    if (scale != 1)
      rows->max[row] =
          mloptNvArith(nv, "arith.mulf", rows->max[row], number(nv, scale));
  }
  for (int64_t i = 0, n = mloptStreamColumns(g) / 2; i < n; ++i)
    sums[i] = mloptBuildSelect(nv->b, empty[i / 2 % 2], nan, sums[i]);
}
