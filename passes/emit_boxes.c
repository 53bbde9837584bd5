//===- emit_boxes.c - Boxes of contractions in their tensor maps ----------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit_boxes.h"

#include "schedule_matmul.h"

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

MlirValue mloptMapIndexAt(MloptNv *nv, const MloptMapIndex *index,
                          const MlirValue *axes) {
  MlirValue sum = {NULL};
  for (intptr_t i = 0; i < index->count; ++i) {
    const MloptMapTerm *term = &index->terms[i];
    MlirValue digit = axes[term->axis];
    if (term->step > 1)
      digit = mloptNvDivInt(nv, digit, term->step);
    if (term->size)
      digit = mloptNvRemInt(nv, digit, term->size);
    if (term->factor != 1)
      digit = mloptNvMulInt(nv, digit, term->factor);
    sum = i ? mloptNvAdd(nv, sum, digit) : digit;
  }
  if (!index->count)
    return mloptNvInt(nv, index->constant);
  return index->constant ? mloptNvAddInt(nv, sum, index->constant) : sum;
}

intptr_t mloptBoxOfOutput(MloptNv *nv, const MloptContraction *c,
                          const MloptOutput *output, const MlirValue *axes,
                          MlirValue *out) {
  MloptStoreDigit digits[MLOPT_PLACE_MAX_DIGITS];
  intptr_t n = mloptMatmulBoxDigits(c, output, digits);
  for (intptr_t i = 0; i < n; ++i) {
    const MloptStoreDigit *d = &digits[i];
    out[i] = axes[d->axis];
    if (d->step > 1)
      out[i] = mloptNvDivInt(nv, out[i], d->step);
    // The last one goes on past its end, where TMA stores nothing.
    if (d->step * d->size < c->sizes[d->axis])
      out[i] = mloptNvRemInt(nv, out[i], d->size);
  }
  return n;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// Elements of 16 bits go by stmatrix, whose lane l gives the address of row
/// l % 8 of 8 x 8 matrix l / 8 of four: rows 0-7 and 8-15 of the warp, then the
/// eight columns beside. 32 bits go by pairs. Piece p of row r lies at p ^ r %
/// 8; the four places are those of a row's 32-byte parts.
void mloptPlaceFragment(MloptNv *nv, MlirValue thread, bool halves,
                        MlirValue out[4]) {
  MlirValue lane = mloptNvAndInt(nv, thread, 31);
  MlirValue warp = mloptNvMulInt(nv, mloptNvShrInt(nv, thread, 5), 16);
  MlirValue row, piece, within, inEight;
  if (halves) {
    MlirValue matrix = mloptNvShrInt(nv, lane, 3);
    inEight = mloptNvAndInt(nv, lane, 7);
    row = mloptNvAdd(nv, inEight,
                     mloptNvShlInt(nv, mloptNvAndInt(nv, matrix, 1), 3));
    piece = mloptNvShrInt(nv, matrix, 1);
    within = mloptNvInt(nv, 0);
  } else {
    row = inEight = mloptNvShrInt(nv, lane, 2);
    piece = mloptNvAndInt(nv, mloptNvShrInt(nv, lane, 1), 1);
    within = mloptNvShlInt(nv, mloptNvAndInt(nv, lane, 1), 3);
  }
  MlirValue start =
      mloptNvMulInt(nv, mloptNvAdd(nv, warp, row), MLOPT_NV_ROW_BYTES);
  start = mloptNvAdd(nv, start, within);
  for (int i = 0; i < 4; ++i) {
    MlirValue at =
        mloptNvXor(nv, mloptNvXor(nv, piece, inEight), mloptNvInt(nv, 2 * i));
    out[i] = mloptNvAdd(nv, start, mloptNvShlInt(nv, at, 4));
  }
}

/// 32 bytes of each row: 16 columns of 16 bits.
static void stageHalves(MloptNv *nv, MlirType element, MlirValue at,
                        const MlirValue *elements) {
  MlirValue operands[5] = {mloptNvShared(nv, at)};
  for (int i = 0; i < 4; ++i)
    operands[i + 1] =
        mloptNvPackPair(nv, element, elements[2 * i], elements[2 * i + 1]);
  mloptNvOp(nv, "nvvm.stmatrix", 5, operands,
            "{eltType = #nvvm.ld_st_matrix_elt_type<b16>,"
            " layout = #nvvm.mma_layout<row>,"
            " shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}");
}

/// 32 bytes of each row: 8 columns of 32 bits, in this thread rows r and r + 8.
static void stageWords(MloptNv *nv, MlirType element, MlirValue at,
                       const MlirValue *elements) {
  bool isFloat = mlirTypeIsAF32(element);
  for (int i = 0; i < 2; ++i) {
    MlirValue place = mloptNvAddInt(nv, at, 8 * i * MLOPT_NV_ROW_BYTES);
    MlirValue operands[] = {mloptNvAddress(nv, mloptNvShared(nv, place)),
                            elements[2 * i], elements[2 * i + 1]};
    mloptNvPtx(nv,
               isFloat ? "st.shared.v2.f32 [$0], {$1, $2};"
                       : "st.shared.v2.b32 [$0], {$1, $2};",
               isFloat ? "r,f,f,~{memory}" : "r,r,r,~{memory}", 3, operands,
               (MlirType){NULL});
  }
}

void mloptStageFragment(MloptNv *nv, MlirType element,
                        const MlirValue places[4], MlirValue slot,
                        const MlirValue *elements) {
  bool halves = mloptElementWidth(element) == 16;
  for (int i = 0; i < 4; ++i) {
    MlirValue at = mloptNvAdd(nv, places[i], slot);
    if (halves)
      stageHalves(nv, element, at, elements + (intptr_t)8 * i);
    else
      stageWords(nv, element, at, elements + (intptr_t)4 * i);
  }
}
