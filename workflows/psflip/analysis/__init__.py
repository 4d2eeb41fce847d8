"""A finished study in Python: tables, labelled data, errors, plots."""
