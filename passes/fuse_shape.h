//===- fuse_shape.h - One spelling for a kernel's body ------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The axes of a kernel that reduces are the parts of its space that no value
// cuts further, in the order in which the largest tensor that it reads whole
// lies in memory. Written along them, bodies that compute the same look the
// same.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_FUSE_SHAPE_H
#define MLOPT_PASSES_FUSE_SHAPE_H

#include "fuse_space.h"

/// The axes that a value's row-major order runs through.
typedef struct MloptFuseAxes {
  bool known;
  int count;
  int at[MLOPT_MAX_RANK];
} MloptFuseAxes;

/// A node of the body.
typedef struct MloptFuseShaped {
  int node;
  bool stored;
  bool alongAxes; ///< it can be written along them
  int *slots;     ///< of each operand
  int firstValue; ///< of its results
} MloptFuseShaped;

typedef struct MloptFuseShape {
  const MloptFuseGraph *graph;
  int count; ///< of nodes
  MloptFuseShaped *nodes;
  int numOutside;
  MlirValue outside[MLOPT_FUSE_MAX_OUTSIDE]; ///< behind their views
  int numAxes;
  int64_t sizes[MLOPT_MAX_RANK];
  bool column[MLOPT_MAX_RANK];
  MloptFuseAxes *slots; ///< of the nodes, then of values outside
  int numValues;        ///< results, then values outside
  MlirValue *along;     ///< each one inside, its axes in order; or null
  MlirValue *written;   ///< or in the shape that the program gives it
} MloptFuseShape;

/// Finds the axes of a body that reduces; the caller destroys the shape. False
/// when there are too many values or axes.
bool mloptFuseShapeCreate(const MloptFuseGraph *, const MloptFuseBody *,
                          MloptFuseShape *);
void mloptFuseShapeDestroy(MloptFuseShape *);
/// The type in which the body takes a value from outside: its elements in their
/// order.
MlirType mloptFuseShapeOperandType(const MloptFuseShape *, int outside);
/// Writes the body into a block whose arguments are the values from outside;
/// returns how many values it yields: the used results of stored nodes, their
/// elements in order. -1 on failure.
intptr_t mloptFuseShapeWrite(MloptFuseShape *, MlirBlock, MlirLocation,
                             MlirValue *yields);

#endif // MLOPT_PASSES_FUSE_SHAPE_H
