#!/usr/bin/env python3
"""Shows that a change leaves tuned code and all results as they were, without a GPU.

gate.py snapshot FOLDER [--build BUILD] [--only PART]   writes the machine code of all CUDA kernels of BUILD and hashes of the values of
                                                        small fixed runs on the CPU
gate.py compare BEFORE AFTER [--allow-new PATTERN ...]  prints what differs; exit code 1 if anything differs except names of kernels
"""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import comparison  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("kernels", "values")


def snapshot(options):
    folder, build = options.folder, options.build.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if options.only != "values":
        import machine_code
        libraries = [path for path in sorted(build.glob("libcore/libpsflip*.so*")) if not path.is_symlink()]
        hashes, texts = machine_code.kernels([*libraries, *sorted((build / "bin").iterdir())])
        if not hashes:
            raise SystemExit(f"{build} has no CUDA kernels: take --only values for a build without CUDA")
        write(folder / "kernels.json", hashes)
        (folder / "code").mkdir(exist_ok=True)
        for digest, text in texts.items():
            (folder / "code" / f"{digest}.sass").write_text(text)
        print(f"kernels: {sum(map(len, hashes.values()))}")
    if options.only != "kernels":
        import small_runs
        hashes = small_runs.values(build / "bin")
        write(folder / "values.json", hashes)
        print(f"datasets: {len(hashes)}")
    return 0


def write(path, contents):
    path.write_text(json.dumps(contents, indent=0) + "\n")


def read(folder, part):
    path = folder / f"{part}.json"
    return json.loads(path.read_text()) if path.exists() else None


def compare(options):
    good, parts = True, 0
    for part in PARTS:
        before, after = read(options.before, part), read(options.after, part)
        if before is None and after is None:
            continue
        if before is None or after is None:
            raise SystemExit(f"only one of {options.before} and {options.after} has {part}.json")
        states = comparison.kernels(before, after) if part == "kernels" else comparison.datasets(before, after, options.allow_new)
        print("\n".join(comparison.report(part, states, options.all)))
        good, parts = good and comparison.passes(states), parts + 1
    if not parts:
        raise SystemExit(f"no snapshots in {options.before} and {options.after}")
    return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("snapshot")
    one.add_argument("folder", type=pathlib.Path)
    one.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    one.add_argument("--only", choices=PARTS)
    one.set_defaults(command=snapshot)
    two = commands.add_parser("compare")
    two.add_argument("before", type=pathlib.Path)
    two.add_argument("after", type=pathlib.Path)
    two.add_argument("--allow-new", metavar="PATTERN", action="append", default=[], help="new datasets that are meant: '*run.h5:name'")
    two.add_argument("--all", action="store_true", help="list what is equal, too")
    two.set_defaults(command=compare)
    options = parser.parse_args()
    return options.command(options)


if __name__ == "__main__":
    sys.exit(main())
