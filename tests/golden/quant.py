#!/usr/bin/env python3
"""Writes quant.json: blocks of each weight type and the numbers they stand for, by the package gguf 0.19.0 (numpy 2.4.6).

The simple types are quantised from random numbers, which are written too; Q4_K and Q6_K, which the package only reads,
are random bytes with tame scales. Floats are their bits in hexadecimal, lowest byte first.
"""
import json
import pathlib

import numpy as np
from gguf import GGMLQuantizationType as T
from gguf.quants import dequantize, quantize

rng = np.random.default_rng(4)


def numbers():
    """Three blocks of 32: of common size, of tiny size, and one with zeros, the largest twice and a lone sign."""
    plain = rng.normal(size=32)
    tiny = rng.normal(size=32) * 1e-6
    odd = np.zeros(32)
    odd[[3, 9, 17, 31]] = [-2.5, 2.5, 1.25, -0.001]
    return np.concatenate([plain, tiny, odd, np.zeros(32)]).astype(np.float32)


def tame_scales(blocks, fields):
    for first, value in fields:
        blocks[:, first : first + 2] = np.array(value, dtype=np.float16).reshape(-1, 1).view(np.uint8)
    return blocks


def entry(kind, raw, source=None):
    result = {"bytes": raw.tobytes().hex(), "numbers": dequantize(raw, kind).astype(np.float32).tobytes().hex()}
    if source is not None:
        result["quantized_from"] = source.tobytes().hex()
    return result


golden = {}
for kind in [T.F16, T.BF16, T.Q8_0, T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1]:
    source = numbers()
    golden[kind.name] = entry(kind, quantize(source.reshape(1, -1), kind), source)
q4_k = rng.integers(0, 256, size=(2, 144), dtype=np.uint8)
golden["Q4_K"] = entry(T.Q4_K, tame_scales(q4_k, [(0, [0.0123, 7.7e-6]), (2, [0.31, 0.0042])]))
q6_k = rng.integers(0, 256, size=(2, 210), dtype=np.uint8)
golden["Q6_K"] = entry(T.Q6_K, tame_scales(q6_k, [(208, [0.0077, -3.1e-6])]))
(pathlib.Path(__file__).parent / "quant.json").write_text(json.dumps(golden, indent=1) + "\n")
