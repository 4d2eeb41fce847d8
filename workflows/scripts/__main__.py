"""Runs one of the scripts, as in `python workflows/scripts results.print_summary results/quickstart`."""

import runpy
import sys

if len(sys.argv) < 2:
    sys.exit(f"{__doc__}\nREADME.md beside this file lists them.")
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
