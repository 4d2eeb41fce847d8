"""The machine code of the CUDA kernels in libraries and programs, by `cuobjdump` of the CUDA toolkit (or of a package for Python)."""

import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
from collections import defaultdict

ANONYMOUS = re.compile(r"\d+_GLOBAL__N__[0-9a-f]{8}_\d+_\w+?_cu_[0-9a-f]{8}(?:_\d+)?")


def cuobjdump():
    """Returns the program on PATH, or the program of the package nvidia-cuda-cuobjdump of this Python, or None without either."""
    found = shutil.which("cuobjdump")
    if not found:
        paths = [str(path) for folder in sys.path for path in pathlib.Path(folder).glob("nvidia/cu*/bin")]
        found = shutil.which("cuobjdump", path=":".join(paths))
    return found


def dump(program, option, path):
    """What cuobjdump prints; nothing for a file without code for devices."""
    done = subprocess.run([program, option, path], capture_output=True, text=True, errors="replace")
    if "does not contain device code" in done.stdout + done.stderr:
        return ""
    if done.returncode:
        raise SystemExit(f"{program} {option} {path}: {done.stderr.strip()}")
    return done.stdout


def functions(text):
    """(architecture, mangled name, instructions) of a listing by `cuobjdump -sass`: addresses are left out; the encoding stays, as waits
    and stall counts show only there."""
    architecture, name, lines = None, None, []
    for line in text.splitlines():
        header = re.match(r"\s*(arch = |Function : |\.{6,}$)(\S*)", line)
        if not header:
            if name:
                lines.append(re.sub(r"^\s*/\*[0-9a-f]{4,}\*/\s+|\s{2,}", " ", line).strip())
            continue
        if name:
            yield architecture, name, lines
        name, lines = None, []
        if header[1].startswith("arch"):
            architecture = header[2]
        elif header[1].startswith("Function"):
            name = header[2]


def resources(text):
    """{(architecture, mangled name): registers, stack, shared memory ...} of a listing by `cuobjdump -res-usage`."""
    found, architecture, name = {}, None, None
    for line in text.splitlines():
        if match := re.match(r"arch = (\S+)", line):
            architecture = match[1]
        elif match := re.match(r"\s*Function (\S+):$", line):
            name = match[1]
        elif name and "REG:" in line:
            found[architecture, name] = line.strip()
            name = None
    return found


def code_text(name, lines, used):
    """One text per kernel: what it uses and its instructions. Neither its own name nor the hashes that nvcc gives to the anonymous
    namespaces of a file are part of it."""
    text = "\n".join([used, *lines]) + "\n"
    return ANONYMOUS.sub("12_GLOBAL__N_1", text.replace(name, "THIS_KERNEL"))


def demangled(names):
    """Of several names; anonymous namespaces lose their hashes."""
    text = "\n".join(ANONYMOUS.sub("12_GLOBAL__N_1", name) for name in names)
    return subprocess.run(["c++filt"], input=text, capture_output=True, text=True, check=True).stdout.splitlines()


def kernels(paths):
    """{"architecture name": [hashes]} and {hash: text}; kernels of the same name in several files are a list."""
    program = cuobjdump()
    if not program:
        raise SystemExit("cuobjdump is missing: install the CUDA toolkit's, or `pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm`")
    hashes, texts = defaultdict(list), {}
    for path in paths:
        listing = list(functions(dump(program, "-sass", path)))
        used = resources(dump(program, "-res-usage", path)) if listing else {}
        for (architecture, mangled, lines), name in zip(listing, demangled([mangled for _, mangled, _ in listing])):
            text = code_text(mangled, lines, used.get((architecture, mangled), ""))
            digest = hashlib.sha256(text.encode()).hexdigest()[:16]
            hashes[f"{architecture} {name}"].append(digest)
            texts[digest] = text
    return {name: sorted(found) for name, found in sorted(hashes.items())}, texts
