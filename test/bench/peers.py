# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user would pick instead: PyTorch, Triton, JAX.

`make(case, maker, sizes, tensors)` returns a function of the case's inputs that
gives its results. A maker is named in cases.py, as "maker" or "maker:what"; the
`torch_` and `jax_` functions are the programs as those who use these libraries
write them.
"""

import math
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import torch
import torch.nn.functional as F

# ---- PyTorch -----------------------------------------------------------------


def torch_add_relu_cos(sizes):
    return lambda x, y: torch.cos(torch.relu(x + y))


def torch_bias_gelu(sizes):
    return lambda x, b: F.gelu(x + b, approximate="tanh")


def torch_scale_transpose(sizes):
    return lambda x: (x.t() * 2).contiguous()


def torch_transpose4d(sizes):
    return lambda x: x.permute(0, 2, 1, 3).contiguous()


def torch_softmax(sizes):
    return lambda x: torch.softmax(x, -1)


def torch_layernorm(sizes):
    return lambda x, w, b: F.layer_norm(x, w.shape, w, b)


def torch_add_rmsnorm(sizes):
    def f(x, r, w):
        h = x + r
        g = h.float()
        n = g * torch.rsqrt(g.pow(2).mean(-1, keepdim=True) + 1e-6)
        return h, n.to(h.dtype) * w

    return f


def torch_column_sum(sizes):
    return lambda x: x.float().sum(0)


def torch_full_sum(sizes):
    return lambda x: x.float().sum()


def torch_cross_entropy(sizes):
    return lambda x, labels: F.cross_entropy(x.float(), labels)


def torch_embedding(sizes):
    return lambda table, ids: F.embedding(ids, table)


def torch_rmsnorm(sizes):
    return lambda x, w: F.rms_norm(x, w.shape, w, 1e-6)


def torch_any_add(sizes):
    return lambda x, y: x + y


def torch_any_scale(sizes):
    shape = [n if i in sizes[2:] else 1 for i, n in enumerate(sizes[1])]
    return lambda x, w: x * w.view(shape)


def torch_any_gelu(sizes):
    return lambda x: F.gelu(x, approximate="tanh")


def torch_any_transpose(sizes):
    return lambda x: x.permute(sizes[2:]).contiguous()


def torch_any_reduce(sizes):
    function = {"add": torch.sum, "max": torch.amax, "min": torch.amin}[sizes[2]]
    same = lambda x: {"dtype": x.dtype} if sizes[2] == "add" else {}
    return lambda x: function(x, dim=sizes[3:], **same(x))


def torch_any_argmax(sizes):
    return lambda x: torch.argmax(x, sizes[2])


def torch_any_softmax(sizes):
    return lambda x: torch.softmax(x, sizes[2])


def torch_any_layernorm(sizes):
    return torch_layernorm(sizes)


def torch_any_take(sizes):
    return lambda table, ids: F.embedding(ids, table)


def torch_any_pick(sizes):
    return lambda x, labels: x.gather(1, labels[:, None])[:, 0]


def torch_any_concat(sizes):
    return lambda *parts: torch.cat(parts, sizes[1])


def torch_any_pad(sizes):
    both = [n for pair in zip(reversed(sizes[2]), reversed(sizes[3]))
            for n in pair]
    return lambda x: F.pad(x, both)


def torch_any_slice(sizes):
    parts = tuple(slice(a, n - b) for n, a, b in zip(*sizes[1:]))
    return lambda x: x[parts].clone(memory_format=torch.contiguous_format)


def torch_any_reverse(sizes):
    return lambda x: torch.flip(x, sizes[2:])


def torch_any_scatter(sizes):
    """By sorting, so that the bits are the same each time."""
    return lambda table, ids, updates: table.index_put((ids,), updates,
                                                       accumulate=True)


def torch_any_cumsum(sizes):
    return lambda x: torch.cumsum(x, sizes[2], dtype=x.dtype)


def torch_any_argsort(sizes):
    return lambda x: torch.sort(x, stable=True, dim=sizes[2])[1]


def torch_matmul(sizes):
    layout = sizes[3]
    left = (lambda a: a) if layout[0] == "n" else (lambda a: a.t())
    right = (lambda b: b) if layout[1] == "n" else (lambda b: b.t())
    return lambda a, b: left(a) @ right(b)


def torch_gathered_matmul(sizes):
    return lambda x, w, ids: x[ids] @ w.t()


def torch_quantised_matmul(sizes):
    if sizes[4:] == (False,):
        return lambda x, w, scale: (x @ w.to(x.dtype).t()) * scale
    return lambda x, w, scale: x @ (w.to(x.dtype) * scale[:, None]).t()


def torch_rounded_matmul(sizes):
    return lambda x, w: x.to(w.dtype) @ w.t()


def torch_batched_matmul(sizes):
    if sizes[4:] == ("nn",):
        return torch.bmm
    return lambda a, b: torch.bmm(a, b.transpose(1, 2))


def torch_linear_bias_gelu(sizes):
    return lambda a, w, b: F.gelu(F.linear(a, w, b), approximate="tanh")


def torch_linear_residual(sizes):
    return lambda a, w, r: F.linear(a, w) + r


def torch_swiglu(sizes):
    return lambda a, gate, up: F.silu(F.linear(a, gate)) * F.linear(a, up)


def torch_linear_squares(sizes):
    def f(a, w):
        y = F.linear(a, w)
        return y, y.float().square().sum(1)

    return f


def torch_linear_rmsnorm(sizes):
    m, n, k, length = (*sizes, sizes[1])[:4]

    def f(a, w, g):
        y = F.linear(a, w).view(m, n // length, length)
        return F.rms_norm(y, (length,), g, 1e-6).view(m, n)

    return f


def torch_gelu_gradient(sizes):
    def f(dy, w, h):
        dh = torch.ops.aten.gelu_backward(dy @ w, h, approximate="tanh")
        return dh, dh.sum(0)

    return f


def torch_projections(sizes):
    return lambda x, *w: tuple(F.linear(x, wi) for wi in w)


def torch_conv3x3(sizes):
    def f(x, w):
        y = F.conv2d(x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2), padding=1)
        return y.permute(0, 2, 3, 1)

    return f


def torch_attention(sizes):
    """As written, without a library's attention."""
    s, d, causal = sizes[2], sizes[3], sizes[4] == "causal"

    def f(q, k, v):
        p = (q @ k.transpose(-1, -2)) * (1 / math.sqrt(d))
        if causal:
            i = torch.arange(s, device=q.device)
            p = p.masked_fill(i[:, None] < i[None, :], -math.inf)
        return torch.softmax(p.float(), -1).to(q.dtype) @ v

    return f


def torch_chain(sizes):
    def f(x):
        for i in range(sizes[1]):
            x = torch.sin(x) if i % 2 else x * 1.01
        return x

    return f


def torch_mlp(sizes):
    def f(h, *weights):
        for w in weights:
            h = torch.relu(h @ w)
        return h

    return f


def torch_mlp_softmax(sizes):
    return lambda x, w1, w2: torch.softmax(
        F.gelu(x @ w1, approximate="tanh") @ w2, -1)


def torch_gpt2_block(sizes):
    heads = sizes[3]

    def f(x, ln1w, ln1b, qkvw, qkvb, projw, projb, ln2w, ln2b, upw, upb, downw,
          downb):
        b, t, d = x.shape
        qkv = F.linear(F.layer_norm(x, (d,), ln1w, ln1b), qkvw, qkvb)
        q, k, v = qkv.view(b, t, 3, heads, d // heads).permute(
            2, 0, 3, 1, 4).unbind(0)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + F.linear(a.transpose(1, 2).reshape(b, t, d), projw, projb)
        h = F.linear(F.layer_norm(x, (d,), ln2w, ln2b), upw, upb)
        return x + F.linear(F.gelu(h, approximate="tanh"), downw, downb)

    return f


def torch_function(case, sizes):
    """Of a program that computes gradients, what they are of."""
    return globals()[f"torch_{case.program.removesuffix('_backward')}"](sizes)


def with_gradients(case, function):
    """For the cases that want gradients: what calls the function forward and
    backward, or backward alone."""
    if case.program.endswith("_backward"):
        made = {}

        def backward(x, *rest):
            key, dy = x.data_ptr(), rest[-1]
            if key not in made:  # the forward pass is not what is timed
                leaves = [t.detach().requires_grad_() for t in (x, *rest[:-1])]
                made[key] = leaves, function(*leaves)
            leaves, y = made[key]
            return torch.autograd.grad(y, leaves, dy, retain_graph=True)

        return backward

    def step(*tensors):
        leaves = [t.detach().requires_grad_() for t in tensors]
        loss = function(*leaves).float().square().mean()
        return (loss.detach(), *torch.autograd.grad(loss, leaves))

    return step


def finish(case, function):
    if case.program.endswith("_backward") or case.reference.endswith("train"):
        return with_gradients(case, function)

    def f(*tensors):
        with torch.no_grad():
            return function(*tensors)

    return f


def eager(case, sizes, tensors, what):
    if case.program == "conv3x3":
        torch.backends.cudnn.benchmark = True
    return finish(case, torch_function(case, sizes))


def compile(case, sizes, tensors, what, **options):
    function = torch.compile(torch_function(case, sizes), dynamic=False, **options)
    return finish(case, function)


def autotune(case, sizes, tensors, what):
    return compile(case, sizes, tensors, what,
                   mode="max-autotune-no-cudagraphs")


def reduce(case, sizes, tensors, what):
    return compile(case, sizes, tensors, what, mode="reduce-overhead")


def captured(case, sizes, tensors, what):
    function = eager(case, sizes, tensors, what)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            function(*tensors)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = function(*tensors)

    def replay(*same):
        graph.replay()
        return y

    return replay


def tf32(case, sizes, tensors, what):
    function = eager(case, sizes, tensors, what)

    def f(*tensors):
        torch.backends.cuda.matmul.allow_tf32 = True
        y = function(*tensors)
        torch.backends.cuda.matmul.allow_tf32 = False
        return y

    return f


def scaled_mm(case, sizes, tensors, what):
    """cuBLASLt multiplies 8-bit floats in one layout; others are copied."""
    layout = sizes[3] if case.program == "matmul" else "nt"
    one = torch.tensor(1.0, device=tensors[0].device)

    def f(a, b, left=one, right=one):
        if left.ndim:
            left, right = left[:, None], right[None]
        a = a if layout[0] == "n" else a.t().contiguous()
        b = b if layout[1] == "t" else b.t().contiguous()
        return torch._scaled_mm(a, b.t(), left, right,
                                out_dtype=torch.bfloat16,
                                use_fast_accum=what == "fast")

    return f


def int_mm(case, sizes, tensors, what):
    layout = sizes[3]
    left = (lambda a: a) if layout[0] == "n" else (lambda a: a.t().contiguous())
    right = (lambda b: b) if layout[1] == "n" else (lambda b: b.t())
    return lambda a, b: torch._int_mm(left(a), right(b))


def sdpa(case, sizes, tensors, what):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    grouped = case.program == "decode"
    causal = not grouped and sizes[4] == "causal"
    backends = {"flash": [SDPBackend.FLASH_ATTENTION],
                "cudnn": [SDPBackend.CUDNN_ATTENTION]}.get(what)

    def call(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal,
                                              enable_gqa=grouped)

    if backends is None:
        return call

    def f(q, k, v):
        with sdpa_kernel(backends):
            return call(q, k, v)

    return f


def flex(case, sizes, tensors, what):
    from torch.nn.attention.flex_attention import (create_block_mask,
                                                   flex_attention)
    device = tensors[0].device
    function = torch.compile(flex_attention, dynamic=False)
    if case.program == "decode":
        return lambda q, k, v: function(q, k, v, enable_gqa=True)
    _, h, s, _, kind, size = sizes
    masks = {
        "window": lambda b, h, i, j: (i >= j) & (i - j < size),
        "documents": lambda b, h, i, j: (i >= j) & (document[i] == document[j]),
        "prefix": lambda b, h, i, j: (i >= j) | (j < size),
    }
    document = torch.arange(s, device=device) // max(size, 1)
    slopes = torch.exp2(-torch.arange(1, h + 1, device=device) * 8.0 / h)
    score = {"alibi": lambda x, b, h, i, j: x + slopes[h] * (j - i),
             "softcap": lambda x, b, h, i, j: size * torch.tanh(x / size)
             }.get(kind)
    mask = None
    if kind != "full":
        mask = create_block_mask(
            masks.get(kind, lambda b, h, i, j: i >= j), None, None, s, s,
            device=device)
    return lambda q, k, v: function(q, k, v, score_mod=score, block_mask=mask)


# ---- Triton ------------------------------------------------------------------


def triton_softmax(case, sizes, tensors, what):
    import triton_kernels
    return triton_kernels.make_softmax(tensors[0])


def read(case, sizes, tensors, what):
    import triton_kernels
    return triton_kernels.make_read(tensors[0])


def copy(case, sizes, tensors, what):
    y = torch.empty_like(tensors[0])
    return lambda x: y.copy_(x)


# ---- JAX ---------------------------------------------------------------------


def jax_function(case, sizes):
    import jax
    import jax.numpy as jnp
    f32, bf16 = jnp.float32, jnp.bfloat16

    def rmsnorm(x, w):
        x = x.astype(f32)
        n = x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6)
        return (n * w.astype(f32)).astype(bf16)

    def layernorm(x, w, b):
        x = x.astype(f32)
        c = x - x.mean(-1, keepdims=True)
        n = c * jax.lax.rsqrt((c * c).mean(-1, keepdims=True) + 1e-5)
        return (n * w + b).astype(bf16)

    def add_rmsnorm(x, r, w):
        h = x + r
        return h, rmsnorm(h, w)

    def cross_entropy(x, labels):
        p = jax.nn.log_softmax(x.astype(f32), -1)
        return -jnp.take_along_axis(p, labels[:, None], -1).mean()

    def rmsnorm_backward(x, w, dy):
        return jax.vjp(rmsnorm, x, w)[1](dy)

    def layernorm_backward(x, w, b, dy):
        return jax.vjp(layernorm, x, w, b)[1](dy)

    def attention(q, k, v):
        s, d, causal = sizes[2], sizes[3], sizes[4] == "causal"
        p = (jnp.einsum("bhid,bhjd->bhij", q, k) * d ** -0.5).astype(f32)
        if causal:
            i = jnp.arange(s)
            p = jnp.where(i[:, None] >= i[None, :], p, -jnp.inf)
        return jax.nn.softmax(p, -1).astype(q.dtype) @ v

    def mlp(h, *weights):
        for w in weights:
            h = jnp.maximum(h @ w, 0)
        return h

    gelu = lambda x: jax.nn.gelu(x, approximate=True)
    return {
        "add_relu_cos": lambda x, y: jnp.cos(jnp.maximum(x + y, 0)),
        "bias_gelu": lambda x, b: gelu(x + b),
        "scale_transpose": lambda x: x.T * 2,
        "transpose4d": lambda x: jnp.transpose(x, (0, 2, 1, 3)),
        "softmax": lambda x: jax.nn.softmax(x, -1),
        "layernorm": layernorm,
        "add_rmsnorm": add_rmsnorm,
        "column_sum": lambda x: x.astype(f32).sum(0),
        "full_sum": lambda x: x.astype(f32).sum(),
        "cross_entropy": cross_entropy,
        "embedding": lambda table, ids: jnp.take(table, ids, axis=0),
        "rmsnorm_backward": rmsnorm_backward,
        "layernorm_backward": layernorm_backward,
        "matmul": lambda a, b: a @ b.T,  # NT only
        "linear_bias_gelu": lambda a, w, b: gelu(a @ w.T + b),
        "linear_residual": lambda a, w, r: a @ w.T + r,
        "swiglu": lambda a, g, u: jax.nn.silu(a @ g.T) * (a @ u.T),
        "attention": attention,
        "mlp": mlp,
        "mlp_softmax": lambda x, w1, w2: jax.nn.softmax(gelu(x @ w1) @ w2, -1),
    }[case.program]


def to_jax(tensors):
    """The same memory, where JAX can take it."""
    import jax
    return [jax.dlpack.from_dlpack(t.contiguous()) for t in tensors]


def xla(case, sizes, tensors, what):
    """A jitted function of JAX's arrays; measure.py knows."""
    import jax
    return jax.jit(jax_function(case, sizes))


# ---- By name -----------------------------------------------------------------


def make(case, maker, sizes, tensors):
    name, _, what = maker.partition(":")
    return globals()[name](case, sizes, tensors, what)
