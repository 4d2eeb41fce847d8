"""What differs between two snapshots: each a dictionary {name: value} of kernels (value: their hashes) and one of datasets."""

from collections import defaultdict
from fnmatch import fnmatchcase


def by_name(before, after):
    """{name: "equal", "changed", "new" or "gone"}."""
    found = {}
    for name in sorted({*before, *after}):
        if name not in before:
            found[name] = "new"
        elif name not in after:
            found[name] = "gone"
        else:
            found[name] = "equal" if before[name] == after[name] else "changed"
    return found


def kernels(before, after):
    """The same, where a kernel that is gone and one that is new with the same code, on the same architecture, are one:
    {new name: "renamed from OLD NAME"}."""
    found = by_name(before, after)
    gone = defaultdict(list)
    for name, state in found.items():
        if state == "gone":
            gone[name.split()[0], tuple(before[name])].append(name)
    for name in [name for name, state in found.items() if state == "new"]:
        same = gone[name.split()[0], tuple(after[name])]
        if same:
            old = same.pop(0)
            del found[old]
            found[name] = f"renamed from {old}"
    return found


def datasets(before, after, allowed=()):
    """The same for datasets; new ones that match one of the patterns are "allowed"."""
    found = by_name(before, after)
    for name, state in found.items():
        if state == "new" and any(fnmatchcase(name, pattern) for pattern in allowed):
            found[name] = "allowed"
    return found


def passes(states):
    return all(state in ("equal", "allowed") or state.startswith("renamed") for state in states.values())


def report(what, states, every):
    """Lines for what is not equal (or for everything), and one with counts."""
    lines = [f"{state.split()[0]:8} {name}{state.removeprefix('renamed')}" for name, state in states.items()
             if every or state not in ("equal", "allowed")]
    counts = defaultdict(int)
    for state in states.values():
        counts[state.split()[0]] += 1
    return [*lines, f"{what}: " + (", ".join(f"{count} {state}" for state, count in sorted(counts.items())) or "none")]
