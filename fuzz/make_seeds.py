"""Makes the seeds the fuzzers start from: python make_seeds.py, with NumPy and pyarrow installed.

Small and valid, one for each way through a parser. Run it again only on purpose.
"""

import gzip
import io
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

SEEDS = Path(__file__).parent / "seeds"

FORMULAS = [
    "rbf",
    "rbf(age, income, length_scale=2)",
    "rbf(*, length_scale=[1, 0.5])",
    "0.5*rbf(age) + linear(age)*delta(species)",
    "(linear + 1)^3",
    "(linear+1)**3",
    "exp(linear)",
    "normalize(poly(degree=2))",
    "laplace(length_scale=median)",
    "rbf(gamma=0.5)",
    "gaussian(sigma=3)",
    "laplace_l1(gamma=0.25)",
    "rbf(length_scale=1.2!)",
    "rbf(length_scale=1 in [0.1, 10])",
    "2*rbf(length_scale=1)*3",
    "2!*linear",
    "matern(nu=2.5, length_scale=1)",
    "ngram(note, n=2, unit=word)",
    'linear("my column", `a"b`)',
    "linear(Sepal.Length)",
    "(linear^2)^3",
    "0*rbf(length_scale=median!) + 1e-9",
    "general_poly(coefficients=[1, 0, 0.5])",
    "periodic(x0, period=2, length_scale=1)",
    "rational_quadratic(alpha=0.5)*arc_cosine",
    "hamming(species) + spline(age) + min(age)",
    "anova(x0, x1) · additive × symmetric",
    "cauchy/rbf - log(linear)",
    "cosine + exponential(größe)",
]

CSV = {
    "header": b"age,name,kind\n1,anna,a\n2.5,bo,b\n,cy,a\n",
    "bare": b"1,2\n3,4e-3\n",
    "semicolon": b"a;b\n1,5;2\n3;?\n",
    "tab": b"a\tb\r\n1\tx\r\n2\tx\r\n",
    "quoted": b'a,b\n"x, ""y""\nz",1\n"w",NA\n',
    "mark": b"\xef\xbb\xbfa|b\n1|\xc3\xbc\n",
    "blank": b"\n\na,b\n\n1,2\n\n",
    "lists": b'tags,points\n"[""red"", ""a b""]","[1, 2.5]"\n[],[3]\n,"[1e300, -1]"\n',
}

FASTA = {
    "plain": b">one first\nACGT\nNNA\n>two\nac-g*\n",
    "comments": b";old\n>a\nAC\n\n>b\r\nGT\r\n",
    "qualities": b"@one\nACGT\n+\nII@I\n@two x\nAC\n+two\n+@\n",
}

LIBSVM = {
    "plain": b"+1 1:0.5 3:-2\n-1 2:1e-3\n",
    "wide": b"1 99999999:1\n2 1:3\n",
    "comments": b"# made by hand\n1 qid:3 1:1 # one\n\n0\n2.5 4:inf\n",
}


def save(target, name, data):
    folder = SEEDS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def gzipped(data):
    return gzip.compress(data, mtime=0)


def array(values):
    out = io.BytesIO()
    np.save(out, values)
    return out.getvalue()


def archive(compression, **arrays):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as z:
        for name, values in arrays.items():
            # A fixed date, so that the file is the same every time.
            z.writestr(zipfile.ZipInfo(f"{name}.npy"), array(values), compression)
    return out.getvalue()


def texts():
    for i, formula in enumerate(FORMULAS):
        save("formula", f"{i:02}", formula.encode())
    for target, files in [("csv", CSV), ("fasta", FASTA), ("libsvm", LIBSVM)]:
        for name, data in files.items():
            save(target, name, data)
        save(target, "gzip", gzipped(next(iter(files.values()))))


def arrays():
    grid = np.arange(6).reshape(3, 2) - 1.5
    kinds = ["<f8", ">f8", "<f4", "<i2", "|u1", ">i8", "|b1"]
    for i, kind in enumerate(kinds):
        save("npy", f"{i}", array(grid.astype(kind)))
    save("npy", "fortran", array(np.asfortranarray(grid)))
    save("npy", "vector", array(grid[:, 0]))
    save("npy", "fields", array(np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")])))
    save("npy", "gzip", gzipped(array(grid)))
    save("npz", "stored", archive(zipfile.ZIP_STORED, X=grid, y=grid[:, 0]))
    save("npz", "packed", archive(zipfile.ZIP_DEFLATED, a=grid[:, 0], b=grid[:, 1].astype("<i4")))


def tables():
    numbers = pa.table({"x": [1.0, None, 3.0], "n": pa.array([1, 2, 3], pa.int32())})
    words = pa.table(
        {
            "w": ["a", None, "a"],
            "d": pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.int8()), ["lo", "hi"]),
            "b": [True, False, None],
        }
    )
    views = pa.table({"v": pa.array(["r", "a longer word than twelve", None], pa.string_view())})
    lists = pa.table(
        {
            "tags": [["red", "a b"], [], None],
            "bag": pa.array([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]], None], pa.list_(pa.list_(pa.float64()))),
            "fixed": pa.array([[1, 2], None, [5, 6]], pa.list_(pa.int16(), 2)),
        }
    )
    tables = {"numbers": numbers, "words": words, "views": views, "lists": lists}
    for name, table in tables.items():
        for packing in ["none", "zstd", "snappy", "lz4", "gzip"]:
            if packing == "none" or name == "words":
                save("parquet", f"{name}_{packing}", parquet(table, packing))
    save("parquet", "numbers_v2", parquet(numbers, "none", data_page_version="2.0", use_dictionary=False))
    save("parquet", "numbers_split", parquet(numbers, "none", column_encoding="BYTE_STREAM_SPLIT", use_dictionary=False))
    for name, table in tables.items():
        save("arrow", f"{name}_stream", stream(table))
        for packing in ["uncompressed", "lz4", "zstd"]:
            if packing == "uncompressed" or name == "words":
                save("arrow", f"{name}_{packing}", file(table, packing))


def parquet(table, packing, **options):
    out = io.BytesIO()
    if options.get("column_encoding"):
        options["column_encoding"] = {name: options["column_encoding"] for name in table.column_names}
    pq.write_table(table, out, compression=packing, store_schema=table.column_names == ["v"], **options)
    return out.getvalue()


def file(table, packing):
    out = io.BytesIO()
    feather.write_feather(table, out, compression=packing)
    return out.getvalue()


def stream(table):
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return out.getvalue()


texts()
arrays()
tables()
