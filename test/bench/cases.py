# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of what is compared: programs, sizes, inputs, peers.

Needs no package: it is also read where the artifacts are made.
"""

import functools
import math
from dataclasses import dataclass, field

import programs

BITS = {"f64": 64, "f32": 32, "bf16": 16, "f16": 16, "f8E4M3FN": 8,
        "f8E5M2": 8, "i8": 8, "i32": 32, "i64": 64}


@dataclass(frozen=True)
class Case:
    """One row.

    program: a function of programs.py, "" for none. sizes, small: its
    arguments, at full size and at one that a CPU is done with at once. peers:
    labels and makers (peers.py), "maker" or "maker:what". reference: a function
    of references.py, the program's name by default.

    flops: of the whole program; the figure is then TFLOP/s. Otherwise it is
    GB/s over `bytes`: each operand and result once, by default. ceiling: "copy"
    or "read" of as many bytes, "dots" for the element type's large product.

    inputs: how arguments are drawn where they are not normal: "zeros", or the
    place in `sizes` of the number that integers stay under. incomparable: peers
    that do less. tolerance: of the error, as the norm of the difference over
    the norm, and its largest element over the largest magnitude, where the
    element type's does not do; magnitude: the least that counts as such. flags:
    of mlopt-compile. how: "bench" or a measurement of launches.py.
    """

    name: str
    program: str
    sizes: tuple
    small: tuple
    peers: tuple = ()
    reference: str = ""
    flops: float = 0
    bytes: float = 0
    ceiling: str = "copy"
    inputs: dict = field(default_factory=dict)
    incomparable: tuple = ()
    tolerance: tuple = ()
    magnitude: float = 0
    flags: tuple = ()
    how: str = "bench"

    def build(self, small=False):
        """The program, or None."""
        if not self.program:
            return None
        return getattr(programs, self.program)(*(self.small if small
                                                 else self.sizes))

    @property
    def file(self):
        """The name of its files, without an ending."""
        return self.name.replace("/", "-").replace("^", "")

    @property
    def rank(self):
        """How important it is when time is short; 1 comes first. What memory
        can do is measured with each case anyway."""
        return {"ceiling": 3, "odd": 3, "attention": 2, "prologue": 2,
                "types": 2, "folded": 2, "shared": 2, "normal": 2}.get(
            self.name.partition("/")[0], 1)

    @functools.cached_property
    def moved(self):
        """Bytes that must be moved."""
        if self.bytes or not self.program:
            return self.bytes
        program = self.build()
        return sum(math.prod(shape) * BITS[element] // 8
                   for _, shape, element in program.arguments + program.results)


EAGER = ("eager", "eager")
COMPILE = ("torch.compile", "compile")
AUTOTUNE = ("torch.compile max-autotune", "autotune")
XLA = ("xla", "xla")
ALL = (EAGER, COMPILE, XLA)
CUBLAS = ("cublas", "eager")

cases = []


def add(name, program, sizes, small, peers, **more):
    cases.append(Case(name, program, sizes, small, peers, **more))


# ---- What memory can do ------------------------------------------------------

for shape in ((1 << 30,), (8192, 8192), (4096, 32768), (32768, 1024),
              (128, 131072), (1 << 28,), (1 << 20,), (14336, 4096)):
    label = "2GiB" if shape == (1 << 30,) else "x".join(map(str, shape))
    size = 2 * math.prod(shape)
    if shape != (14336, 4096):
        add(f"ceiling/copy_{label}", "", (size,), (64,),
            (("torch copy_", "copy"),), bytes=2 * size)
    add(f"ceiling/read_{label}", "", (size,), (64,), (("triton", "read"),),
        bytes=size)

# ---- Pointwise and layout ----------------------------------------------------

for name, element, n in (("float32", "f32", 1 << 28),
                         ("bfloat16", "bf16", 1 << 28),
                         ("float32", "f32", 1 << 20)):
    # A sum's rounding moves the cosine by as much.
    add(f"pointwise/add_relu_cos_{name}_{n}", "add_relu_cos", (n, element),
        (1003, element), ALL,
        tolerance=(1e-2, 5e-2) if element == "bf16" else ())
add("pointwise/bias_gelu_bf16_8192x8192", "bias_gelu", (8192, 8192), (9, 33),
    ALL)
add("pointwise/bias_gelu_rounded_bf16_8192x8192", "bias_gelu",
    (8192, 8192, "bf16"), (9, 33, "bf16"), ALL)
add("transpose/scale_t_bf16_8192", "scale_transpose", (8192,), (33,), ALL)
add("more/transpose4d_bf16_4x128x64x512", "transpose4d", (4, 128, 64, 512),
    (2, 3, 4, 5), ALL)

# ---- Rows --------------------------------------------------------------------

for rows, columns in ((8192, 8192), (4096, 32768), (32768, 1024),
                      (128, 131072)):
    add(f"rows/softmax_bf16_{rows}x{columns}", "softmax", (rows, columns),
        (5, 130), ALL + ((("hand Triton", "triton_softmax"),)
                         if columns <= 32768 else ()))
add("rows/layernorm_bf16_16384x4096", "layernorm", (16384, 4096), (5, 96), ALL)
add("rows/add_rmsnorm_bf16_16384x4096", "add_rmsnorm", (16384, 4096), (5, 96),
    ALL)
add("rows/colsum_bf16_16384x4096", "column_sum", (16384, 4096), (96, 5), ALL,
    ceiling="read")
# A sum of as many numbers of either sign is right to their root.
add("rows/fullsum_bf16_2^28", "full_sum", (1 << 28,), (1003,), ALL,
    ceiling="read", magnitude=2.0 ** 14)
add("more/cross_entropy_bf16_8192x128256", "cross_entropy", (8192, 128256),
    (7, 130), ALL, ceiling="read", inputs={"labels": 1})
add("more/embedding_bf16_16384x4096", "embedding", (16384, 128256, 4096),
    (7, 130, 16), ALL, bytes=2 * 16384 * 4096 * 2, inputs={"ids": 1})
for norm in ("rmsnorm", "layernorm"):
    add(f"more/{norm}_backward_bf16_16384x4096", f"{norm}_backward",
        (16384, 4096), (96, 32), ALL)

# ---- Contractions ------------------------------------------------------------

GEMMS = ((1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096),
         (8192, 8192, 8192), (16384, 16384, 16384), (8192, 4096, 14336),
         (8192, 28672, 4096), (512, 4096, 4096), (128, 4096, 4096),
         (16, 14336, 4096), (1, 4096, 14336), (4096, 4096, 128),
         (333, 777, 1001))


def gemm(name, m, n, k, layout="nt", element="bf16", result=None, numerics=None,
         peers=(CUBLAS,), group="gemm", **more):
    options = (layout, element, result, numerics)
    add(f"{group}/{name}_{m}x{n}x{k}", "matmul", (m, n, k, *options),
        (32, 48, 64, *options), peers, flops=2.0 * m * n * k,
        **{"ceiling": "read" if min(m, n) <= 64 else "dots", **more})


for m, n, k in GEMMS:
    gemm("bf16_nt", m, n, k, peers=(CUBLAS, XLA))
for m in (8, 24, 32, 64):
    gemm("bf16_nt", m, 14336, 4096)
for m, n in ((16, 14336), (14336, 16)):
    gemm("bf16_nn", m, n, 4096, "nn")
for n in (4096, 8192):
    for layout in ("nn", "tn", "tt"):
        gemm(f"bf16_{layout}", n, n, n, layout)
    gemm("f16_nt", n, n, n, element="f16")
    gemm("f16_zeros", n, n, n, element="f16",
         inputs={"a": "zeros", "b": "zeros"})
    gemm("tf32_nt", n, n, n, element="f32", numerics="fast",
         peers=(("cublas", "tf32"),), tolerance=(1e-3, 1e-3))
    gemm("f32_nt", n, n, n, element="f32", tolerance=(2e-5, 2e-5))
    quick = ("cublaslt_fast_accum=True", "scaled_mm:fast")
    slow = ("cublaslt_fast_accum=False", "scaled_mm")
    gemm("e4m3_nt", n, n, n, element="f8E4M3FN", result="bf16",
         peers=(quick, slow), incomparable=(quick[0],))
    gemm("e4m3_fast_nt", n, n, n, element="f8E4M3FN", result="bf16",
         numerics="fast", peers=(quick, slow), tolerance=(2e-2, 4e-2))
add("gemm/bf16_batched_64x1024x1024x1024", "batched_matmul",
    (64, 1024, 1024, 1024), (3, 16, 32, 48), (CUBLAS,),
    flops=64 * 2.0 * 1024 ** 3, ceiling="dots")
add("more/bmm_small_bf16_4096x64x64x64", "batched_matmul",
    (4096, 64, 64, 64, "nn"), (3, 16, 16, 16, "nn"), (CUBLAS,))

typed = functools.partial(gemm, group="types")
for n in (4096, 8192):
    for layout in ("nn", "tn", "tt"):
        typed(f"f16_{layout}", n, n, n, layout, "f16")
        typed(f"tf32_{layout}", n, n, n, layout, "f32", numerics="fast",
             peers=(("cublas", "tf32"),), tolerance=(1e-3, 1e-3))
        typed(f"e4m3_{layout}", n, n, n, layout, "f8E4M3FN", "bf16",
             peers=(slow,))
    for layout in ("nt", "nn", "tn", "tt"):
        typed(f"s8_{layout}", n, n, n, layout, "i8", "i32",
             peers=(("cublaslt", "int_mm"),))
    # cuBLASLt takes e5m2 beside e4m3 alone, as gradients are.
    for name, scales, elements in (
            ("e4m3_scaled", "tensor", ("f8E4M3FN", "f8E4M3FN")),
            ("e4m3_rows_scaled", "rows", ("f8E4M3FN", "f8E4M3FN")),
            ("e5m2_scaled", "tensor", ("f8E5M2", "f8E4M3FN"))):
        add(f"types/{name}_{n}x{n}x{n}", "scaled_matmul",
            (n, n, n, scales, elements), (32, 48, 64, scales, elements),
            (slow,), flops=2.0 * n ** 3, ceiling="")
# Streams of narrow weights; cuBLASLt takes i8 from 17 rows on.
typed("e4m3_nt", 16, 4096, 4096, "nt", "f8E4M3FN", "bf16", peers=(slow,))
typed("s8_nt", 16, 4096, 4096, "nt", "i8", "i32", peers=())
typed("s8_nt", 32, 4096, 4096, "nt", "i8", "i32",
      peers=(("cublaslt", "int_mm"),))
for layout in ("nt", "nn", "tn", "tt"):
    typed(f"f64_{layout}", 4096, 4096, 4096, layout, "f64", ceiling="")


def prologue(name, program, m, n, k, *options, **more):
    add(f"prologue/{name}_bf16_{m}x{n}x{k}", program, (m, n, k, *options),
        (130, 48, 64, *options), (EAGER, COMPILE), flops=2.0 * m * n * k,
        **{"ceiling": "dots", **more})


add("prologue/gathered_bf16_8192of32768x4096x4096", "gathered_matmul",
    (8192, 32768, 4096, 4096), (130, 70, 48, 64), (EAGER, COMPILE),
    flops=2.0 * 8192 * 4096 ** 2, ceiling="dots", inputs={"ids": 1})
for m in (2048, 8192):
    prologue("w8a16", "quantised_matmul", m, 4096, 4096, "i8")
    prologue("w8a16_scaled_after", "quantised_matmul", m, 4096, 4096, "i8",
             False)
prologue("e4m3a16", "quantised_matmul", 2048, 4096, 4096, "f8E4M3FN")
prologue("rounded", "rounded_matmul", 2048, 4096, 4096)
for m, n in ((1, 14336), (16, 4096), (16, 14336), (64, 14336)):
    prologue("w8a16", "quantised_matmul", m, n, 4096, "i8", ceiling="read")
prologue("e4m3a16", "quantised_matmul", 16, 14336, 4096, "f8E4M3FN",
         ceiling="read")

FUSED = (EAGER, COMPILE, AUTOTUNE, XLA)
LINEAR = 2.0 * 8192 * 16384 * 4096
add("epilogue/linear_bias_gelu_bf16_8192x16384x4096", "linear_bias_gelu",
    (8192, 16384, 4096), (16, 32, 48), FUSED, flops=LINEAR, ceiling="dots")
add("epilogue/linear_residual_bf16_8192x4096x16384", "linear_residual",
    (8192, 4096, 16384), (16, 32, 48), FUSED, flops=LINEAR, ceiling="dots")
add("epilogue/swiglu_bf16_8192x14336x4096", "swiglu", (8192, 14336, 4096),
    (16, 32, 48), FUSED, flops=2 * 2.0 * 8192 * 14336 * 4096, ceiling="dots")
# Rows, or heads, that a tile holds.
for m, n, k, *length in ((8192, 128, 4096), (16384, 256, 1024),
                         (4096, 2048, 2048, 128), (8192, 4096, 4096, 128)):
    add(f"normal/{'head' if length else 'linear'}_rmsnorm_bf16_{m}x{n}x{k}",
        "linear_rmsnorm", (m, n, k, *length), (16, 32, 48, *(16 for _ in length)),
        (EAGER, COMPILE), flops=2.0 * m * n * k, ceiling="dots",
        tolerance=(1e-2, 2e-2))
# Of what is rounded.
add("folded/linear_squares_bf16_8192x4096x4096", "linear_squares",
    (8192, 4096, 4096), (16, 32, 48), (EAGER, COMPILE),
    flops=2.0 * 8192 * 4096 * 4096, ceiling="dots", tolerance=(1e-2, 2e-2))
add("folded/gelu_gradient_bf16_8192x4096x1024", "gelu_gradient",
    (8192, 4096, 1024), (16, 32, 48), (EAGER, COMPILE),
    flops=2.0 * 8192 * 4096 * 1024, ceiling="dots")
for m, k, *widths in ((8192, 4096, 4096, 1024, 1024), (512, 4096, 4096, 1024, 1024),
                      (8192, 4096, 4096, 4096, 4096)):
    add(f"shared/qkv_bf16_{m}x{'+'.join(map(str, widths))}x{k}", "projections",
        (m, k, *widths), (16, 32, *(n // 64 for n in widths)), (EAGER, COMPILE),
        flops=2.0 * m * k * sum(widths), ceiling="dots")
add("more/conv3x3_bf16_n32c256hw56", "conv3x3", (32, 256, 56), (2, 16, 7),
    (("cudnn", "eager"),), flops=2.0 * 32 * 56 * 56 * 256 * 256 * 9,
    ceiling="dots")

# ---- Attention ---------------------------------------------------------------

FLASH = ("sdpa_flash2", "sdpa:flash")
CUDNN = ("sdpa_cudnn", "sdpa:cudnn")
FLEX = ("flex_attention", "flex")


def attention(name, b, h, s, d, kind, peers, share, size=0, small_size=0):
    """share: of the scores, that which counts."""
    add(f"attention/{name}_b{b}h{h}s{s}d{d}", "attention",
        (b, h, s, d, kind, size), (1, 2, 32, 16, kind, small_size), peers,
        flops=4.0 * b * h * s * s * d * share, ceiling="dots")


for b, h, s, d in ((32, 16, 512, 128), (4, 16, 4096, 128), (1, 16, 16384, 128),
                   (4, 32, 4096, 64)):
    naive = (("torch.compile naive", "compile"), ("xla naive", "xla"))
    for kind in ("full", "causal"):
        attention(f"{kind}_bf16", b, h, s, d, kind, (FLASH, CUDNN, FLEX) +
                  (naive if s <= 4096 and d == 128 else ()),
                  0.5 if kind == "causal" else 1)
ONE = (4, 16, 4096, 128)
attention("alibi_causal_bf16", *ONE, "alibi", (FLEX,), 0.5)
attention("window1024_bf16", *ONE, "window", (FLEX,), 0.875 * 1024 / 4096, 1024,
          8)
attention("softcap_causal_bf16", *ONE, "softcap", (FLEX,), 0.5, 30, 30)
attention("documents_causal_bf16", *ONE, "documents", (FLEX,),
          0.5 * (5 * 700 ** 2 + 596 ** 2) / 4096 ** 2, 700, 7)
attention("prefix512_bf16", *ONE, "prefix", (FLEX,),
          0.5 + 512 * 512 * 0.5 / 4096 ** 2, 512, 8)
add("attention/decode_gqa_b16h32kv8s8192d128", "decode",
    (16, 32, 8, 8192, 128), (2, 4, 2, 32, 16),
    (("sdpa", "sdpa:any"), FLEX), ceiling="read")

# ---- Blocks ------------------------------------------------------------------

BLOCK, SMALL_BLOCK = (8, 1024, 1024, 16), (2, 16, 32, 4)
add("block/gpt2m_fwd_bf16_b8s1024", "gpt2_block", BLOCK, SMALL_BLOCK,
    (EAGER, COMPILE, AUTOTUNE), ceiling="", tolerance=(2e-2, 4e-2))
add("block/gpt2m_train_bf16_b8s1024", "gpt2_block", (*BLOCK, True),
    (*SMALL_BLOCK, True), (EAGER, COMPILE), reference="gpt2_block_train",
    ceiling="", tolerance=(5e-2, 1e-1))

# ---- Launching, compiling, starting ------------------------------------------

REPLAY = ("eager captured in a CUDA graph", "captured")
CHAIN = (EAGER, REPLAY, COMPILE)
add("launch/chain64_f32_4096", "chain", (4096, 64), (64, 64), CHAIN,
    how="replays")
add("launch/chain64_apart_f32_4096", "chain", (4096, 64, True), (64, 64, True),
    CHAIN, how="replays")
add("launch/mlp8_bf16_32x256", "mlp", (32, 256, 8), (4, 16, 8),
    (EAGER, COMPILE, ("torch.compile reduce-overhead", "reduce"), REPLAY, XLA),
    how="replays", tolerance=(3e-2, 6e-2))
add("launch/calls_one_kernel", "scales", (4096, 1), (64, 1), (), how="calls")
add("launch/calls_chain64", "scales", (4096, 64), (64, 64), (), how="calls")
add("launch/calls_taking64", "sums", (4096, 64), (64, 64), (), how="calls")
MLP = (("torch.compile", "compile"), ("xla", "xla"))
SIZES = (512, 512, 2048), (8, 16, 32)
add("compile_time/mlp_softmax", "mlp_softmax", *SIZES, MLP, how="compile_time")
add("start/mlp_softmax", "mlp_softmax", *SIZES, MLP, how="start",
    flags=("--ptxas",))
add("start/mlp_softmax_ptx", "mlp_softmax", *SIZES, (), how="start")

# ---- Any shape ---------------------------------------------------------------


def odd(program, element, *sizes, **more):
    """A shape nobody tuned for: primes, ones, powers of two plus and minus one,
    short and long rows."""
    words = [element] + ["x".join(map(str, s)) if isinstance(s, tuple) else
                         str(s) for s in sizes]
    small = tuple(tuple(1 + n % 7 for n in s) if isinstance(s, tuple) else
                  s if isinstance(s, str) or program in POSITIONS else 1 + s % 7
                  for s in sizes)
    if program == "slice":
        small = ((9, 12, 15)[:len(sizes[0])], *small[1:])
    add(f"odd/{program}_{'_'.join(words)}", f"any_{program}",
        (element, *sizes), (element, *small), (EAGER, COMPILE), **more)


# Programs whose numbers name dimensions, which are not sizes.
POSITIONS = ("scale", "transpose", "reduce", "argmax", "softmax", "concat",
             "reverse", "cumsum", "argsort")
for element, shape in (("f32", (1,)), ("bf16", (1048573,)),
                       ("f32", (16777259,)), ("f16", (8191, 8193)),
                       ("i32", (4097, 4095)), ("i64", (2, 3, 5, 7, 100003)),
                       ("f64", (4095, 4097)), ("i8", (67108859,)),
                       ("bf16", (16, 1, 8192, 257))):
    odd("add", element, shape)
odd("scale", "bf16", (65537, 127), 1)
odd("scale", "f32", (127, 65537), 0)
odd("scale", "bf16", (33, 1025, 513), 1)
odd("scale", "f16", (31, 3, 1023, 257), 0, 2)
odd("gelu", "f32", (4097, 4097))
odd("gelu", "bf16", (63, 65, 4097))
for element, shape, order in (
        ("f32", (8191, 4093), (1, 0)), ("bf16", (4097, 8193), (1, 0)),
        ("i8", (8192, 8191), (1, 0)), ("f64", (2049, 4095), (1, 0)),
        ("f32", (1048577, 3), (1, 0)), ("bf16", (3, 1048577), (1, 0)),
        ("f32", (127, 513, 257), (2, 0, 1)),
        ("bf16", (127, 513, 257), (1, 0, 2)),
        ("i32", (33, 33, 33, 33), (3, 0, 2, 1)),
        ("f16", (7, 2047, 3, 1023), (0, 2, 1, 3)),
        ("bf16", (16, 17, 31, 63, 65), (4, 3, 2, 1, 0))):
    odd("transpose", element, shape, *order)
for element, shape, kind, dims in (
        # rows
        ("f32", (1048577, 3), "add", (1,)), ("bf16", (262143, 31), "add", (1,)),
        ("bf16", (65537, 257), "add", (1,)), ("f32", (4095, 4097), "add", (1,)),
        ("bf16", (127, 131071), "add", (1,)),
        ("f16", (1, 16777213), "max", (1,)),
        ("bf16", (7, 3, 1048573), "max", (2,)),
        ("i32", (16383, 1023), "min", (1,)), ("f64", (4097, 2047), "add", (1,)),
        ("i64", (1023, 8191), "add", (1,)),
        # columns
        ("f32", (16383, 4097), "add", (0,)), ("bf16", (1048577, 5), "add", (0,)),
        ("bf16", (63, 1048577), "add", (0,)),
        ("i32", (4095, 8193), "add", (0,)),
        ("bf16", (129, 1025, 127), "add", (1,)),
        ("f32", (65, 63, 1023, 17), "add", (0, 2)),
        # all
        ("f32", (16777213,), "add", (0,)), ("bf16", (4095, 8193), "max", (0, 1)),
        ("f64", (127, 127, 127), "add", (0, 1, 2)), ("f16", (3,), "add", (0,))):
    # A sum of numbers of either sign is right to the root of their number.
    count = math.prod(shape[d] for d in dims)
    odd("reduce", element, shape, kind, *dims, ceiling="read",
        magnitude=math.sqrt(count) if kind == "add" and element[0] != "i" else 0)
for element, shape, dim in (("f32", (8191, 4099), 1), ("bf16", (64, 128257), 1),
                            ("f32", (4097, 2049), 0)):
    odd("argmax", element, shape, dim, ceiling="read")
for element, shape, dim in (
        ("f32", (1048575, 7), 1), ("bf16", (65535, 129), 1),
        ("f32", (16385, 1023), 1), ("f16", (1023, 16385), 1),
        ("bf16", (31, 524287), 1), ("bf16", (1, 1048577), 1),
        ("f32", (32, 1023, 257), 1)):
    odd("softmax", element, shape, dim)
odd("layernorm", "bf16", 16383, 1025)
odd("layernorm", "f32", 4097, 5003)
# What one kernel computes rows and sums of columns in, and what two do.
for norm, sizes in (("rmsnorm", ((8192, 1024), (17408, 64), (4224, 1000),
                                 (2048, 8192), (4099, 2048))),
                    ("layernorm", ((8192, 1024), (1056, 4096), (4100, 776)))):
    for rows, columns in sizes:
        add(f"odd/{norm}_backward_bf16_{rows}x{columns}", f"{norm}_backward",
            (rows, columns), (96, 32), (EAGER, COMPILE))
        add(f"odd/{norm}_backward_f32_{rows}x{columns}", f"{norm}_backward",
            (rows, columns, "f32"), (96, 32, "f32"), (EAGER, COMPILE))
odd("take", "bf16", 8191, 50257, 1023, inputs={"ids": 2},
    bytes=2 * 2 * 8191 * 1023)
odd("take", "f32", 1048577, 1000003, 3, inputs={"ids": 2},
    bytes=2 * 4 * 1048577 * 3)
odd("take", "f16", 33, 127, 65537, inputs={"ids": 2}, bytes=2 * 2 * 33 * 65537)
odd("pick", "f32", 65537, 1000, inputs={"labels": 2}, bytes=2 * 32 * 65537)
for element, dim, shapes in (
        ("bf16", 1, ((4097, 1001), (4097, 777), (4097, 513))),
        ("f32", 1, ((16383, 257), (16383, 31))),
        ("i8", 1, ((8191, 4097), (8191, 4095))),
        ("bf16", 1, ((127, 33, 1025), (127, 31, 1025))),
        ("f32", 0, ((1000003,), (7,), (16777213,)))):
    odd("concat", element, dim, *shapes)
for element, shape, low, high in (
        ("bf16", (4097, 4095), (1, 3), (2, 7)),
        ("f32", (127, 129, 1023), (0, 1, 1), (0, 1, 1)),
        ("i8", (4095, 8191), (0, 1), (1, 0))):
    odd("pad", element, shape, low, high)
for element, shape, low, high in (("bf16", (4099, 4099), (1, 3), (1, 3)),
                                  ("f32", (127, 131, 1027), (0, 1, 2), (0, 3, 1)),
                                  ("f16", (16777259,), (3,), (1,))):
    odd("slice", element, shape, low, high)
odd("reverse", "bf16", (4097, 4095), 1)
odd("reverse", "f32", (127, 131, 1027), 0, 2)
odd("reverse", "i8", (8192, 8192), 1)
# torch.compile adds by atomics, in any order.
SCATTER = {"inputs": {"ids": 2}, "incomparable": ("torch.compile",)}
odd("scatter", "f32", 1048577, 1000003, **SCATTER)
odd("scatter", "f32", 1000003, 1021, **SCATTER)
odd("scatter", "f32", 65537, 50257, 129, **SCATTER)
odd("scatter", "bf16", 16383, 50257, 768, **SCATTER)
for element, shape, dim in (("f32", (4097, 4095), 1), ("f32", (65537, 129), 1),
                            ("f32", (3, 16777213), 1), ("i32", (16777259,), 0),
                            ("f32", (4095, 4097), 0), ("f64", (1023, 8193), 1)):
    # A sum of numbers of either sign is right to the root of their number.
    odd("cumsum", element, shape, dim,
        magnitude=math.sqrt(shape[dim]) if element[0] == "f" else 0)
odd("argsort", "f32", (4097, 1023), 1)
odd("argsort", "i32", (64, 8191), 1)
odd("argsort", "f32", (1048573,), 0)
odd("argsort", "i32", (16777259,), 0)
odd("argsort", "f32", (65537, 31), 1)
odd("argsort", "f32", (8191, 257), 0)
