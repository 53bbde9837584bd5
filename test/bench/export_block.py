#!/usr/bin/env python3
# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the StableHLO programs in shapes/: a transformer block as JAX exports
it, forward and with gradients, at the bench's size and at a small one.

  export_block.py             needs jax

Sizes are those of GPT-2 medium. Weights lie as PyTorch's do. Norms, softmax and
GELU are computed in f32; what is kept between is bf16.
"""

import os

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp

import programs

f32, bf16 = jnp.float32, jnp.bfloat16


def layernorm(x, w, b):
    x = x.astype(f32)
    c = x - x.mean(-1, keepdims=True)
    n = c * jax.lax.rsqrt((c * c).mean(-1, keepdims=True) + 1e-5)
    return (n * w.astype(f32) + b.astype(f32)).astype(bf16)


def linear(x, w, b):
    y = jnp.einsum("bti,oi->bto", x, w, preferred_element_type=f32)
    return (y + b.astype(f32)).astype(bf16)


def attention(q, k, v):
    d, t = q.shape[-1], q.shape[-2]
    s = jnp.einsum("bhid,bhjd->bhij", q, k, preferred_element_type=f32)
    i = jnp.arange(t)
    s = jnp.where(i[:, None] >= i[None, :], s * d ** -0.5, -jnp.inf)
    return jnp.einsum("bhij,bhjd->bhid", jax.nn.softmax(s, -1).astype(bf16), v)


def block(heads, x, ln1w, ln1b, qkvw, qkvb, projw, projb, ln2w, ln2b, upw, upb,
          downw, downb):
    b, t, d = x.shape
    qkv = linear(layernorm(x, ln1w, ln1b), qkvw, qkvb)
    q, k, v = jnp.transpose(qkv.reshape(b, t, 3, heads, d // heads),
                            (2, 0, 3, 1, 4))
    a = jnp.transpose(attention(q, k, v), (0, 2, 1, 3)).reshape(b, t, d)
    x = x + linear(a, projw, projb)
    h = linear(layernorm(x, ln2w, ln2b), upw, upb)
    h = jax.nn.gelu(h.astype(f32), approximate=True).astype(bf16)
    return x + linear(h, downw, downb)


def main():
    for b, s, d, h in ((8, 1024, 1024, 16), (2, 16, 32, 4)):
        shape = jax.ShapeDtypeStruct
        arguments = [shape((b, s, d), bf16)] + [
            shape(size, bf16) for size in (
                (d,), (d,), (3 * d, d), (3 * d,), (d, d), (d,), (d,), (d,),
                (4 * d, d), (4 * d,), (d, 4 * d), (d,))]
        forward = lambda *a: block(h, *a)
        loss = lambda *a: (block(h, *a).astype(f32) ** 2).mean()
        train = jax.value_and_grad(loss, argnums=tuple(range(len(arguments))))
        for name, function in (("fwd", forward), ("train", train)):
            ir = jax.jit(function).lower(*arguments).compiler_ir("stablehlo")
            path = os.path.join(programs.SHAPES,
                                f"gpt2m_{name}_b{b}s{s}d{d}h{h}.mlir")
            with open(path, "w", encoding="utf-8") as file:
                file.write(ir.operation.get_asm(large_elements_limit=None))


if __name__ == "__main__":
    main()
