# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table as a picture: an SVG by hand."""

import math
from xml.sax.saxutils import escape

ROW, TOP, LEFT, WIDTH = 18, 74, 470, 360
LOW, HIGH = 0.25, 4.0
GOOD, BAD, GREY, INK = "#2a7f4f", "#b5482f", "#9aa0a6", "#202124"


def place(ratio):
    """Where a ratio lies on the axis, which is logarithmic."""
    ratio = min(max(ratio, LOW), HIGH)
    return LEFT + WIDTH * (math.log(ratio / LOW) / math.log(HIGH / LOW))


def text(x, y, words, anchor="start", colour=INK, size=11):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
            f'fill="{colour}" font-size="{size}">{escape(words)}</text>')


def line(x1, y1, x2, y2, colour, width=1.0):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{colour}" stroke-width="{width}"/>')


def bar(y, ratio):
    one, at = place(1), place(ratio)
    colour = GOOD if ratio >= 1 else BAD
    return (f'<rect x="{min(one, at):.1f}" y="{y - 9:.1f}" '
            f'width="{max(abs(at - one), 1):.1f}" height="11" '
            f'fill="{colour}"/>')


def draw(rows, title, under):
    """rows: dicts of label, ours, best, ratio, sustained, ceiling, error; words
    and numbers, None where there is none."""
    height = TOP + ROW * len(rows) + 30
    right = LEFT + WIDTH
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{right + 420}" '
             f'height="{height}" font-family="Helvetica, Arial, sans-serif">',
             f'<rect width="100%" height="100%" fill="white"/>',
             text(10, 22, title, size=15), text(10, 40, under, colour=GREY),
             text(LEFT - 40, TOP - 14, "mlopt", "end", GREY),
             text(right + 12, TOP - 14, "x best peer", colour=GREY),
             text(right + 92, TOP - 14, "sustained", colour=GREY),
             text(right + 158, TOP - 14, "of ceiling", colour=GREY),
             text(right + 224, TOP - 14, "best comparable peer", colour=GREY)]
    for tick in (0.25, 0.5, 1, 2, 4):
        x = place(tick)
        parts += [line(x, TOP - 8, x, height - 22,
                       INK if tick == 1 else "#e0e0e0"),
                  text(x, TOP - 14, f"{tick:g}", "middle", GREY, 10)]
    for number, row in enumerate(rows):
        y = TOP + ROW * number + 12
        parts += [text(10, y, row["label"]),
                  text(LEFT - 8, y, row["ours"] or "", "end")]
        if row["ratio"]:
            parts += [bar(y, row["ratio"]),
                      text(right + 12, y, f"{row['ratio']:.3f}")]
        elif row["error"]:
            parts.append(text(LEFT + 4, y, row["error"][:60], colour=BAD))
        for x, key in ((92, "sustained"), (158, "ceiling")):
            if row[key]:
                parts.append(text(right + x, y, f"{row[key]:.3f}"))
        parts.append(text(right + 224, y, row["best"] or ""))
    parts.append("</svg>")
    return "\n".join(parts) + "\n"
