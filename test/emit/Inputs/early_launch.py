"""early_launch.py FILE...: in the PTX of each kernel nothing is read from or
written to global memory before it waits for the kernels before it, except that
a product may load inputs of the program. Prints the number of kernels, or exits
with what is wrong.
"""

import re
import sys

ACCESS = re.compile(r"\t(?:@!?%p\d+ )?\t?(?:ld|st|red|atom|cp)\S*\.global")
kernels = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for kernel in text.split(".visible .entry ")[1:]:
        kernels += 1
        name = kernel.split("(")[0]
        waits = kernel.find("griddepcontrol.wait;")
        access = ACCESS.search(kernel)
        if waits < 0:
            sys.exit(f"{path}: {name} does not wait")
        if access and access.start() < waits:
            sys.exit(f"{path}: {name} does not wait before"
                     f"{access.group().expandtabs(1)}")
print(f"{kernels} kernels wait first")
