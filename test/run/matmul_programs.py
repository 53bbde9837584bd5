#!/usr/bin/env python3
"""Writes and compiles matrix products of every kind that wgmma kernels have.

  test/run/matmul_programs.py DIR [--compiler=mlopt-compile] [--ptxas]

DIR gets an artifact for each and list.txt for test/run/gpu_check.sh, which runs
it on a GPU against the CPU with f64 sums, three times for the same bits. Sizes
are chosen by what goes wrong: matrices smaller than a tile, k smaller than a
stage, one tile or many for each block, an odd number of stored blocks in a tile,
edges in every direction, batches.
"""

import re
import sys

import gpu_programs

# Bytes of an element, and the multiple of 16 bytes that rows must be.
BYTES = {"bf16": 2, "f16": 2, "f32": 4, "f8E4M3FN": 1, "f8E5M2": 1, "i8": 1}

# Tiles as the attribute mlopt.schedule has them: m, n, stages, blocks of a
# cluster, whether consumers alternate.
TILES = [
    (128, 256, 4, 1, False),
    (128, 192, 4, 1, False),
    (128, 128, 6, 1, False),
    (128, 64, 8, 1, False),
    (64, 64, 12, 1, True),
    (64, 256, 4, 1, True),
    (64, 192, 6, 1, True),
    (128, 128, 6, 1, True),
    (256, 128, 4, 1, False),
    (128, 256, 4, 2, False),
    (256, 128, 4, 2, False),
    (128, 64, 2, 1, False),
]

# m, n, stages, and the blocks that share a tile's k.
SPLITS = [(128, 64, 8, 2), (128, 128, 6, 4), (128, 128, 4, 3), (256, 64, 4, 8),
          (256, 64, 4, 2)]
SPLIT_SIZES = [(100, 14, 66, 2), (200, 9, 130, None)]

# m, n, stages of tiles of which blocks share the last ones, and sizes: one helper
# for a tile and several tiles for one, few steps and many, edges, batches.
TAILS = [(128, 256, 4), (128, 192, 4), (256, 128, 4), (128, 128, 6)]
TAIL_SIZES = [(30, 20, 66, 200), (20, 2, 400, 250), (130, 6, 50, 150)]

# m, n, k, batch: in units of 16 bytes for n and k.
SIZES = [
    (64, 8, 8, 300),  # many small products
    (40, 5, 3, 7),  # smaller than any tile, k smaller than a stage
    (200, 40, 17, None),  # edges everywhere
    (1, 8, 8, 140),
    (700, 72, 40, None),  # many tiles, several turns of the ring
]

# Rows that TMA takes of no result, or of no factor: padded, shifted, or read
# where they lie; a k that blocks share.
ODD_SIZES = [(130, 77, 136, None), (16, 33, 2001, None), (200, 333, 1001, None),
             (90, 110, 1002, 3), (70, 90, 136, None)]
ODD_ELEMENTS = [("bf16", "bf16", "bf16", False), ("f16", "f16", "f32", False),
                ("i8", "i8", "i32", False), ("f32", "f32", "f32", False)]

ELEMENTS = [  # of a, of b, of the result, fast
    ("bf16", "bf16", "bf16", False),
    ("f16", "f16", "f32", False),
    ("f8E4M3FN", "f8E5M2", "bf16", False),
    ("f8E4M3FN", "f8E4M3FN", "bf16", True),
    ("i8", "i8", "i32", False),
    ("f32", "f32", "bf16", True),
]


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def schedule(tile, element):
    m, n, stages, cluster, alternate, *splits = tile
    tail = ", tail" if splits == ["tail"] else ""
    splits = [] if tail else splits
    return (f'{{family = "matmul", band = 4 : i64, stages = {stages} : i64, '
            f"cluster = {cluster} : i64, "
            f"splits = {splits[0] if splits else 1} : i64, "
            f"tile = array<i64: {m}, {n}, {128 // BYTES[element]}>"
            f"{', alternate' if alternate else ''}{tail}}}")


def program(m, n, k, batch, layout, elements, tile=None):
    a, b, out, fast = elements
    shape_a = [m, k] if layout[0] == "n" else [k, m]
    shape_b = [k, n] if layout[1] == "n" else [n, k]
    dims = [int(layout[0] == "n"), int(layout[1] == "t")]
    shape, batches = [m, n], ""
    if batch:
        shape_a, shape_b, shape = ([batch] + s for s in (shape_a, shape_b, shape))
        dims = [d + 1 for d in dims]
        batches = "batch [0] x [0] "
    types = tensor(shape_a, a), tensor(shape_b, b), tensor(shape, out)
    mode = " {numerics = #mlopt.numerics<fast>}" if fast else ""
    if not tile:
        return f"""func.func @main(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{
  %r = mlopt.dot %a, %b {batches}contract [{dims[0]}] x [{dims[1]}]{mode} : ({types[0]}, {types[1]}) -> {types[2]}
  return %r : {types[2]}
}}
"""
    return f"""func.func @main(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{
  %r = mlopt.fusion (%x = %a : {types[0]}, %y = %b : {types[1]}) -> {types[2]} {{
    %0 = mlopt.dot %x, %y {batches}contract [{dims[0]}] x [{dims[1]}]{mode} : ({types[0]}, {types[1]}) -> {types[2]}
    mlopt.yield %0 : {types[2]}
  }} {{mlopt.schedule = {schedule(tile, a)}}}
  return %r : {types[2]}
}}
"""


# Products whose tiles are one list, a dimension of the factors that they do not
# share: less than a tile, edges, several tiles.
LISTED = [(200, 40, 128), (64, 72), (8, 320, 16, 256)]


def listed(rows, depth, batch, elements, tile, shares_b):
    """Each of `rows` of its own beside a factor of 130 that all share."""
    a, b, out, fast = elements
    extra = [batch] if batch else []
    free = len(extra)
    batches = "batch [0] x [0] " if batch else ""
    mode = " {numerics = #mlopt.numerics<fast>}" if fast else ""
    own, other = (a, b) if shares_b else (b, a)
    shared = tensor([*extra, 136, depth], other)
    arguments, body, results = [f"%s: {shared}"], [], []
    for i, n in enumerate(rows):
        types = [tensor([*extra, n, depth], own), shared]
        names = [f"%w{i}", "%s"]
        shape = [n, 136] if shares_b else [136, n]
        if not shares_b:
            names, types = names[::-1], types[::-1]
        arguments.append(f"%w{i}: {tensor([*extra, n, depth], own)}")
        results.append(tensor([*extra, *shape], out))
        body.append(f"    %r{i} = mlopt.dot {', '.join(names)} {batches}contract "
                    f"[{1 + free}] x [{1 + free}]{mode} : ({', '.join(types)}) -> "
                    f"{results[-1]}")
    taken = ", ".join(x.replace("%", "%in_") for x in arguments)
    bound = ", ".join(f"{x.split(':')[0]} = %in_{x[1:]}" for x in arguments)
    given = ", ".join(f"%r{i}" for i in range(len(rows)))
    types, count = f"({', '.join(results)})", len(rows)
    returned = ", ".join(f"%out#{i}" for i in range(count))
    lines = "\n".join(body)
    return f"""func.func @main({taken}) -> {types} {{
  %out:{count} = mlopt.fusion ({bound}) -> {types} {{
{lines}
    mlopt.yield {given} : {', '.join(results)}
  }} {{mlopt.schedule = {schedule(tile, a)}}}
  return {returned} : {', '.join(results)}
}}
"""


def lists():
    tiles = [*TILES, *((m, n, stages, 1, False, splits)
                       for m, n, stages, splits in SPLITS)]
    for i, tile in enumerate(tiles):
        elements = ELEMENTS[0 if i % 2 else 2 + i // 2 % 4]
        slabs = tile[0] // (64 if tile[4] else 128)
        if (BYTES[elements[0]] == 1 and elements[0] != "i8" and not elements[3]
                and slabs * tile[1] > 192):
            elements = ELEMENTS[1]  # two accumulators do not fit
        unit = 16 // BYTES[elements[0]]
        rows = [n * max(1, unit // 8) for n in LISTED[i % 3]]
        batch = 5 if i % 4 == 1 and len(tile) == 5 else None
        yield f"listed{i}_{elements[0]}", listed(rows, 70 * unit, batch, elements,
                                                 tile, i % 3 == 1)


def programs():
    """(name, text)"""
    yield from lists()
    for i, tile in enumerate(TILES):
        for j, (m, n, k, batch) in enumerate(SIZES):
            elements = ELEMENTS[(i + j) % len(ELEMENTS)]
            a, out, fast = elements[0], elements[2], elements[3]
            slabs = tile[0] // (64 if tile[4] else 128)
            if (BYTES[a] == 1 and a != "i8" and not fast
                    and slabs * tile[1] > 192):
                elements = ELEMENTS[0]  # two accumulators do not fit
            unit = 16 // BYTES[elements[0]]
            layout = "nt"
            if BYTES[elements[0]] == 2:
                layout = ("nt", "nn", "tn", "tt")[(i + 2 * j) % 4]
            sizes = (m + -m % unit if layout[0] == "t" else m, n * 8 * (
                2 if unit == 16 else 1), k * unit, batch)
            name = f"tile{i}_{j}_{elements[0]}_{layout}"
            text = program(*sizes, layout, elements, tile)
            yield name, text
    for i, (tile_m, tile_n, stages, splits) in enumerate(SPLITS):
        for j, (m, n, k, batch) in enumerate(SPLIT_SIZES):
            elements = ELEMENTS[(i + 3 * j) % len(ELEMENTS)]
            if elements[0] == "f8E4M3FN" and tile_n > 64:
                elements = ELEMENTS[4]
            unit = 16 // BYTES[elements[0]]
            text = program(m, n * 16, k * unit, batch, "nt", elements,
                           (tile_m, tile_n, stages, 1, False, splits))
            yield f"splits{i}_{j}_{elements[0]}", text
    for i, tile in enumerate(TAILS):
        for j, (m, n, k, batch) in enumerate(TAIL_SIZES):
            elements = ELEMENTS[(i + j) % len(ELEMENTS)]
            if (elements[0] == "f8E4M3FN" and not elements[3]
                    and tile[0] // 128 * tile[1] > 192):
                elements = ELEMENTS[0]  # two accumulators do not fit
            unit = 16 // BYTES[elements[0]]
            text = program(m, n * 8, k * unit, batch, "nt", elements,
                           (*tile, 1, False, "tail"))
            yield f"tail{i}_{j}_{elements[0]}", text
    for j, (m, n, k, batch) in enumerate(SIZES):  # as the compiler chooses
        for elements in ELEMENTS:
            unit = 16 // BYTES[elements[0]]
            text = program(m, n * 16, k * unit, batch, "nt", elements)
            fast = "_fast" if elements[3] else ""
            yield f"chosen{j}_{elements[0]}{fast}", text
        for layout in ("nn", "tn", "tt"):  # TF32, a factor or both across k
            text = program(m + -m % 4, n * 16, k * 4, batch, layout, ELEMENTS[5])
            yield f"across{j}_{layout}", text
    for j, (m, n, k, batch) in enumerate(ODD_SIZES):
        for elements in ODD_ELEMENTS:
            text = program(m, n, k, batch, "nt", elements)
            yield f"odd{j}_{elements[0]}", text
    for layout in ("nn", "tn", "tt"):  # transposed and padded
        yield f"laid_{layout}", program(700, 900, 1021, None, layout,
                                        ("f32", "f32", "bf16", True))
    # About the least that is split, since the CPU computes it too.
    yield "split", program(2048, 2048, 256, None, "nn",
                           ("f32", "f32", "f32", False))


# Input [n, space.., ci], kernel [space.., ci, co], strides, padding before and
# behind, dilation of the kernel, groups.
CONVS = [
    ([2, 14, 14, 32], [3, 3, 32, 64], [1, 1], [1, 1], [1, 1], [1, 1], 1),
    ([1, 7, 9, 64], [3, 3, 64, 136], [2, 2], [1, 1], [1, 1], [1, 1], 1),
    ([3, 100, 16], [5, 16, 24], [1], [2], [2], [1], 1),
    ([2, 6, 7, 8, 16], [2, 3, 2, 16, 32], [1] * 3, [1] * 3, [1] * 3, [1] * 3, 1),
    ([5, 12, 12, 72], [1, 1, 72, 64], [2, 2], [0, 0], [0, 0], [1, 1], 1),
    ([2, 16, 16, 40], [3, 3, 40, 48], [1, 1], [2, 2], [2, 2], [2, 2], 1),
    ([2, 12, 12, 64], [3, 3, 64, 64], [1, 1], [0, 0], [0, 0], [1, 1], 1),
    ([9, 11, 11, 136], [3, 2, 136, 64], [3, 1], [0, 1], [2, 0], [1, 1], 1),
    ([2, 9, 9, 128], [3, 3, 64, 96], [1, 1], [1, 1], [1, 1], [1, 1], 2),
    ([40, 8, 8, 64], [3, 3, 64, 320], [1, 1], [1, 1], [1, 1], [1, 1], 1),
    ([3, 10, 10, 64], [3, 3, 64, 128], [1, 1], [1, 1], [1, 1], [1, 1], 1),
    ([1, 200, 32], [7, 32, 64], [4], [3], [3], [1], 1),
]


def convolution(conv, elements):
    x, w, strides, low, high, dilation, groups = conv
    a, b, out, fast = elements
    space = [(size + low[i] + high[i] - dilation[i] * (w[i] - 1) - 1)
             // strides[i] + 1 for i, size in enumerate(x[1:-1])]
    types = (tensor(x, a), tensor(w, b),
             tensor([x[0]] + space + [w[-1]], out))
    attributes = [f"groups = {groups} : i64"] * (groups > 1)
    attributes += ["numerics = #mlopt.numerics<fast>"] * fast
    return f"""func.func @main(%x: {types[0]}, %w: {types[1]}) -> {types[2]} {{
  %r = mlopt.conv %x, %w strides {strides} low {low} high {high} input_dilation {[1] * len(low)} window_dilation {dilation} {{{", ".join(attributes)}}} : ({types[0]}, {types[1]}) -> {types[2]}
  return %r : {types[2]}
}}
"""


# Shapes of the factors, and which of their dimensions are batches and summed.
DOTS = {
    "heads": ([2, 150, 3, 64], [2, 100, 3, 64], [0, 2], [0, 2], [3], [3]),
    "values": ([2, 3, 150, 104], [2, 104, 3, 64], [0, 1], [0, 2], [3], [1]),
    "groups": ([2, 3, 2, 90, 64], [2, 3, 80, 64], [0, 1], [0, 1], [4], [3]),
    "rows_apart": ([3, 5, 50, 72], [5, 96, 72], [1], [0], [3], [2]),
    "columns_apart": ([5, 70, 72], [3, 5, 48, 72], [0], [1], [2], [3]),
    "both_apart": ([3, 5, 50, 64], [2, 5, 40, 64], [1], [1], [3], [3]),
    "depth_apart": ([3, 130, 40], [3, 70, 40], [], [], [0, 2], [0, 2]),
    "depth_in_rows": ([3, 40, 128], [3, 40, 64], [], [], [0, 1], [0, 1]),
    "depth_of_one": ([3, 40, 128], [3, 72, 40], [], [], [0, 1], [0, 2]),
    "tail": ([20, 3, 130], [70, 3, 130], [1], [1], [2], [2]),
}


def product_of(dot, elements):
    a, b, batch_a, batch_b, contract_a, contract_b = dot
    left = [n for i, n in enumerate(a) if i not in batch_a + contract_a]
    right = [n for i, n in enumerate(b) if i not in batch_b + contract_b]
    types = (tensor(a, elements[0]), tensor(b, elements[1]),
             tensor([a[i] for i in batch_a] + left + right, elements[2]))
    batch = f"batch {batch_a} x {batch_b} " if batch_a else ""
    return f"""func.func @main(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{
  %r = mlopt.dot %a, %b {batch}contract {contract_a} x {contract_b} : ({types[0]}, {types[1]}) -> {types[2]}
  return %r : {types[2]}
}}
"""


# Queries and keys are slices of one tensor, and read in place.
SLICES = """func.func @main(%qkv: tensor<2x100x3x4x64xbf16>) -> tensor<2x4x100x100xf32> {
  %0 = mlopt.slice %qkv starts [0, 0, 0, 0, 0] limits [2, 100, 1, 4, 64] strides [1, 1, 1, 1, 1] : tensor<2x100x3x4x64xbf16> -> tensor<2x100x1x4x64xbf16>
  %1 = mlopt.reshape %0 : tensor<2x100x1x4x64xbf16> -> tensor<2x100x4x64xbf16>
  %2 = mlopt.slice %qkv starts [0, 0, 1, 0, 0] limits [2, 100, 2, 4, 64] strides [1, 1, 1, 1, 1] : tensor<2x100x3x4x64xbf16> -> tensor<2x100x1x4x64xbf16>
  %3 = mlopt.reshape %2 : tensor<2x100x1x4x64xbf16> -> tensor<2x100x4x64xbf16>
  %r = mlopt.dot %1, %3 batch [0, 2] x [0, 2] contract [3] x [3] : (tensor<2x100x4x64xbf16>, tensor<2x100x4x64xbf16>) -> tensor<2x4x100x100xf32>
  return %r : tensor<2x4x100x100xf32>
}
"""


# The gradient of a convolution by its weights, as JAX writes it.
WEIGHTS = """func.func @main(%x: tensor<6x11x13x64xbf16>, %y: tensor<6x11x13x96xbf16>) -> tensor<64x3x3x96xf32> {
  %a = mlopt.transpose %x perm [3, 1, 2, 0] : tensor<6x11x13x64xbf16> -> tensor<64x11x13x6xbf16>
  %b = mlopt.transpose %y perm [1, 2, 0, 3] : tensor<6x11x13x96xbf16> -> tensor<11x13x6x96xbf16>
  %r = mlopt.conv %a, %b strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] : (tensor<64x11x13x6xbf16>, tensor<11x13x6x96xbf16>) -> tensor<64x3x3x96xf32>
  return %r : tensor<64x3x3x96xf32>
}
"""


# And by its input, whose weights it takes in reverse.
INPUT = """func.func @main(%y: tensor<3x14x14x96xbf16>, %w: tensor<3x3x64x96xbf16>) -> tensor<3x14x14x64xbf16> {
  %0 = mlopt.reverse %w dims [0, 1] : tensor<3x3x64x96xbf16>
  %1 = mlopt.transpose %0 perm [0, 1, 3, 2] : tensor<3x3x64x96xbf16> -> tensor<3x3x96x64xbf16>
  %r = mlopt.conv %y, %1 strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] : (tensor<3x14x14x96xbf16>, tensor<3x3x96x64xbf16>) -> tensor<3x14x14x64xbf16>
  return %r : tensor<3x14x14x64xbf16>
}
"""


# bf16 beside f32.
MIXED = """func.func @main(%a: tensor<3x150x200xf32>, %b: tensor<3x200x64xbf16>) -> tensor<3x150x64xf32> {
  %0 = mlopt.convert %b : tensor<3x200x64xbf16> -> tensor<3x200x64xf32>
  %r = mlopt.dot %a, %0 batch [0] x [0] contract [2] x [1] : (tensor<3x150x200xf32>, tensor<3x200x64xf32>) -> tensor<3x150x64xf32>
  return %r : tensor<3x150x64xf32>
}
"""


def pinned(text, tile):
    """The program as one fusion with this tile."""
    head, *body, _, _ = text.rstrip().split("\n")
    arguments, result = head.removesuffix(" {").split(" -> ")
    names = re.findall(r"%(\w+): (tensor<[^>]*>)", arguments)
    taken = ", ".join(f"%{n} = %in_{n} : {t}" for n, t in names)
    inside = "\n".join("  " + line for line in body)
    return f"""{arguments.replace("%", "%in_")} -> {result} {{
  %out = mlopt.fusion ({taken}) -> {result} {{
{inside}
    mlopt.yield %r : {result}
  }} {{mlopt.schedule = {schedule(tile, "bf16")}}}
  return %out : {result}
}}
"""


def places():
    """Programs whose factors are no matrices that lie as wgmma takes them."""
    # Boxes that start beyond the last row, and beyond the last tap.
    yield "rows_beyond", pinned(convolution(CONVS[-2], ELEMENTS[0]),
                                (128, 128, 4, 2, False))
    yield "taps_beyond", pinned(WEIGHTS, (128, 64, 8, 1, False))
    for i, conv in enumerate(CONVS):
        elements = ELEMENTS[i % 2]
        yield f"conv{i}_{elements[0]}", convolution(conv, elements)
    for name, dot in DOTS.items():
        yield name, product_of(dot, ELEMENTS[0])
    yield "slices", SLICES
    yield "weights", WEIGHTS
    yield "input", INPUT
    yield "mixed", MIXED


if __name__ == "__main__":
    sys.exit(gpu_programs.main(__doc__, [*programs(), *places()]))
