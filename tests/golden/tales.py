#!/usr/bin/env python3
"""Writes tests/golden/tales/NAME.f32 and .json: what transformers computes over whole held-out texts.

transformers 5.24.0, torch 2.14.1, tokenizers 0.23.3. Run from the root of the repository; needs no network.
The weights are the shipped F16 numbers, computed in float64. For each text and each token t but the last, four numbers:
the logit of the token that follows, the largest logit, log(sum(exp(logits))), and the logit of token (31 t) mod vocab,
which walks over the whole vocabulary. JSON: the token ids of each text.
"""

import json
import pathlib
import sys

import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "cpu_reference" / "training"))
import tales  # noqa: E402
from recipes import CONTEXT  # noqa: E402

MODELS = ["tales-target", "tales-draft", "tales-one", "tales-mha", "tales-gqa", "tales-mqa", "tales-mla"]
STRIDE = 31


def texts(tokenizer: Tokenizer) -> list[str]:
    """The first held-out document of each kind, and the longest that the models can read."""
    documents = [tales.document("held-out", index) for index in range(400)]
    first = {}
    for document in documents:
        first.setdefault(document.kind, document.text)
    lengths = {document.text: len(tokenizer.encode(document.text).ids) for document in documents}
    longest = max((text for text in lengths if lengths[text] <= CONTEXT), key=lengths.get)
    return [first[kind] for kind in sorted(first)] + [longest]


@torch.no_grad()
def numbers(model, ids: list[int]) -> torch.Tensor:
    """[tokens - 1][4]"""
    logits = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0, :-1]
    positions = torch.arange(len(ids) - 1)
    following = logits[positions, torch.tensor(ids[1:])]
    walked = logits[positions, positions * STRIDE % logits.shape[1]]
    return torch.stack([following, logits.max(-1).values, logits.logsumexp(-1), walked], dim=1)


def main() -> None:
    folder = ROOT / "tests" / "golden" / "tales"
    folder.mkdir(exist_ok=True)
    tokenizer = Tokenizer.from_file(str(ROOT / "cpu_reference/models/tales-target/tokenizer.json"))
    chosen = texts(tokenizer)
    ids = [tokenizer.encode(text).ids for text in chosen]
    (folder / "tokens.json").write_text(json.dumps(ids, separators=(",", ":")) + "\n")
    (folder / "texts.json").write_text(json.dumps(chosen, indent=1) + "\n")
    for name in MODELS:
        model = AutoModelForCausalLM.from_pretrained(ROOT / "cpu_reference/models" / name, dtype=torch.float64)
        rows = torch.cat([numbers(model, text) for text in ids])
        rows.to(torch.float32).numpy().tofile(folder / f"{name}.f32")
        print(f"{name}: {len(rows)} tokens")


if __name__ == "__main__":
    main()
