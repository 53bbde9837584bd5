//===- emit_search.c - A search by the lanes of a warp --------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit_search.h"

#include "emit_reduce.h"

enum { LANES = 32, LANES_LOG = 5 };

void mloptBeginWarpSearch(MloptPull *p, MlirValue lane, MlirValue begin,
                          MlirValue end, int64_t most, MloptWarpSearch *out) {
  MlirValue ignored;
  *out = (MloptWarpSearch){.pull = p, .within = {begin, end}};
  out->rounds = (mloptLogFrom(most) + LANES_LOG - 1) / LANES_LOG;
  out->loop = mloptPullBeginFor(p, 2, out->within, &ignored, out->range);
  MlirValue left = mloptIndexSub(p, out->range[1], out->range[0]);
  out->step = mloptIndexDivInt(p, mloptIndexAddInt(p, left, LANES - 1), LANES);
  out->place = mloptIndexAddInt(
      p,
      mloptIndexAdd(p, out->range[0],
                    mloptIndexArith(p, "arith.muli",
                                    mloptIndexAddInt(p, lane, 1), out->step)),
      -1);
}

MlirValue mloptEndWarpSearch(MloptWarpSearch *s, MlirValue holds) {
  MloptPull *p = s->pull;
  MloptBuilder *b = mloptPullGetBuilder(p);
  MlirValue inside =
      mloptBothHold(p, mloptIndexBelow(p, s->place, s->range[1]),
                    mloptIndexBelow(p, s->range[0], s->range[1]));
  MlirValue found = mloptBuildCountLanes(
      b, mloptBuildBallot(b, mloptBothHold(p, inside, holds)));
  MlirValue next[2], out[2];
  next[0] = mloptIndexAdd(p, s->range[0],
                          mloptIndexArith(p, "arith.muli", found, s->step));
  next[1] = mloptIndexMax(
      p, next[0],
      mloptIndexMin(
          p, s->range[1],
          mloptIndexAddInt(p, mloptIndexAdd(p, next[0], s->step), -1)));
  mloptPullEndFor(p, s->loop, mloptPullIndex(p, 0),
                  mloptPullIndex(p, s->rounds ? s->rounds : 1),
                  mloptPullIndex(p, 1), 2, s->within, next, out);
  return out[0];
}
