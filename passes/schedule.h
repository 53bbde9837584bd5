//===- schedule.h - How a kernel is shared between threads --------*- C -*-===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where a kernel's family, tile and launch geometry are chosen,
// from the tensor program inside it: iterator types, indexing maps and scalar
// regions. The choice is the attribute `mlopt.schedule` of the kernel, which
// mlopt-emit-kernels obeys; a kernel without it is of the generic family.
//
//===----------------------------------------------------------------------===//

#ifndef MLOPT_PASSES_SCHEDULE_H
#define MLOPT_PASSES_SCHEDULE_H

#include "support.h"

/// The most results of a kernel that holds tiles in registers.
enum { MLOPT_MAX_TILE_ROOTS = 8 };

typedef enum MloptFamily {
  MLOPT_FAMILY_GENERIC,   ///< one thread for each element, on demand
  MLOPT_FAMILY_POINTWISE, ///< vectors of elements, several for each thread
  MLOPT_FAMILY_TRANSPOSE, ///< the same, through squares in shared memory
  MLOPT_FAMILY_ROWS,      ///< reductions along the last dimensions
  MLOPT_FAMILY_COLUMNS,   ///< reductions along dimensions before the last
  MLOPT_FAMILY_BOTH,      ///< along the last, and of pieces of rows beside it
  MLOPT_FAMILY_SCATTER,   ///< generic, with a scatter: see emit_scatter.c
  MLOPT_FAMILY_SORTED_SCATTER, ///< see emit_scatter_sorted.c
  MLOPT_FAMILY_SCAN,  ///< the threads of a line share it: see emit_scan.c
  MLOPT_FAMILY_SORT,  ///< those of a piece of one: see emit_sort.c
  MLOPT_FAMILY_COUNT, ///< those of a chunk count its rows: see emit_count.c
  MLOPT_FAMILY_COUNTED_SORT, ///< and place them: see emit_sort_counted.c
  MLOPT_NUM_FAMILIES
} MloptFamily;

typedef struct MloptSchedule {
  MloptFamily family;
  int64_t blocks;  ///< of the grid
  int64_t threads; ///< of a block
  int64_t lanes;   ///< elements of a vector
  /// Vectors that a thread holds at once. Rows: 0 when the row is too long to
  /// be held, and is read again for each reduction.
  int64_t vectors;
  /// Pointwise: elements from one of a thread's vectors to the next. Rows,
  /// both: threads that share a row. Columns: threads side by side. Transpose:
  /// the elements of a tile along its operands; `vectors` are their lanes.
  int64_t line;
  int64_t across;   ///< Transpose: those along its results
  int64_t cluster;  ///< Rows: blocks that share a row, a cluster of them
  int64_t resident; ///< blocks of a multiprocessor that registers are kept for
  /// Rows that are not held: turns along a block's part of a row whose operands
  /// shared memory holds, and the bytes that takes, barriers included.
  int64_t staged, shared;
  int64_t turn;  ///< vectors of a thread in a turn; 0: the most
  int64_t ahead; ///< Rows: a block fetches the operands of so many blocks on
  /// Pointwise: 1 where what is read starts anywhere, 0 where all of it starts
  /// at vectors.
  int64_t uneven;
} MloptSchedule;

/// The size of a space's last dimension of more than one element.
int64_t mloptRowOf(MlirType space);

enum { MLOPT_ROWS_MAX_TURN = 4 };
/// Registers of threads that hold the terms of a turn's sum. Softmax of 8192 x
/// 8192 bf16 takes 65.8 us with as many as it wants, 66.3 with those of one
/// block more.
enum { MLOPT_ROWS_TERM_REGISTERS = 64 };
/// Vectors of a thread in one turn along a row that is not held, and the
/// elements of the row in a turn.
int64_t mloptRowsTurnVectors(const MloptSchedule *);
int64_t mloptRowsTurnElements(const MloptSchedule *);

/// The most tensors whose parts shared memory holds.
enum { MLOPT_MAX_STAGED = 4 };
/// Finds the tensors of so many elements that the program reads in row-major
/// order, which copies in shared memory can stand for: casts of parameters.
intptr_t mloptFindStaged(MlirBlock program, int64_t elements, MlirValue *out);

/// The attribute's name.
#define MLOPT_SCHEDULE "mlopt.schedule"

/// Chooses for a kernel's block, which holds a tensor program between casts and
/// bufferization.materialize_in_destination. `clusters`: whether the chip has
/// them.
MloptSchedule mloptChooseSchedule(MlirBlock program, bool clusters);

/// How many pieces the reductions of a fusion's body ought to be cut into, so
/// that the GPU is busy; 1 when it is, or when a second kernel costs more; 0
/// when they stay whole, but what needs their results ought to be another
/// kernel, since a column is too long to be held.
int64_t mloptChooseSplit(MlirBlock body);

/// Pieces of so many rows each, and fewer rows that are left over.
typedef struct MloptPieces {
  int64_t count, length, rest;
} MloptPieces;

/// Where a kernel reduces rows and adds up columns beside them, `bytes` for
/// each column in all: the pieces of rows that have sums of their own, among
/// them the rest. No pieces: the shape does not suit such a kernel.
MloptPieces mloptChoosePieces(int64_t rows, int64_t columns, int64_t bytes);

/// The divisor of a size that is nearest to the wanted one, within a factor of
/// two, and leaves multiples of `align`; 0 if there is none.
int64_t mloptNearestDivisor(int64_t size, int64_t wanted, int64_t align);

/// As an attribute: `{family = "rows", blocks = 8 : i64, ...}`, and back. A
/// null attribute reads as generic; false when it is malformed.
MlirAttribute mloptScheduleToAttr(MlirContext, const MloptSchedule *);
bool mloptScheduleFromAttr(MlirAttribute, MloptSchedule *out);

//===----------------------------------------------------------------------===//
// What a program looks like
//===----------------------------------------------------------------------===//

/// The loops of a reduction: those of its result, and the reduced. Where the
/// reduced lie together, unit loops aside, the space is outer x middle x inner
/// elements, of which the middle is reduced.
typedef struct MloptReduction {
  intptr_t numLoops, numKept, numReduced;
  int64_t sizes[2 * MLOPT_MAX_RANK + 1]; ///< of all loops
  intptr_t kept[MLOPT_MAX_RANK];         ///< loops of the result, in its order
  intptr_t reduced[2 * MLOPT_MAX_RANK];
  bool together;
  int64_t outer, middle, inner;
} MloptReduction;

/// Whether the operation is a linalg.generic that reduces a loop of more than
/// one turn.
bool mloptIsReduction(MlirOperation);
/// Describes it; false when a result is not indexed by exactly the parallel
/// loops in order, all results alike, or a loop has no size.
bool mloptDescribeReduction(MlirOperation, MloptReduction *out);
/// Describes the first of a program, which has one.
void mloptFindReduction(MlirBlock program, MloptReduction *out);

/// The shared memory that a transposing kernel may fill, and the elements of
/// its tiles.
enum { MLOPT_TRANSPOSE_BYTES = 40 * 1024, MLOPT_TRANSPOSE_ELEMENTS = 32768 };
/// The two groups of a space's dimensions that a transposing kernel cuts into
/// tiles: the last ones of an operand, and those of the space itself, so many
/// that each has enough neighbours, with no dimension in both.
///
///   operand [ a b c d e ] -> [ e d c b a ]    along: e    across: b a
typedef struct MloptGroups {
  intptr_t numAlong, numAcross;
  intptr_t along[MLOPT_MAX_RANK]; ///< in the operand's order
  intptr_t across;                ///< the first of the space's last ones
  int64_t sizeAlong, sizeAcross;  ///< elements
  bool isDense; ///< the operand's dimension before them is the space's last
} MloptGroups;
/// False where no operand of the program lies across.
bool mloptFindGroups(MlirBlock program, MlirType space, MloptGroups *out);
/// Where an elementwise linalg.generic over a space of this rank reads operand
/// `i`, a parameter, in another order of dimensions: the dimension of the space
/// that is the operand's last, and all in `outDims`. -1 otherwise.
intptr_t mloptFindTransposed(MlirOperation, intptr_t i, intptr_t rank,
                             intptr_t *outDims);

/// How a reduction combines: out = combine(accumulator, element), an operation
/// known to be associative and commutative, with its neutral element.
typedef struct MloptCombiner {
  MlirOperation op;
  intptr_t accumulator; ///< which operand the accumulator is
  MlirAttribute neutral;
} MloptCombiner;
/// Describes result `i`; false when its body is anything else.
bool mloptDescribeCombiner(MlirOperation generic, intptr_t i,
                           MloptCombiner *out);

/// How an arg-reduction combines: it takes an element where the condition
/// `take` of the body holds, which is false for equal ones.
typedef struct MloptArgCombiner {
  MlirValue x, best; ///< of the body: an element, and the accumulator
  MlirValue index;   ///< of the element, rising along the reduced loop
  MlirValue take;
} MloptArgCombiner;
/// Describes a reduction to the best element and its index, of which the first
/// of equals is wanted; false when its body is anything else.
bool mloptDescribeArgCombiner(MlirOperation generic, MloptArgCombiner *out);

/// Whether a scan combines by one operation that may be regrouped; describes
/// it.
bool mloptScanIsFree(MlirOperation scan, MloptCombiner *out);
/// Whether a scan is one of the pieces of a whole's dimension before its own,
/// of which the last may reach over the edge (split_scans.c).
bool mloptScanIsCut(MlirOperation scan, MlirType whole);
/// Whether a scan goes along the last dimension, unit ones aside.
bool mloptScanIsRows(MlirOperation scan);

enum { MLOPT_SORT_MAX_OPERANDS = 64 };
/// What is known of a comparator: nothing; that it is a strict weak order; or
/// that it compares floats of one key, which NaNs keep from being one.
typedef enum MloptOrder {
  MLOPT_ORDER_UNKNOWN,
  MLOPT_ORDER_KNOWN,
  MLOPT_ORDER_FLOATS
} MloptOrder;
/// What a sort does along a line.
typedef struct MloptSortRuns {
  int64_t dim, size;
  int64_t from, to; ///< rows of a run that is in order before, and after
  bool isMerge;     ///< of two runs, too long for one block
  bool isKey[MLOPT_SORT_MAX_OPERANDS]; ///< the comparator reads this operand
  intptr_t numKeys;
  MloptOrder order;
  intptr_t key; ///< of floats: the operand, and the order
  bool isDescending;
} MloptSortRuns;
/// Describes it; false where threads cannot share it.
bool mloptReadSortRuns(MlirOperation sort, MloptSortRuns *out);
/// The longest runs that a block sorts, a power of two; 0 where it has no room
/// for the keys.
int64_t mloptSortMostRows(MlirOperation sort);

/// A sum of ones where a number is that of a loop: how many elements of the
/// space have each value.
typedef struct MloptCount {
  MlirOperation op;     ///< a linalg.generic
  intptr_t valueLoop;   ///< the loop over the values
  intptr_t rowLoop;     ///< the one that is reduced
  MlirValue number;     ///< of the body, an i32
  MlirValue isRow;      ///< of the body: the element counts; null: always
  intptr_t numLoops;    ///< all but the last are the result's
  int64_t values, rows; ///< sizes of the two loops
} MloptCount;
/// Describes it; false where a generic is anything else.
bool mloptDescribeCount(MlirOperation generic, MloptCount *out);

/// A sort of lines whose values are counted.
typedef struct MloptCountedSort {
  int64_t dim, size;     ///< of the lines
  int64_t values, chunk; ///< numbers that are compared; rows of a chunk
  int64_t numChunks;     ///< of a line
  bool isKey[MLOPT_SORT_MAX_OPERANDS]; ///< the comparator reads this operand
} MloptCountedSort;
/// Describes it; false where the comparator does not compare numbers.
bool mloptReadCountedSort(MlirOperation sort, MloptCountedSort *out);
/// Bytes of dynamic shared memory of a block that takes a chunk: the rows, then
/// a number for each value of each warp, and of all.
int64_t mloptCountedSortBytes(MlirOperation sort, const MloptCountedSort *,
                              int64_t threads);
/// The rows of a chunk that a block ought to hold, of a sort that is not
/// counted yet.
int64_t mloptCountedSortRows(MlirOperation sort);

/// Whether a value of the program comes from a reduction.
bool mloptReadsReduction(MlirValue);

/// A sum of exp(a - m), where m is the same for the whole row and comes from a
/// reduction of it: it can be summed with any other m, which the sum then makes
/// up for.
typedef struct MloptStreamed {
  MlirOperation generic; ///< that has the exp: the sum itself, or its operand
  MlirOperation exp;     ///< of its body
  MlirValue a;           ///< of its body, needs no reduction
  intptr_t reference;    ///< the input that m is
} MloptStreamed;
bool mloptDescribeStreamed(MlirOperation generic, MloptStreamed *out);

/// Whether the terms of a row that is one turn are worth holding: there is one
/// such sum, and results may need its exponentials, not to their last bits.
bool mloptWantsTerms(MlirBlock program);

#endif // MLOPT_PASSES_SCHEDULE_H
