"""Makes a library for the linker that has the symbols of a shared library up to given versions, so that programs linked with it also run with an older library.

    python3 envs/older_library.py LIBRARY.so OUT.so VERSION...       for example libm.so.6 libm.so GLIBC_2.28

A symbol that changed after these versions gets its newest version among them, and newer symbols are absent. OUT.so contains no code: at run time, programs load LIBRARY.so.
Needs readelf and cc.
"""

import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

SECTIONS = {"FUNC": ".text", "IFUNC": ".text", "OBJECT": ".bss", "TLS": ".tbss"}
TYPES = {"FUNC": "function", "IFUNC": "function", "OBJECT": "object", "TLS": "tls_object"}


def split(version: str) -> tuple[str, tuple[int, ...]]:
    """Splits GLIBC_2.28 into its family and its numbers. GLIBC_PRIVATE has no numbers."""
    family, _, numbers = version.rpartition("_")
    return family, tuple(map(int, numbers.split("."))) if re.fullmatch(r"[0-9.]+", numbers) else ()


def symbols_of(library: str, limits: dict[str, tuple[int, ...]]) -> dict[str, tuple[str, str, str, int]]:
    """Maps each symbol with a version within the limits to its newest such version, its type, its binding and its size."""
    found: dict[str, tuple[str, str, str, int]] = {}
    for line in subprocess.run(["readelf", "--dyn-syms", "--wide", library], check=True, capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        if len(words) < 8 or words[3] not in SECTIONS or words[6] == "UND" or "@" not in words[7]:
            continue
        name, version = re.split("@+", words[7])
        family, numbers = split(version)
        if numbers and numbers <= limits.get(family, ()) and (name not in found or split(found[name][0]) < (family, numbers)):
            found[name] = (version, words[3], words[4], int(words[2], 0))
    return found


def main() -> None:
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    library, out, limits = sys.argv[1], sys.argv[2], dict(map(split, sys.argv[3:]))
    symbols = symbols_of(library, limits)
    if not symbols:
        sys.exit(f"older_library.py: {library} has no symbols of {' '.join(sys.argv[3:])}; name versions that readelf --version-info shows")
    by_version = defaultdict(list)
    lines = []
    for name, (version, kind, binding, size) in sorted(symbols.items()):
        by_version[version].append(name)
        lines += [f'.section {SECTIONS[kind]}', ".balign 32", f'.{"weak" if binding == "WEAK" else "globl"} "{name}"', f'.type "{name}", @{TYPES[kind]}', f'.size "{name}", {size}', f'"{name}": .skip {max(size, 1)}']  # fmt: skip
    dynamic = subprocess.run(["readelf", "--dynamic", "--wide", library], check=True, capture_output=True, text=True).stdout
    soname = re.search(r"\(SONAME\).*\[(.*)\]", dynamic)
    with tempfile.TemporaryDirectory() as folder:
        source, script = Path(folder, "symbols.s"), Path(folder, "versions")
        source.write_text("\n".join([*lines, '.section .note.GNU-stack,"",@progbits', ""]))
        script.write_text("".join(f"{version} {{ {' '.join(f'{chr(34)}{name}{chr(34)};' for name in names)} }};\n" for version, names in by_version.items()))
        subprocess.run(["cc", "-shared", "-nostdlib", f"-Wl,--version-script={script}", f"-Wl,-soname={soname[1] if soname else Path(library).name}", source, "-o", out], check=True)


if __name__ == "__main__":
    main()
