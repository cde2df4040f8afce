"""Hints of the core in the words of Python.

The core speaks to every face at once, and to the command line first. What names a flag or a command
there is said here by its parameter or function; a test reads the core's sources for words that are
missing here.
"""

from __future__ import annotations

import re

#: What the core says, as a regular expression, and how Python says it.
WORDS: tuple[tuple[str, str], ...] = (
    (r"`mercer kernel --list`", "`mercer.catalogue()`"),
    (r"`mercer check --as formula` reads kernels and columns", "`mercer.check` reads kernels and columns, too"),
    (r"with `mercer predict`", "with `predict`"),
    (r"fit without standardising: `--no-standardize`", "fit without standardising"),
    (
        r"drop the rows \(`drop`\) or fill them with the mean or the most frequent value \(`impute`\)",
        "leave the rows out (`X.dropna()`, `drop_missing()` of a data set) or fill them "
        "(`sklearn.impute.SimpleImputer`)",
    ),
    (r"raise the memory limit", "raise `memory_limit`"),
    (r"a larger memory limit", "a larger `memory_limit`"),
    (r"ask for fewer threads", "ask for fewer threads with `n_jobs`"),
    (r"or say that there is no header", "or pass `header=False`"),
    (r"read (`[^`]*`) as numbers", r"convert \1 with `pandas.to_numeric`"),
    (r"read the column (`[^`]*`) as (\w+), as in training", r"convert the column \1 to \2, as in training"),
    (r"leave out the rows without (a target|`[^`]*`) \(`drop`\)", r"leave out the rows without \1"),
    (r"leave the column out, or read it as numbers", "leave the column out, or give it as numbers"),
    (r"give a table: a CSV, Parquet or Arrow file", "give a data frame or a dict of columns"),
    (r"give a CSV, Parquet or Arrow file", "give a data frame or a dict of columns"),
    (r"with `--decimal \.` or `--decimal ,`", 'with `decimal="."` or `decimal=","`'),
    (r"with `--exclude [^`]*`", "with `exclude`"),
    (r"with `--type [^`]*=text`", "with `types`"),
    (r"with `--na [^`]*`", "with `missing`"),
    (r"give a file of `mercer fit`", "give a file that `save` of a fit wrote"),
    (r"fitted with `impute` fills", 'fitted with `missing="impute"` fills'),
    (r"build with the feature `arrow`, or ", ""),
)


def in_python(hint: str) -> str:
    """The hint, in the words of Python.

    >>> in_python("use fewer rows, or raise the memory limit")
    'use fewer rows, or raise `memory_limit`'
    """
    for said, word in WORDS:
        hint = re.sub(said, word, hint)
    return hint
