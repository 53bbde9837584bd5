//===- fuse_contraction_impl.h - Checks of a product's kernel -----*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fuse_contraction.c knows of a body while it looks whether that may be
// the kernel of a product, and fuse_contraction_dots.c of its products.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_FUSE_CONTRACTION_IMPL_H
#define MLOPT_PASSES_FUSE_CONTRACTION_IMPL_H

#include "fuse_stream.h"

#include "contraction.h"
#include "fuse_tile_rows.h"
#include "place.h"

/// Dots that share a factor may be one kernel. Where the others are alike, a
/// tile of that factor is read once for all of them, and what follows may take
/// elements of several; else each has tiles of its own, in one list.
enum { MLOPT_FUSE_MAX_DOTS = MLOPT_MAX_LISTED };

/// What a node that follows the dots has: their elements, each once, or one for
/// each row.
typedef struct MloptFuseFollower {
  MloptPlace place;
  bool isRow;
  int dot; ///< of a list
} MloptFuseFollower;

/// What is known of a body while its nodes are looked at in order.
typedef struct MloptFuseCheck {
  const MloptFuseGraph *graph;
  const MloptFuseBody *body;
  const MloptFuseNode *dots[MLOPT_FUSE_MAX_DOTS];
  int numDots;
  bool isStream; ///< the second takes a softmax of the first
  MloptFuseStream stream;
  bool *rows; ///< of the graph's nodes: follow from a reduction of the softmax
  int side;   ///< the factor that several dots do not share
  bool computes[2];             ///< factors that the body computes
  bool isList;                  ///< the dots have tiles of their own
  bool mapped;                  ///< tensor maps reach all factors
  bool *moves;                  ///< of the graph's nodes: say where factors lie
  bool *follows;                ///< likewise: are dots, or follow from one
  MloptFuseFollower *followers; ///< the body's nodes that follow the dots; its
                                ///< counters hold whether they do, and which
  MloptFuseTileRows tileRows;
  bool *folds; ///< of the graph's nodes: follow from a reduction of pieces
  int numFolds;
  int64_t pieceBytes;    ///< of all such reductions
  MloptFuseReason apart; ///< why rows of one of them are not a tile's
} MloptFuseCheck;

/// Whether a dot reads what the body computes.
bool mloptFuseReadsAnother(const MloptFuseCheck *check,
                           const MloptFuseNode *dot);
/// Whether wgmma takes several dots like this one: no other kernel does. Rows
/// are as TMA wants them if its maps reach the factors.
bool mloptFuseTakesDots(const MloptFuseCheck *check, const MloptFuseNode *dot);
/// How many dots there are, and of what.
MloptFuseReason mloptFuseCheckDots(MloptFuseCheck *check);

#endif
