# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the programs should give: float64, from the same inputs.

Each function takes the case's sizes and the inputs as they are, and returns a
tuple of tensors. Large ones go by parts, so that the float64 copies fit.
"""

import math

import torch

import peers

f64 = torch.float64
PART = 1 << 27  # elements


def by_parts(function, *tensors):
    """Applies a function of rows to some rows at a time."""
    rows = max(1, PART * tensors[0].shape[0] // max(1, tensors[0].numel()))
    parts = [function(*(t[i:i + rows].to(f64) for t in tensors))
             for i in range(0, tensors[0].shape[0], rows)]
    return torch.cat(parts)


def gelu(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) *
                                     (x + 0.044715 * x ** 3)))


def silu(x):
    return x / (1 + torch.exp(-x))


def rms(x):
    return torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)


def normalise(x, w, b):
    c = x - x.mean(-1, keepdim=True)
    return c * torch.rsqrt((c * c).mean(-1, keepdim=True) + 1e-5) * w + b


# ---- Pointwise, layout, rows -------------------------------------------------


def add_relu_cos(sizes, x, y):
    return (by_parts(lambda x, y: torch.cos(torch.relu(x + y)), x, y),)


def bias_gelu(sizes, x, b):
    return (by_parts(lambda x: gelu(x + b.to(f64)), x),)


def scale_transpose(sizes, x):
    return (x.to(f64).t() * 2,)


def transpose4d(sizes, x):
    return (x.permute(0, 2, 1, 3).to(f64),)


def softmax(sizes, x):
    return (by_parts(lambda x: torch.softmax(x, 1), x),)


def layernorm(sizes, x, w, b):
    return (by_parts(lambda x: normalise(x, w.to(f64), b.to(f64)), x),)


def add_rmsnorm(sizes, x, r, w):
    # The sum is a result too: what is normalised is what was stored.
    h = x + r
    return h.to(f64), by_parts(lambda h: h * rms(h) * w.to(f64), h)


def column_sum(sizes, x):
    return (x.to(f64).sum(0),)


def full_sum(sizes, x):
    return (by_parts(lambda x: x.sum(0, keepdim=True), x).sum(),)


def cross_entropy(sizes, x, labels):
    picked = x.gather(1, labels[:, None])[:, 0].to(f64)
    return ((by_parts(lambda x: torch.logsumexp(x, 1), x) - picked).mean(),)


def embedding(sizes, table, ids):
    return (table[ids].to(f64),)


def rmsnorm_backward(sizes, x, w, dy):
    x, w, dy = x.to(f64), w.to(f64), dy.to(f64)
    scale = rms(x)
    n, dn = x * scale, dy * w
    return scale * (dn - n * (dn * n).mean(-1, keepdim=True)), (dy * n).sum(0)


def layernorm_backward(sizes, x, w, b, dy):
    x, w, dy = x.to(f64), w.to(f64), dy.to(f64)
    c = x - x.mean(-1, keepdim=True)
    scale = torch.rsqrt((c * c).mean(-1, keepdim=True) + 1e-5)
    n, dn = c * scale, dy * w
    part = dn.mean(-1, keepdim=True) + n * (dn * n).mean(-1, keepdim=True)
    return scale * (dn - part), (dy * n).sum(0), dy.sum(0)


def any_shape(program):
    """PyTorch's own, in float64."""

    def reference(sizes, *tensors):
        wide = [t.to(f64) if t.is_floating_point() else t for t in tensors]
        return (getattr(peers, f"torch_{program}")(sizes)(*wide),)

    return reference


for name in ("add", "scale", "gelu", "transpose", "reduce", "argmax", "softmax",
             "layernorm", "take", "pick", "concat", "pad", "slice", "reverse",
             "scatter", "cumsum", "argsort"):
    globals()[f"any_{name}"] = any_shape(f"any_{name}")


# ---- Contractions ------------------------------------------------------------


def matmul(sizes, a, b):
    layout = sizes[3]
    a = a if layout[0] == "n" else a.t()
    b = (b if layout[1] == "n" else b.t()).to(f64)
    return (by_parts(lambda a: a @ b, a),)


def scaled_matmul(sizes, a, b, left, right):
    b = b.to(f64).t() * right.to(f64)
    if not left.ndim:
        return (by_parts(lambda a: a @ b * left.to(f64), a),)
    return (by_parts(lambda a, left: a @ b * left[:, None], a, left),)


def gathered_matmul(sizes, x, w, ids):
    return (by_parts(lambda x: x @ w.to(f64).t(), x[ids]),)


def quantised_matmul(sizes, x, w, scale):
    # Scaled weights are rounded, as they are where they are stored.
    w = w.to(torch.bfloat16)
    if sizes[4:] != (False,):
        w = w * scale[:, None]
        return (by_parts(lambda x: x @ w.to(f64).t(), x),)
    return (by_parts(lambda x: x @ w.to(f64).t() * scale.to(f64), x),)


def rounded_matmul(sizes, x, w):
    return (by_parts(lambda x: x @ w.to(f64).t(), x.to(torch.bfloat16)),)


def batched_matmul(sizes, a, b):
    b = b if sizes[4:] == ("nn",) else b.transpose(1, 2)
    return (by_parts(torch.bmm, a, b),)


def linear_bias_gelu(sizes, a, w, b):
    return (by_parts(lambda a: gelu(a @ w.to(f64).t() + b.to(f64)), a),)


def linear_residual(sizes, a, w, r):
    return (by_parts(lambda a, r: a @ w.to(f64).t() + r, a, r),)


def swiglu(sizes, a, gate, up):
    return (by_parts(lambda a: silu(a @ gate.to(f64).t()) *
                     (a @ up.to(f64).t()), a),)


def linear_squares(sizes, a, w):
    y = by_parts(lambda a: a @ w.to(f64).t(), a)
    return y, (y * y).sum(1)


def linear_rmsnorm(sizes, a, w, g):
    m, n, k, length = (*sizes, sizes[1])[:4]

    def part(a):
        y = (a @ w.to(f64).t()).view(-1, n // length, length)
        root = (y.square().mean(-1, keepdim=True) + 1e-6).sqrt()
        return (y / root * g.to(f64)).view(-1, n)

    return (by_parts(part, a),)


def gelu_gradient(sizes, dy, w, h):
    def part(dy, h):
        c = math.sqrt(2 / math.pi)
        t = torch.tanh(c * (h + 0.044715 * h ** 3))
        slope = 0.5 * (1 + t) + 0.5 * h * (1 - t * t) * c * (
            1 + 3 * 0.044715 * h * h)
        return dy @ w.to(f64) * slope

    dh = by_parts(part, dy, h)
    return dh, dh.sum(0)


def projections(sizes, x, *w):
    return tuple(by_parts(lambda x, wi=wi: x @ wi.to(f64).t(), x) for wi in w)


def conv3x3(sizes, x, w):
    n, size = x.shape[0], x.shape[1]
    x = torch.nn.functional.pad(x.to(f64), (0, 0, 1, 1, 1, 1))
    y = 0
    for i in range(3):
        for j in range(3):
            y = y + x[:, i:i + size, j:j + size] @ w[:, i, j].to(f64).t()
    return (y,)


# ---- Attention ---------------------------------------------------------------


def keep(kind, size, s, device):
    i = torch.arange(s, device=device)[:, None]
    j = torch.arange(s, device=device)[None, :]
    if kind == "window":
        return (i >= j) & (i - j < size)
    if kind == "documents":
        return (i >= j) & (i // size == j // size)
    if kind == "prefix":
        return (i >= j) | (j < size)
    return i >= j


def attention(sizes, q, k, v):
    b, h, s, d, kind, size = (*sizes, "full", 0)[:6]
    y = torch.empty(b, h, s, d, dtype=f64, device=q.device)
    for n in range(b):
        for head in range(h):  # one matrix of scores at a time
            scores = q[n, head].to(f64) @ k[n, head].to(f64).t() / math.sqrt(d)
            if kind == "softcap":
                scores = size * torch.tanh(scores / size)
            if kind == "alibi":
                at = torch.arange(s, device=q.device)
                scores = scores + 2.0 ** (-8.0 * (head + 1) / h) * (
                    at[None, :] - at[:, None])
            if kind != "full":
                scores = scores.masked_fill(~keep(kind, size, s, q.device),
                                            -math.inf)
            y[n, head] = torch.softmax(scores, 1) @ v[n, head].to(f64)
    return (y,)


def decode(sizes, q, k, v):
    b, h, kv, s, d = sizes
    q = q.to(f64).reshape(b, kv, h // kv, d)
    scores = q @ k.to(f64).transpose(2, 3) / math.sqrt(d)
    return ((torch.softmax(scores, 3) @ v.to(f64)).reshape(b, h, 1, d),)


# ---- Launching and blocks ----------------------------------------------------


def chain(sizes, x):
    x = x.to(f64)
    for i in range(sizes[1]):
        x = torch.sin(x) if i % 2 else x * 1.01
    return (x,)


def mlp(sizes, h, *weights):
    h = h.to(f64)
    for w in weights:
        h = torch.relu(h @ w.to(f64))
    return (h,)


def mlp_softmax(sizes, x, w1, w2):
    return (torch.softmax(gelu(x.to(f64) @ w1.to(f64)) @ w2.to(f64), 1),)


def block(heads, x, ln1w, ln1b, qkvw, qkvb, projw, projb, ln2w, ln2b, upw, upb,
          downw, downb):
    b, t, d = x.shape
    qkv = normalise(x, ln1w, ln1b) @ qkvw.t() + qkvb
    q, k, v = qkv.view(b, t, 3, heads, d // heads).permute(2, 0, 3, 1, 4)
    scores = q @ k.transpose(2, 3) / math.sqrt(d // heads)
    scores = scores.masked_fill(~keep("causal", 0, t, x.device), -math.inf)
    a = (torch.softmax(scores, 3) @ v).transpose(1, 2).reshape(b, t, d)
    x = x + a @ projw.t() + projb
    h = gelu(normalise(x, ln2w, ln2b) @ upw.t() + upb)
    return x + h @ downw.t() + downb


def gpt2_block(sizes, *tensors):
    return (block(sizes[3], *(t.to(f64) for t in tensors)),)


def gpt2_block_train(sizes, *tensors):
    tensors = [t.detach().to(f64).requires_grad_() for t in tensors]
    with torch.enable_grad():
        loss = block(sizes[3], *tensors).square().mean()
        return (loss.detach(), *torch.autograd.grad(loss, tensors))
