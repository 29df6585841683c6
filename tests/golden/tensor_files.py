"""Writes tests/golden/files/small.safetensors and small.gguf with the official packages.

safetensors 0.8.0, gguf 0.19.0, numpy 2.4.6. Run from the root of the repository.
"""

import numpy as np
import gguf
from safetensors.numpy import save_file

FOLDER = "tests/golden/files/"


def safetensors():
    save_file(
        {
            "a.f32": np.arange(6, dtype=np.float32).reshape(2, 3),
            "b.f16": np.array([[0.5, -2.0]], dtype=np.float16),
            "c.i64": np.array([7], dtype=np.int64),
            "d.scalar": np.array(2.5, dtype=np.float32),
            "e.empty": np.zeros((0, 4), dtype=np.float32),
        },
        FOLDER + "small.safetensors",
        metadata={"format": "pt"},
    )


def gguf_file():
    writer = gguf.GGUFWriter(FOLDER + "small.gguf", "llama")
    writer.add_uint8("k.u8", 200)
    writer.add_int8("k.i8", -5)
    writer.add_uint16("k.u16", 60000)
    writer.add_int16("k.i16", -300)
    writer.add_uint32("k.u32", 4000000000)
    writer.add_int32("k.i32", -7)
    writer.add_float32("k.f32", 0.25)
    writer.add_bool("k.bool", True)
    writer.add_string("k.text", "grüezi")
    writer.add_uint64("k.u64", 2**63)
    writer.add_int64("k.i64", -(2**62))
    writer.add_float64("k.f64", 1e300)
    writer.add_array("k.texts", ["a", "", "▁b"])
    writer.add_array("k.integers", [3, -1, 2])
    writer.add_array("k.reals", [0.5, -1.5])
    draws = np.random.default_rng(1)
    numbers = draws.standard_normal((2, 64)).astype(np.float32)
    types = gguf.GGMLQuantizationType
    writer.add_tensor("f32", np.arange(6, dtype=np.float32).reshape(2, 3))
    writer.add_tensor("f16", np.array([[0.5, -2.0]], dtype=np.float16))
    for type in [types.BF16, types.Q8_0, types.Q5_0, types.Q5_1, types.Q4_0, types.Q4_1]:
        writer.add_tensor(type.name.lower(), gguf.quants.quantize(numbers, type), raw_dtype=type)
    # The package cannot make these two; any bytes are numbers of theirs.
    for type, size in [(types.Q4_K, 144), (types.Q6_K, 210)]:
        writer.add_tensor(type.name.lower(), np.arange(3 * size, dtype=np.uint8).reshape(3, size), raw_dtype=type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


safetensors()
gguf_file()
