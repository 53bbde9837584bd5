"""coverage.py TABLE TESTS: counts what each operation and pass of mlopt has.

TABLE is what `mlopt-doc --page=coverage` prints, TESTS the folder of the tests.
An operation is round-tripped if a file of dialect/ holds it, executed if a file
of run/ does; a pass is tested if a test of the suite names it. What is missing
goes to standard error.
"""

import pathlib
import re
import sys

# Operations without a fold, with the reason.
ROUNDED = "constants do not fold: no result of it is correctly rounded everywhere"
NOTHING_TO_FOLD = {
    "mlopt.fusion": "a grouping: what is inside folds",
    "mlopt.yield": "a terminator",
} | {
    f"mlopt.{name}": ROUNDED
    for name in (
        "rsqrt cbrt exp expm1 log log1p logistic sin cos tan asin acos atan sinh "
        "cosh tanh asinh acosh atanh erf erfc atan2"
    ).split()
}


def texts(*folders):
    files = [
        file
        for folder in folders
        for file in (pathlib.Path(sys.argv[2]) / folder).rglob("*")
        if file.suffix in (".mlir", ".test", ".c")
    ]
    return "\n".join(file.read_text() for file in files)


def count(title, rows, holds):
    missing = [name for name in rows if not holds(name)]
    print(f"{title}: {len(rows) - len(missing)}")
    if missing:
        print(f"not {title}: {', '.join(missing)}", file=sys.stderr)


operations, passes = {}, {}
for line in open(sys.argv[1]):
    kind, name, *fields = line.split()
    table = operations if kind == "operation" else passes
    table[name] = dict(field.split("=") for field in fields)


def has(table, field):
    return lambda name: table[name][field] == "yes"


def occurs(text):
    words = set(re.findall(r"\w[\w.-]*", text))
    return lambda name: name in words


print(f"operations: {len(operations)}")
count("documented", operations, has(operations, "documented"))
count("with a verifier", operations, has(operations, "verifier"))
count("with an inferred or verified type", operations, has(operations, "type"))
count(
    "with a fold, or nothing to fold",
    operations,
    lambda name: name in NOTHING_TO_FOLD or operations[name]["fold"] == "yes",
)
count("round trip", operations, occurs(texts("dialect")))
count("executed", operations, occurs(texts("run")))
print(f"passes and pipelines: {len(passes)}")
count("documented", passes, has(passes, "documented"))
count("tested", passes, occurs(texts("passes", "emit", "run", "dialect")))
