"""Writes tests/golden/models/NAME: tiny random models as transformers saves them, and the logits that it computes.

transformers 5.24.0, torch 2.14.1, safetensors 0.8.0. Run from the root of the repository.
Each folder: config.json, the weights, tokens.json, logits.f32 ([tokens][vocab], little-endian).
"""

import json
import os
import shutil

import torch
import transformers

from random_weights import logits_of, random_tokens, randomize

FOLDER = "tests/golden/models/"
SIZES = dict(
    vocab_size=64,
    hidden_size=32,
    intermediate_size=40,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=64,
)
TOKENS = 40


def save(name, model, seed, dtype=torch.float32, shard="1GB"):
    randomize(model, seed)
    model.to(dtype)
    path = FOLDER + name
    shutil.rmtree(path, ignore_errors=True)
    model.save_pretrained(path, max_shard_size=shard)
    os.remove(path + "/generation_config.json")
    # Read back, so that only the weights have been rounded to `dtype`, and not the rotary frequencies.
    model = transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
    tokens = random_tokens(TOKENS, model.config.vocab_size, seed)
    with open(path + "/tokens.json", "w") as file:
        json.dump(tokens, file)
    logits_of(model, tokens).tofile(path + "/logits.f32")
    for file in os.listdir(path):
        os.chmod(path + "/" + file, 0o644)


llama3 = {
    "rope_type": "llama3",
    "rope_theta": 500.0,
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
linear = {"rope_type": "linear", "rope_theta": 1000.0, "factor": 2.0}
save(
    "llama",
    transformers.LlamaForCausalLM(transformers.LlamaConfig(**SIZES, tie_word_embeddings=True, rope_parameters=llama3)),
    1,
)
save(
    "llama_bf16_shards",
    transformers.LlamaForCausalLM(
        transformers.LlamaConfig(**SIZES, tie_word_embeddings=False, attention_bias=True, rope_parameters=linear)
    ),
    2,
    torch.bfloat16,
    "20KB",
)
save(
    "mistral_f16",
    transformers.MistralForCausalLM(transformers.MistralConfig(**SIZES, sliding_window=5)),
    3,
    torch.float16,
)
save("qwen2", transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**SIZES)), 4)
save("qwen3", transformers.Qwen3ForCausalLM(transformers.Qwen3Config(**SIZES, head_dim=16)), 5)
save(
    "deepseek_v2_f16",
    transformers.DeepseekV2ForCausalLM(
        transformers.DeepseekV2Config(
            **{**SIZES, "num_key_value_heads": 4},
            kv_lora_rank=12,
            q_lora_rank=None,
            qk_nope_head_dim=8,
            qk_rope_head_dim=4,
            v_head_dim=6,
            first_k_dense_replace=2,
            rms_norm_eps=1e-3,
        )
    ),
    7,
    torch.float16,
)
save(
    "gpt2",
    transformers.GPT2LMHeadModel(
        transformers.GPT2Config(vocab_size=64, n_positions=64, n_embd=32, n_layer=2, n_head=4, n_inner=48)
    ),
    6,
)
