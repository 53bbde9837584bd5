//===- fuse.h - Deciding what becomes one kernel ------------------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files of `mlopt-fuse` share. A block is a graph of nodes, one for
// each operation; kernels are sets of nodes; a plan is a list of kernels that
// together compute everything. An operation may be in several kernels, which
// then each compute it; at most one of them, its home, stores it.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_FUSE_H
#define MLOPT_PASSES_FUSE_H

#include "dialect.h"
#include "infer.h"
#include "schedule.h"

//===----------------------------------------------------------------------===//
// Reasons and legality (fuse_table.c)
//===----------------------------------------------------------------------===//

typedef enum MloptFuseReason {
#define MLOPT_FUSE_REASON(code, name, text) MLOPT_FUSE_##code,
#include "fuse_reasons.def"
  MLOPT_NUM_FUSE_REASONS
} MloptFuseReason;

/// "other-rows"
const char *mloptFuseReasonGetName(MloptFuseReason);
const char *mloptFuseReasonGetText(MloptFuseReason);
/// The reason of this name; MLOPT_NUM_FUSE_REASONS if there is none.
MloptFuseReason mloptFuseReasonFind(MlirStringRef name);

/// How an operation's result elements depend on its operands'.
typedef enum MloptAccess {
  MLOPT_ACCESS_HOST,        ///< no part of any kernel
  MLOPT_ACCESS_CONSTANT,    ///< data of the program
  MLOPT_ACCESS_CREATE,      ///< depends on the indices alone
  MLOPT_ACCESS_ELEMENTWISE, ///< the element of the same indices
  MLOPT_ACCESS_RESHAPE,     ///< the element of the same row-major position
  MLOPT_ACCESS_TRANSPOSE,
  MLOPT_ACCESS_BROADCAST,
  MLOPT_ACCESS_MOVE,   ///< an element somewhere else, or none
  MLOPT_ACCESS_GATHER, ///< an element that data says
  MLOPT_ACCESS_REDUCE, ///< all elements of a row
  MLOPT_ACCESS_ALONE   ///< a kernel of its own
} MloptAccess;

/// What fusion knows about an operation.
typedef struct MloptFuseTraits {
  MloptAccess access;
  int work; ///< arithmetic for each element, an addition being 1
  MloptFuseReason alone;
} MloptFuseTraits;
MloptFuseTraits mloptFuseGetTraits(MlirOperation);

/// What a kernel is, as its emitter sees it.
typedef enum MloptKernelFamily {
  MLOPT_KERNEL_POINTWISE, ///< one index space, all reads through index maps
  MLOPT_KERNEL_ROWS,      ///< reductions over the columns of one row space
  MLOPT_KERNEL_ALONE      ///< one operation, or a dot and its epilogue
} MloptKernelFamily;

/// What kernels must fit: pointers that a kernel can keep in registers, and
/// results whose tiles an emitter can.
enum {
  MLOPT_FUSE_MAX_OPERANDS = 48,
  MLOPT_FUSE_MAX_RESULTS = MLOPT_MAX_TILE_ROOTS
};

//===----------------------------------------------------------------------===//
// Spelling (fuse_prepare.c)
//===----------------------------------------------------------------------===//

/// Writes what computes the same in a block the same: views as reshapes, dots
/// of what lies in memory, splat constants where they are used; with `wgmma`,
/// dots as those instructions take them. False when out of memory.
bool mloptFusePrepare(MlirBlock, bool wgmma);
/// Makes a dot in f32 that may be rounded as f32 is, and is large enough, one
/// of bf16 factors.
void mloptFuseSplitDot(MlirOperation dot);
/// Whether a dot's products are added in f32.
bool mloptFuseSumsInF32(MlirOperation dot);
/// How many elements dimensions have together.
int64_t mloptFuseSizeOf(MlirType, const MloptInts *dims);
/// The dimensions before a transpose that some are after it.
MloptInts mloptFuseUnpermute(const MloptInts *permutation, MloptInts dims);
/// Whether dimensions of more than one element lie next to each other.
bool mloptFuseAreTogether(MlirType, const MloptInts *dims);
/// Transposes the left factor of a dot whose rows are dimensions that lie
/// apart.
void mloptFuseLayRows(MlirOperation dot);
/// Transposes the factors of a dot whose elements wgmma takes only where rows
/// run along the contracted dimensions, and pads rows that TMA does not take.
void mloptFuseLayFactors(MlirOperation dot);
/// Whether wgmma takes a factor of a dot though its rows are of the contracted
/// dimension: a TF32 matrix beside one whose rows run along it, no other dot's,
/// both wide.
bool mloptFuseMayLieAcross(MlirOperation dot, intptr_t side);
/// Cuts the contracted dimension of the dots of a block that have few tiles
/// into pieces, where adding them up in another kernel takes less time
/// (fuse_depth.c). False when out of memory.
bool mloptFuseCutDepth(MlirBlock);
/// Whether two dots share factor 1 - `side`, and sum alike
/// (fuse_contraction_dots.c).
bool mloptFuseShareFactor(MlirOperation a, MlirOperation b, int side);
/// Says of a dot, as `mlopt.zeros`, which part of a factor a mask sets to zero
/// (fuse_zeros.c).
void mloptFuseMarkZeros(MlirOperation dot);
/// Checks that the groups of `mlopt.fuse` ask for what may be: one wish each,
/// and operations of one block to be together (fuse_group.c).
MlirLogicalResult mloptFuseCheckGroups(MlirOperation func);

//===----------------------------------------------------------------------===//
// The graph (fuse_graph.c)
//===----------------------------------------------------------------------===//

typedef enum MloptFuseRole {
  MLOPT_ROLE_HOST,    ///< stays where it is
  MLOPT_ROLE_VIEW,    ///< a reshape: costs nothing anywhere
  MLOPT_ROLE_FREE,    ///< in every kernel that reads it
  MLOPT_ROLE_COMPUTE, ///< in one kernel at least
} MloptFuseRole;

typedef struct MloptFuseNode {
  MlirOperation op;
  MloptFuseRole role;
  MloptFuseTraits traits;
  int numOperands;
  int *operands;   ///< node of each operand; -1: from outside the block
  MlirValue *from; ///< each operand's value
  int numReaders;
  int *readers;    ///< nodes of role compute that read it, also through views
  bool readByHost; ///< or by a node of role host
  int64_t elements, bytes; ///< of its results
  MlirAttribute group;     ///< `mlopt.fuse`'s group, or null
  bool apart;
} MloptFuseNode;

typedef struct MloptFuseGraph {
  MlirBlock block;
  int count;
  MloptFuseNode *nodes;
  int *slots; ///< hash table from operations to nodes
  int numSlots;
  bool wgmma; ///< whether kernels may be of wgmma instructions
} MloptFuseGraph;

/// Reads a block; the caller destroys the graph. False when out of memory.
bool mloptFuseGraphCreate(MlirBlock, bool wgmma, MloptFuseGraph *);
void mloptFuseGraphDestroy(MloptFuseGraph *);
/// The node that defines a value, or -1.
int mloptFuseGraphFind(const MloptFuseGraph *, MlirValue);
/// The node behind the views of a node; -1 when they view an argument.
int mloptFuseRootOf(const MloptFuseGraph *, int node);
/// The value behind the views of a value.
MlirValue mloptFuseRootValue(const MloptFuseGraph *, MlirValue);
int64_t mloptFuseBytesOf(MlirType);

//===----------------------------------------------------------------------===//
// A kernel (fuse_kernel.c, fuse_rows.c)
//===----------------------------------------------------------------------===//

/// A set of nodes: the compute nodes of a kernel, and once expanded the views
/// and what is free between them. The arrays have a place for each node of the
/// graph.
typedef struct MloptFuseBody {
  int count;
  int *nodes;   ///< rising, so operands come first
  bool *holds;  ///< whether the node is one of them
  bool *stored; ///< whether its results leave the kernel
  double *runs; ///< room for counting
  /// Whether products may reduce what they store: once reductions are with
  /// whatever else reads the same rows.
  bool mayFold;
} MloptFuseBody;
bool mloptFuseBodyCreate(const MloptFuseGraph *, MloptFuseBody *);
void mloptFuseBodyDestroy(MloptFuseBody *);
void mloptFuseBodyClear(MloptFuseBody *);
/// Adds a node, unless it is there.
void mloptFuseBodyAdd(MloptFuseBody *, int node);
/// Drops what no stored node needs, adds views and what is free.
void mloptFuseBodyComplete(const MloptFuseGraph *, MloptFuseBody *);

/// The rows of a kernel of the rows family, as fusion sees them.
typedef struct MloptFuseRows {
  int64_t rows, columns;
  int64_t sumBytes; ///< of what is added up for each column beside the rows
  bool rereads;     ///< a row's elements are needed after a reduction of it
} MloptFuseRows;

/// Whether all reductions of a body go over the columns of one row space, or
/// add up its columns where a kernel can do both, and whatever follows them
/// stays in its row or column: FUSED, or why not.
MloptFuseReason mloptFuseCheckRows(const MloptFuseGraph *,
                                   const MloptFuseBody *, MloptFuseRows *out);

/// What the reductions behind a product cost.
typedef struct MloptFuseReduced {
  int64_t pieceBytes; ///< of pieces, which a second kernel combines
  double loss;        ///< microseconds that tiles of whole rows take longer
} MloptFuseReduced;

/// Whether a body around a product is the product, what says where its factors
/// lie, and its epilogue: FUSED, or why not (fuse_contraction.c).
MloptFuseReason mloptFuseCheckContraction(const MloptFuseGraph *,
                                          const MloptFuseBody *,
                                          MloptFuseReduced *);
/// Says of each reduction in a body around a product that a tile holds its
/// rows, `mlopt.row`: it is not cut into pieces.
void mloptFuseMarkRows(const MloptFuseGraph *, const MloptFuseBody *);
/// Bytes of an element of a reduction under way: small floats add up in f32
/// (fuse_rows.c).
int64_t mloptFuseSumBytes(MlirType);

/// Whether a factor of a product lies in memory, behind operations of the body
/// that only move elements, which are marked, as kernels of products read it:
/// FUSED, or why not (fuse_access.c). `*mapped`: whether Tensor Cores can, by a
/// tensor map.
MloptFuseReason mloptFuseCheckFactor(const MloptFuseGraph *,
                                     const MloptFuseBody *,
                                     const MloptFuseNode *product, int side,
                                     bool *moves, bool *mapped);

/// Whether a product's kernel computes a factor itself, where the body holds
/// what does, which is marked as moves are: FUSED, or why not
/// (fuse_prologue.c).
MloptFuseReason mloptFuseCheckPrologue(const MloptFuseGraph *,
                                       const MloptFuseBody *,
                                       const MloptFuseNode *product, int side,
                                       bool *moves);

/// Whether a tensor map reaches a factor of a product whose keys are streamed,
/// likewise; its rows run along what is summed, or along what is not.
MloptFuseReason mloptFuseCheckStreamFactor(const MloptFuseGraph *,
                                           const MloptFuseBody *,
                                           const MloptFuseNode *product,
                                           int side, bool alongSums,
                                           bool *moves);

/// A sum of products: a dot or a convolution (fuse_contraction.c).
bool mloptFuseIsProduct(MlirOperation);
/// How long a body's products take, in microseconds (fuse_contraction.c).
double mloptFuseProductTime(const MloptFuseGraph *, const MloptFuseBody *);

/// What a kernel costs, and whether it can be one.
typedef struct MloptFuseVerdict {
  MloptFuseReason reason; ///< FUSED: it can
  MloptKernelFamily family;
  double cost;   ///< in bytes
  int64_t bytes; ///< moved to and from memory
} MloptFuseVerdict;
MloptFuseVerdict mloptFuseJudge(const MloptFuseGraph *, const MloptFuseBody *);

/// Bytes that the body reads from a value outside, each distinct element once
/// and of a gather those selected.
int64_t mloptFuseReadBytes(const MloptFuseGraph *, const MloptFuseBody *,
                           MlirValue root);

//===----------------------------------------------------------------------===//
// The plan (fuse_plan.c)
//===----------------------------------------------------------------------===//

/// A growing set of numbers.
typedef struct MloptFuseSet {
  int count, capacity;
  int *at;
} MloptFuseSet;

typedef struct MloptFuseKernel {
  bool dead;
  int version;          ///< rises with each change
  MloptFuseSet members; ///< nodes of role compute, rising
  MloptFuseVerdict verdict;
} MloptFuseKernel;

typedef struct MloptFusePlan {
  const MloptFuseGraph *graph;
  int count;
  MloptFuseKernel *kernels;
  int *home;            ///< of each node: the kernel that stores it, or -1
  MloptFuseSet *within; ///< of each node: the kernels that compute it
  /// Of each node of two dots around a softmax: why no kernel streams the keys
  /// between them; FUSED elsewhere.
  MloptFuseReason *unstreamed;
  MloptFuseBody scratch;
  int *stack;  ///< for each kernel and node
  bool *seen;  ///< likewise
  bool failed; ///< out of memory
} MloptFusePlan;

/// Decides, for a chip with wgmma or without; the caller destroys the plan.
/// Fails after a diagnostic when `mlopt.fuse` asks for what cannot be, or
/// without one when out of memory.
MlirLogicalResult mloptFusePlanCreate(const MloptFuseGraph *, bool wgmma,
                                      MloptFusePlan *);
void mloptFusePlanDestroy(MloptFusePlan *);
/// The plan's scratch body, filled with a kernel's nodes, and with those of
/// another (-1: none) as if the two were one.
MloptFuseBody *mloptFuseBodyOf(MloptFusePlan *, int kernel, int other);
/// Whether the host, or a kernel other than `a` and `b` that does not compute
/// the node itself, reads it.
bool mloptFuseIsReadElsewhere(const MloptFusePlan *, int node, int a, int b);
/// Why two kernels of the plan are not one.
MloptFuseReason mloptFuseWhyApart(MloptFusePlan *, int producer, int consumer);

//===----------------------------------------------------------------------===//
// Rewriting and the ledger (fuse_build.c, fuse_ledger.c)
//===----------------------------------------------------------------------===//

/// What the kernels of a function come to.
typedef struct MloptFuseTotals {
  int64_t kernels, bytes;
} MloptFuseTotals;

/// Replaces the block's operations by the plan's fusions, with their ledgers.
/// `function` is what remarks name.
bool mloptFuseBuild(MloptFusePlan *, MlirStringRef function,
                    MloptFuseTotals *totals);
/// An entry of a ledger: fusing the operand's edge would save so many bytes.
MlirAttribute mloptFuseLedgerEntry(MlirContext, intptr_t operand,
                                   MloptFuseReason, int64_t bytes);
/// The ledger of a fusion whose kernel is in the plan's scratch body, and
/// remarks for every edge into it and inside it. `operands` are the values it
/// reads, as the original block has them.
MlirAttribute mloptFuseLedgerOf(MloptFusePlan *, int kernel,
                                MlirStringRef function, intptr_t numOperands,
                                const MlirValue *operands);

//===----------------------------------------------------------------------===//
// Building at level 2 (fuse_prepare.c)
//===----------------------------------------------------------------------===//

/// A constant of one element, given by its bits.
MlirValue mloptFuseSplat(MloptBuilder *, MlirType, uint64_t bits);
/// An elementwise operation of `x` and `y`, in the numerics mode of `like`.
MlirValue mloptFuseBinary(MloptBuilder *, const MloptOpDef *, MlirValue x,
                          MlirValue y, MlirOperation like);

#endif // MLOPT_PASSES_FUSE_H
