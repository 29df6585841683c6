#!/usr/bin/env python3
"""Trains the Medusa heads of tales-target (Cai et al. 2024, "Medusa-1": the model itself stays as it is).

    python3 train_medusa.py [--models FOLDER] [--steps N] [--threads 2]

Head k = 1..4 guesses, from the hidden state h behind the final norm that says token t + 1, the token t + 1 + k:
    logits_k = W P_k (h + silu(W_k h + b_k))
W is the target's own output projection, which is its embedding table. The paper gives each head an output projection of
its own, [1024][192] here; P_k makes one out of the target's with a fifth of the numbers. Written to
tales-target/medusa.safetensors, F16, for k = 0..3: medusa.<k>.weight [192][192], medusa.<k>.bias [192] and
medusa.<k>.projection [192][192].
"""

import argparse
import pathlib
import time

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM

import tales
from batches import PADDING, batches, encode, pack
from recipes import CONTEXT
from train import MODELS, rate

HEADS = 4
ROWS = 8
RATE = 0.003  # of AdamW
HELD_OUT = 200  # documents
IGNORED = -100  # a target that counts for nothing


class Medusa(torch.nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(HEADS, width, width))
        self.bias = torch.nn.Parameter(torch.zeros(HEADS, width))
        self.projection = torch.nn.Parameter(torch.eye(width).repeat(HEADS, 1, 1))

    def forward(self, hidden: torch.Tensor, k: int) -> torch.Tensor:
        """What the target's output projection turns into the logits of head k."""
        return (hidden + F.silu(hidden @ self.weight[k].T + self.bias[k])) @ self.projection[k].T


def guesses(model: LlamaForCausalLM, medusa: Medusa, ids: torch.Tensor, marks: torch.Tensor):
    """For each head its logits and what they should say: [rows * positions][vocab], [rows * positions]."""
    with torch.no_grad():
        hidden = model.model(input_ids=ids[:, :-1], use_cache=False).last_hidden_state
    for k in range(HEADS):
        ahead = 2 + k  # hidden[t] has seen ids[t]: the model says ids[t + 1], head 0 ids[t + 2]
        targets = ids[:, ahead:].masked_fill(marks[:, ahead:] == PADDING, IGNORED)
        seen = hidden[:, : targets.shape[1]]
        yield model.lm_head(medusa(seen, k)).flatten(0, 1), targets.flatten()


@torch.no_grad()
def hit_rates(model: LlamaForCausalLM, medusa: Medusa, tokenizer: Tokenizer) -> list[float]:
    """The share of held-out tokens that each head names as the likeliest."""
    documents = [tales.document("held-out", i) for i in range(HELD_OUT)]
    ids, marks = pack(encode(tokenizer, documents))
    rates = []
    for logits, targets in guesses(model, medusa, ids, marks):
        known = targets != IGNORED
        rates.append((logits.argmax(-1)[known] == targets[known]).float().mean().item())
    return rates


def write_section(card: pathlib.Path, steps: int, shares: list[float]) -> None:
    """What stands at the end of the target's card about its heads."""
    title = "\n## Medusa heads\n"
    rows = "".join(f"| {k + 1} | {k + 2} | {share:.1%} |\n" for k, share in enumerate(shares))
    section = (
        f"\n`medusa.safetensors`, by `train_medusa.py`: {steps:,} steps of {ROWS} rows of {CONTEXT} tokens, the model itself as "
        f"it is. Over {HELD_OUT} held-out documents:\n\n"
        f"| head | tokens ahead | names the right token as the likeliest |\n|---|---|---|\n{rows}"
    )
    card.write_text(card.read_text().split(title)[0] + title + section)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, default=MODELS)
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    folder = args.models / "tales-target"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    model = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)
    model.requires_grad_(False)
    medusa = Medusa(model.config.hidden_size)
    optimizer = torch.optim.AdamW(medusa.parameters(), lr=RATE, weight_decay=0.0)
    began = time.time()
    for step, (ids, marks) in enumerate(batches(tokenizer, ROWS, skip=0)):
        if step == args.steps:
            break
        for group in optimizer.param_groups:
            group["lr"] = RATE * rate(step, args.steps)
        loss = sum(F.cross_entropy(logits, targets, ignore_index=IGNORED)
                   for logits, targets in guesses(model, medusa, ids, marks))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if (step + 1) % 50 == 0:
            print(f"step {step + 1}/{args.steps}  loss {loss.item() / HEADS:.3f}  {time.time() - began:.0f} s", flush=True)
    tensors = {f"medusa.{k}.{name}": numbers[k].to(torch.float16).contiguous()
               for name, numbers in medusa.named_parameters() for k in range(HEADS)}
    save_file(tensors, str(folder / "medusa.safetensors"))
    shares = hit_rates(model, medusa, tokenizer)
    write_section(folder / "README.md", args.steps, shares)
    line = ", ".join(f"head {k + 1} {share:.1%}" for k, share in enumerate(shares))
    print(f"held-out tokens named as the likeliest: {line}; written: {folder}/medusa.safetensors")


if __name__ == "__main__":
    main()
