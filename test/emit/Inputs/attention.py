"""Prints attention, its keys streamed: B H M N D SCORE [f16] [SCHEDULE].

Q is [B, H, M, D], K and V are [B, H, N, D]. SCORE is what is done to their
products, which are scaled first: full (nothing), causal, cap (a tanh), slope (a
bias from places and a factor for each head, causal), bias (a tensor), ratio (a
division), or the name of another mask below. SCHEDULE is what is pinned: the text of entries of mlopt.schedule.
"""

import math
import sys

MASKS = {
    "causal": """
    %past = mlopt.compare ge, %i, %j : {places}i32>""",
    "window": """
    %before = mlopt.sub %i, %j : {places}i32>
    %length = mlopt.constant dense<100> : {places}i32>
    %near = mlopt.compare lt, %before, %length : {places}i32>
    %seen = mlopt.compare ge, %i, %j : {places}i32>
    %past = mlopt.and %seen, %near : {places}i1>""",
    "prefix": """
    %length = mlopt.constant dense<200> : {places}i32>
    %first = mlopt.compare lt, %j, %length : {places}i32>
    %seen = mlopt.compare ge, %i, %j : {places}i32>
    %past = mlopt.or %first, %seen : {places}i1>""",
    "blocks": """
    %length = mlopt.constant dense<64> : {places}i32>
    %of_i = mlopt.div %i, %length : {places}i32>
    %of_j = mlopt.div %j, %length : {places}i32>
    %past = mlopt.compare ge, %of_i, %of_j : {places}i32>""",
    "data": """
    %near = mlopt.convert %i : {places}i32> -> {places}f32>
    %past = mlopt.compare ge, %near, %near : {places}f32>""",
}

MASKED = """
    %i = mlopt.iota dim 0 : {places}i32>
    %j = mlopt.iota dim 1 : {places}i32>{mask}
    %keep = mlopt.broadcast %past dims [2, 3] : {places}i1> -> {bits}
    %never = mlopt.constant dense<0xFF800000> : {scores}
    %masked = mlopt.select %keep, {score}, %never : {scores}"""

SCORES = {
    "full": "",
    "cap": """
    %c = mlopt.constant dense<30.0> : {scores}
    %down = mlopt.constant dense<0.03125> : {scores}
    %inner = mlopt.mul %scaled, %down : {scores}
    %bent = mlopt.tanh %inner : {scores}
    %score = mlopt.mul %bent, %c : {scores}""",
    "slope": """
    %si = mlopt.iota dim 0 : {places}i32>
    %sj = mlopt.iota dim 1 : {places}i32>
    %apart = mlopt.sub %sj, %si : {places}i32>
    %float = mlopt.convert %apart : {places}i32> -> {places}f32>
    %distance = mlopt.broadcast %float dims [2, 3] : {places}f32> -> {scores}
    %slope = mlopt.broadcast %z dims [1] : {extra} -> {scores}
    %steep = mlopt.mul %slope, %distance : {scores}
    %score = mlopt.add %scaled, %steep : {scores}""",
    "bias": """
    %wide = mlopt.convert %z : {extra} -> {scores}
    %score = mlopt.add %scaled, %wide : {scores}""",
    "ratio": """
    %two = mlopt.constant dense<2.0> : {scores}
    %size = mlopt.abs %scaled : {scores}
    %below = mlopt.add %size, %two : {scores}
    %score = mlopt.div %scaled, %below : {scores}""",
}

PROGRAM = """func.func @main(%q: {q}, %k: {k}, %v: {k}, %e: {extra}) -> {q} {{
  %r = mlopt.fusion (%x = %q : {q}, %y = %k : {k}, %w = %v : {k}, %z = %e : {extra}) -> {q} {{
    %raw = mlopt.dot %x, %y batch [0, 1] x [0, 1] contract [3] x [3] : ({q}, {k}) -> {scores}
    %scale = mlopt.constant dense<{scale}> : {scores}
    %scaled = mlopt.mul %raw, %scale : {scores}{code}
    %most = mlopt.reduce max {score} dims [3] : ({scores}) -> {rows}
    %top = mlopt.broadcast %most dims [0, 1, 2] : {rows} -> {scores}
    %less = mlopt.sub {score}, %top : {scores}
    %weights = mlopt.exp %less : {scores}
    %sum = mlopt.reduce add %weights dims [3] : ({scores}) -> {rows}
    %rounded = mlopt.convert %weights : {scores} -> {narrow}
    %o = mlopt.dot %rounded, %w batch [0, 1] x [0, 1] contract [3] x [2] : ({narrow}, {k}) -> {sums}
    %below_o = mlopt.broadcast %sum dims [0, 1, 2] : {rows} -> {sums}
    %mean = mlopt.div %o, %below_o : {sums}
    %out = mlopt.convert %mean : {sums} -> {q}
    mlopt.yield %out : {q}
  }}{pin}
  return %r : {q}
}}"""


def main(b, h, m, n, d, kind, *options):
    element = "f16" if "f16" in options else "bf16"
    pins = [o for o in options if "=" in o]
    tensor = lambda *sizes: "tensor<" + "x".join(map(str, sizes)) + ">"
    scores = tensor(b, h, m, n, "f32")
    narrow = tensor(b, h, m, n, element)
    words = {
        "q": tensor(b, h, m, d, element), "k": tensor(b, h, n, d, element),
        "scores": scores, "narrow": narrow, "bits": tensor(b, h, m, n, "i1"),
        "places": f"tensor<{m}x{n}x", "rows": tensor(b, h, m, "f32"),
        "sums": tensor(b, h, m, d, "f32"),
        "extra": narrow if kind == "bias" else tensor(h, "f32"),
        "scale": 1 / math.sqrt(int(d)), "score": "%scaled",
        "pin": f' {{mlopt.schedule = {{family = "stream", {pins[0]}}}}}'
               if pins else "",
    }
    code = SCORES.get(kind, "").format(**words)
    if code:
        words["score"] = "%score"
    mask = MASKS.get("causal" if kind == "slope" else kind)
    if mask:
        code += MASKED.format(mask=mask.format(**words), **words)
        words["score"] = "%masked"
    print(PROGRAM.format(code=code, **words))


main(*sys.argv[1:])
