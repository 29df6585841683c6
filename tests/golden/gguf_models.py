"""Writes tests/golden/models/NAME.gguf: tiny random models in many weight types, and the logits that transformers
computes from the dequantised weights.

transformers 5.24.0, torch 2.14.1, gguf 0.19.0, numpy 2.4.6. Run from the root of the repository.
Beside each: NAME.tokens.json and NAME.logits.f32 ([tokens][vocab], little-endian).
"""

import json

import gguf
import numpy as np
import torch
import transformers

from random_weights import logits_of, random_tokens, randomize

FOLDER = "tests/golden/models/"
TYPES = gguf.GGMLQuantizationType
TOKENS = 24
NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def gguf_name(name):
    fixed = {
        "model.embed_tokens.weight": "token_embd.weight",
        "model.norm.weight": "output_norm.weight",
        "lm_head.weight": "output.weight",
    }
    if name in fixed:
        return fixed[name]
    _, _, layer, rest = name.split(".", 3)
    part, kind = rest.rsplit(".", 1)
    return f"blk.{layer}.{NAMES[part]}.{kind}"


def k_blocks(draws, type, rows, columns):
    """Valid blocks of the two types that the package cannot make."""
    blocks = rows * columns // 256
    bytes = draws.integers(0, 256, (blocks, 144 if type == TYPES.Q4_K else 210), dtype=np.uint8)
    half = lambda numbers: numbers.astype(np.float16).view(np.uint8).reshape(blocks, 2)
    if type == TYPES.Q4_K:  # scale, minimum, 12 bytes of 6-bit scales, 4-bit numbers
        bytes[:, 0:2] = half(draws.uniform(0.0002, 0.0004, blocks))
        bytes[:, 2:4] = half(draws.uniform(0.001, 0.003, blocks))
    else:  # 4 low bits, 2 high bits, 16 signed scales, scale
        bytes[:, 192:208] = draws.integers(-40, 40, (blocks, 16)).astype(np.int8).view(np.uint8)
        bytes[:, 208:210] = half(draws.uniform(0.0001, 0.0002, blocks))
    return bytes.reshape(rows, -1)


def swap_pairs(weight, heads, back):
    """The converter of llama writes the rows of queries and keys so that rotated pairs are neighbours."""
    half = weight.shape[0] // heads // 2
    shape = (heads, half, 2) if back else (heads, 2, half)
    return weight.reshape(*shape, *weight.shape[1:]).swapaxes(1, 2).reshape(weight.shape)


class Maker:
    def __init__(self, name, architecture, model, seed):
        self.name, self.model, self.seed = name, model, seed
        self.permutes = architecture == "llama"
        self.draws = np.random.default_rng(seed)
        randomize(model, seed)
        config = model.config
        self.writer = writer = gguf.GGUFWriter(FOLDER + name + ".gguf", architecture)
        writer.add_name(name)
        writer.add_block_count(config.num_hidden_layers)
        writer.add_context_length(config.max_position_embeddings)
        writer.add_embedding_length(config.hidden_size)
        writer.add_feed_forward_length(config.intermediate_size)
        writer.add_head_count(config.num_attention_heads)
        writer.add_head_count_kv(config.num_key_value_heads)
        writer.add_layer_norm_rms_eps(config.rms_norm_eps)
        writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
        if architecture != "qwen2":
            writer.add_key_length(config.head_dim)
            writer.add_value_length(config.head_dim)

    def write(self, types):
        """types: {part of a tensor's GGUF name: type}; vectors are F32, other weights F16. The model is changed to the
        numbers that the file can say."""
        for name, weight in self.model.named_parameters():
            if name == "lm_head.weight" and self.model.config.tie_word_embeddings:
                continue
            self.add(gguf_name(name), weight, types)
        self.writer.write_header_to_file()
        self.writer.write_kv_data_to_file()
        self.writer.write_tensors_to_file()
        self.writer.close()
        tokens = random_tokens(TOKENS, self.model.config.vocab_size, self.seed)
        with open(FOLDER + self.name + ".tokens.json", "w") as file:
            json.dump(tokens, file)
        logits_of(self.model, tokens).tofile(FOLDER + self.name + ".logits.f32")

    def add(self, name, weight, types):
        heads = {"attn_q": self.model.config.num_attention_heads, "attn_k": self.model.config.num_key_value_heads}
        part = name.split(".")[-2]
        permuted = self.permutes and part in heads
        numbers = weight.detach().numpy().astype(np.float32)
        if permuted:
            numbers = swap_pairs(numbers, heads[part], back=False)
        type = types.get(part, TYPES.F16) if numbers.ndim == 2 else TYPES.F32
        if type in (TYPES.Q4_K, TYPES.Q6_K):
            data = k_blocks(self.draws, type, *numbers.shape)
        else:
            data = gguf.quants.quantize(numbers, type)
        self.writer.add_tensor(name, np.ascontiguousarray(data), raw_dtype=type)
        said = gguf.quants.dequantize(data, type).reshape(numbers.shape)
        if permuted:
            said = swap_pairs(said, heads[part], back=True)
        with torch.no_grad():
            weight.copy_(torch.from_numpy(np.ascontiguousarray(said)))


def sizes(**more):
    base = dict(vocab_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2)
    return {**base, "max_position_embeddings": 64, **more}


theta = {"rope_type": "default", "rope_theta": 1000.0}
llama3 = {
    "rope_type": "llama3",
    "rope_theta": 500.0,
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}

# Every type once, on rows of 256 where a type needs them.
wide = sizes(hidden_size=256, intermediate_size=64, head_dim=16, num_attention_heads=2, num_key_value_heads=1)
maker = Maker(
    "llama_types",
    "llama",
    transformers.LlamaForCausalLM(transformers.LlamaConfig(**wide, tie_word_embeddings=True, rope_parameters=theta)),
    11,
)
maker.write(
    {
        "token_embd": TYPES.Q6_K,
        "attn_q": TYPES.Q4_K,
        "attn_k": TYPES.Q6_K,
        "attn_v": TYPES.Q8_0,
        "attn_output": TYPES.BF16,
        "ffn_gate": TYPES.Q4_K,
        "ffn_up": TYPES.Q5_1,
        "ffn_down": TYPES.Q5_0,
    }
)

# The scaling of Llama 3.1 as the converter writes it: what each frequency is divided by.
small = sizes(hidden_size=32, intermediate_size=64, head_dim=8)
maker = Maker(
    "llama_freqs",
    "llama",
    transformers.LlamaForCausalLM(transformers.LlamaConfig(**small, tie_word_embeddings=False, rope_parameters=llama3)),
    12,
)
plain = 1.0 / 500.0 ** (torch.arange(0, 8, 2).float() / 8)
scaled = maker.model.model.rotary_emb.inv_freq
maker.writer.add_tensor("rope_freqs.weight", (plain / scaled).numpy().astype(np.float32))
maker.write({"token_embd": TYPES.F32, "attn_v": TYPES.F32, "ffn_down": TYPES.BF16})

maker = Maker(
    "qwen2",
    "qwen2",
    transformers.Qwen2ForCausalLM(
        transformers.Qwen2Config(**sizes(hidden_size=32, intermediate_size=64), tie_word_embeddings=True)
    ),
    13,
)
maker.write({"attn_q": TYPES.Q4_0, "attn_k": TYPES.Q8_0, "ffn_up": TYPES.Q4_1, "ffn_down": TYPES.Q4_0})

maker = Maker(
    "qwen3",
    "qwen3",
    transformers.Qwen3ForCausalLM(
        transformers.Qwen3Config(**sizes(hidden_size=64, intermediate_size=96, head_dim=32), tie_word_embeddings=False)
    ),
    14,
)
maker.write({part: TYPES.Q8_0 for part in ["token_embd", "attn_q", "attn_output", "ffn_gate", "ffn_up", "output"]})
