#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tables of the narrow number formats from independent implementations.

Writes numbers.bin beside this script (or to the path given as the only argument). Needs numpy, ml_dtypes
and en_dtypes; the tests need only the file. Running it again gives the same bytes.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy ml_dtypes en_dtypes
    /tmp/venv/bin/python tests/data/make_number_tables.py

The file, all integers little endian:

    8 bytes   "PTOXNUM1"
    u32       number of formats
    and for each format
      8 bytes   name, padded with zero bytes: half, bf16, e4m3, e5m2, hif8
      u32       bytes of one code, 1 or 2
      u32       W, number of widen rows: one for every code
      u32       N, number of narrow rows
      W u32     float32 bit pattern of code 0, 1, 2, ...
      N u32     float32 bit patterns to narrow
      N codes   the code that each of them becomes (u8 or u16)

Two things are normalised, because the references differ by processor or by design:
- A NaN is written as 0x7FC00000 with its sign, or as the format's default NaN code. That a NaN stays a NaN
  is what the table claims, not which one.
- ml_dtypes does not saturate. For e4m3 and e5m2 an input beyond the largest finite value gets that value
  here; an infinite input stays infinite in e5m2, which has a code for it.
"""

import pathlib
import struct
import sys

import en_dtypes
import ml_dtypes
import numpy as np

RANDOM_ROWS = 8000

FORMATS = [
    # name, reference type, code type, default NaN code, largest finite value where it saturates
    ("half", np.float16, np.uint16, 0x7E00, None),
    ("bf16", ml_dtypes.bfloat16, np.uint16, 0x7FC0, None),
    ("e4m3", ml_dtypes.float8_e4m3fn, np.uint8, 0x7F, 448.0),
    ("e5m2", ml_dtypes.float8_e5m2, np.uint8, 0x7E, 57344.0),
    ("hif8", en_dtypes.hifloat8, np.uint8, 0x80, None),
]


def floats(bits):
    return np.asarray(bits, dtype=np.uint32).view(np.float32)


def patterns(values):
    return np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)


def widen(reference, code_type):
    codes = np.arange(1 << (8 * np.dtype(code_type).itemsize)).astype(code_type)
    values = codes.view(reference).astype(np.float32)
    bits = patterns(values).copy()
    nan = np.isnan(values)
    bits[nan] = (bits[nan] & 0x80000000) | 0x7FC00000
    return bits


def around_boundaries(widened, code_type):
    """The exact values, the midpoints between neighbours, and the floats next to each, both signs."""
    values = floats(widened)
    finite = np.unique(np.abs(values[np.isfinite(values)]).astype(np.float64))
    above = finite[-1] + (finite[-1] - finite[-2])
    middles = patterns((finite + np.append(finite[1:], above)) / 2)
    with_neighbours = np.concatenate([middles - 1, middles, middles + 1])
    exact = patterns(finite)
    if code_type == np.uint8:
        exact = np.concatenate([exact, exact[1:] - 1, exact + 1])
        positive = np.concatenate([exact, with_neighbours])
        return np.concatenate([positive, positive | 0x80000000])
    # For 16 bits the exact values come back in the widen rows, and a sample of the negatives will do.
    negative = np.concatenate([middles[3::16] - 1, middles[3::16], middles[3::16] + 1])
    return np.concatenate([with_neighbours, negative | 0x80000000])


def special_inputs(largest):
    zero_and_subnormal = [0, 1, 2, 0x1234, 0x7FFFFF, 0x800000, 0x800001]
    infinity_and_nan = [0x7F800000, 0x7F800001, 0x7FA00000, 0x7FC00000, 0x7FFFFFFF]
    huge = [0x7F7FFFFF, 0x7F7F8000, 0x7F7F7FFF, 0x7F000000, 0x60000000]
    with np.errstate(over="ignore"):
        beyond = patterns(np.float32(largest) * np.array([1.01, 1.1, 1.25, 1.5, 2, 10], dtype=np.float32))
    beyond = np.concatenate([beyond - 1, beyond, beyond + 1])
    positive = np.concatenate([zero_and_subnormal, infinity_and_nan, huge, beyond]).astype(np.uint32)
    return np.concatenate([positive, positive | 0x80000000])


def random_inputs(largest, smallest, seed):
    """Half of them any bit pattern, half of them spread over the exponents that the format reaches."""
    source = np.random.RandomState(seed)  # a generator whose stream numpy promises never to change
    anything = source.randint(0, 1 << 32, RANDOM_ROWS // 2, dtype=np.uint32)
    low, high = patterns([smallest / 4, largest * 4 if largest < 1e37 else largest])
    reached = source.randint(int(low), int(high) + 1, RANDOM_ROWS // 2, dtype=np.uint32)
    signs = source.randint(0, 2, RANDOM_ROWS // 2, dtype=np.uint32) << 31
    return np.concatenate([anything, reached | signs])


def narrow(inputs, reference, code_type, nan_code, saturates_at):
    values = floats(inputs)
    with np.errstate(all="ignore"):
        narrowed = values.astype(reference)
    codes = narrowed.view(code_type).copy()
    if saturates_at is not None:
        back = narrowed.astype(np.float32)
        beyond = ~np.isfinite(back) & np.isfinite(values)
        if reference == ml_dtypes.float8_e4m3fn:
            beyond |= np.isinf(values)
        codes[beyond] = np.copysign(saturates_at, values[beyond]).astype(reference).view(code_type)
    codes[np.isnan(values)] = nan_code
    return codes


def format_block(seed, name, reference, code_type, nan_code, saturates_at):
    widened = widen(reference, code_type)
    values = floats(widened)
    positive = values[np.isfinite(values) & (values > 0)]
    largest, smallest = positive.max(), positive.min()
    inputs = np.concatenate([
        around_boundaries(widened, code_type),
        special_inputs(largest),
        random_inputs(largest, smallest, seed),
    ]).astype(np.uint32)
    inputs = np.unique(inputs)
    codes = narrow(inputs, reference, code_type, nan_code, saturates_at)
    itemsize = np.dtype(code_type).itemsize
    header = struct.pack("<8sIII", name.encode(), itemsize, len(widened), len(inputs))
    body = widened.astype("<u4").tobytes() + inputs.astype("<u4").tobytes()
    return header + body + codes.astype("<u%d" % itemsize).tobytes()


def main():
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).with_name("numbers.bin")
    blocks = [format_block(seed, *row) for seed, row in enumerate(FORMATS)]
    path.write_bytes(b"PTOXNUM1" + struct.pack("<I", len(blocks)) + b"".join(blocks))
    print("%s: %d bytes" % (path.name, path.stat().st_size))


if __name__ == "__main__":
    main()
