"""Adds up JUnit files of CTest: prints why tests were skipped, which failed, and last the line 'N passed, N failed[, N skipped]'."""

import argparse
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def main() -> int:
    passed, failed, skipped = 0, [], []
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE.xml")
    for file in parser.parse_args().files:
        for case in ElementTree.parse(file).getroot().iter("testcase"):
            name = f"{Path(file).stem}/{case.get('name')}"
            if case.find("skipped") is not None:
                lines = (case.findtext("system-out") or "").strip().splitlines()
                skipped.append(f"{name}: {lines[-1].strip()}" if lines else name)
            elif case.get("status") == "run":
                passed += 1
            else:
                failed.append(name)
    for title, names in (("skipped", skipped), ("failed", failed)):
        for name in names:
            print(f"{title}: {name}")
    print(f"{passed} passed, {len(failed)} failed" + (f", {len(skipped)} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
