# Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured when there is less time than everything takes.

A case has parts: "burst" (our program and the peers that are there at once),
"compiled" (peers that PyTorch compiles), "autotuned" (those that it tries out
for a minute), "xla", and "sustained". A plan takes
the most important parts that fit and says of each other one why it is left out.
It is made again before each case, from the time that is then left and from how
long things have really taken.

Needs no package.
"""

from dataclasses import dataclass, field

# Seconds that making a peer takes, about, and what it takes when its kernels
# were compiled ahead.
MAKING = {"compile": 6, "autotune": 60, "reduce": 8, "flex": 8, "xla": 1}
COMPILED_AHEAD = {"compile": 0.5, "reduce": 0.5, "flex": 2}

# Seconds of the measurements of launches.py.
TAKES = {"replays": 1, "calls": 2, "compile_time": 1, "start": 6}
# And of one of their peers, where that is not MAKING: no caches there, and
# processes that start.
TAKES_PEER = {"compile_time": {"compile": 8, "xla": 3},
              "start": {"compile": 32, "xla": 16}}

OVERHEAD = 0.4  # seconds a case: inputs, reference, checks

# How important a part of a case of rank 1, 2 or 3 is; the least comes first.
# Sustained figures matter most where power is what limits.
IMPORTANCE = {"burst": (1, 4, 8), "compiled": (2, 5, 8), "xla": (4, 6, 8),
              "sustained": (3, 7, 9), "sustained, memory": (7, 8, 9),
              "autotuned": (10, 10, 10)}


# What is run first: XLA's profiler makes each launch dearer that comes after.
FIRST = ("calls", "replays")


def in_order(cases):
    """The cases as they are run."""
    return sorted(cases, key=lambda case: (
        case.rank, FIRST.index(case.how) if case.how in FIRST else len(FIRST)))


def kind_of(maker):
    """The part that a peer belongs to."""
    name = maker.partition(":")[0]
    own = {"xla": "xla", "autotune": "autotuned"}
    return own.get(name, "compiled" if name in MAKING else "burst")


@dataclass
class Part:
    """case: its name. why: it is left out; "" if it is not."""

    case: str
    kind: str
    seconds: float
    importance: int
    why: str = ""


@dataclass
class Budget:
    """burst_s, sustained_s: seconds of measuring a case. ahead: whether
    compiled peers were compiled ahead. pace: how long things really take, of
    what is estimated."""

    burst_s: float
    sustained_s: float
    ahead: bool = False
    pace: float = 1.0
    done_s: float = field(default=0.0, repr=False)
    expected_s: float = field(default=0.0, repr=False)

    def learn(self, expected, took):
        """Notes how long a case took. The first ones say little."""
        self.expected_s += expected
        self.done_s += took
        weight = 20.0  # seconds that the estimate counts for
        self.pace = ((self.done_s + weight) / (self.expected_s + weight))


def making(case, maker, budget):
    """Seconds that a peer takes before it is measured."""
    name = maker.partition(":")[0]
    if case.how in TAKES_PEER:
        return TAKES_PEER[case.how].get(name, 1)
    if budget.ahead and name in COMPILED_AHEAD:
        return COMPILED_AHEAD[name]
    return MAKING.get(name, 0.1)


def parts_of(case, makers, budget):
    """The parts of a case, with these peers."""
    taken = {"burst": OVERHEAD + (budget.burst_s if case.how == "bench"
                                  else TAKES[case.how])}
    for maker in makers:
        kind = kind_of(maker)
        taken[kind] = taken.get(kind, 0) + making(case, maker, budget)
        if kind == "xla" and case.how == "bench":
            taken[kind] += min(1.0, budget.burst_s)
    if budget.sustained_s and case.how == "bench":
        taken["sustained"] = budget.sustained_s
    parts = []
    for kind, seconds in taken.items():
        row = kind if kind != "sustained" or case.flops else \
            "sustained, memory"
        parts.append(Part(case.name, kind, seconds,
                          IMPORTANCE[row][case.rank - 1]))
    return parts


def plan(cases, makers, budget, seconds):
    """All parts of the cases; those that do not fit into the seconds say why.
    makers: those of a case's peers."""
    parts = [part for case in cases
             for part in parts_of(case, makers(case), budget)]
    left, out = seconds, set()
    for part in sorted(parts, key=lambda part: part.importance):
        takes = part.seconds * budget.pace
        if part.case in out:
            part.why = "belongs to a case that is left out"
        elif takes > left + 1e-6:  # sums of seconds round
            part.why = (f"would take {takes:.1f} s, {max(left, 0):.1f} s were "
                        "left for it")
            if part.kind == "burst":
                out.add(part.case)
        else:
            left -= takes
    return parts


def expected(parts):
    """Seconds of what is not left out, as estimated."""
    return sum(part.seconds for part in parts if not part.why)
