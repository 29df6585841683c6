#!/usr/bin/env python3
"""Trains one of the models of recipes.py on generated text, on the CPU, and writes it as a Hugging Face folder.

    python3 train.py NAME --work FOLDER [--models FOLDER] [--threads 2] [--steps N]

FOLDER keeps checkpoints: started again, it goes on where it stopped. The same recipe, versions and number of threads
give the same weights. Versions: torch 2.14.1, transformers 5.24.0, tokenizers 0.23.3, safetensors.
"""

import argparse
import json
import math
import pathlib
import time

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from transformers import DeepseekV2Config, DeepseekV2ForCausalLM, LlamaConfig, LlamaForCausalLM, PreTrainedModel

from batches import ANSWER, PADDING, batches, copying_batch
from card import write_card
from checks import Checks
from recipes import CONTEXT, RECIPES, VOCAB, Recipe

MODELS = pathlib.Path(__file__).parent.parent / "models"
WARM_UP = 100  # steps
COOL_DOWN = 0.35  # of all steps, in which the rate falls to zero in a straight line
LOW_RATE = 0.5  # of the recipe's rates, once copying is learnt: batches as small as these are noisy
CHECK_EVERY = 250  # steps
TEACHER_SHARE = 0.7  # of the loss, where there is a teacher
ANSWER_WEIGHT = 4.0  # of a token that can be known from what stands before it, beside 1 for all others


def build(recipe: Recipe) -> PreTrainedModel:
    torch.manual_seed(recipe.seed)
    shared = dict(
        vocab_size=VOCAB, hidden_size=recipe.hidden, intermediate_size=recipe.ffn_hidden, num_hidden_layers=recipe.layers,
        num_attention_heads=recipe.heads, max_position_embeddings=CONTEXT, tie_word_embeddings=True, rms_norm_eps=1e-5,
        bos_token_id=0, eos_token_id=1, initializer_range=0.02,
    )
    if recipe.latent_dim == 0:
        return LlamaForCausalLM(
            LlamaConfig(num_key_value_heads=recipe.kv_heads, head_dim=recipe.head_dim, **shared)
        )
    return DeepseekV2ForCausalLM(
        DeepseekV2Config(
            num_key_value_heads=recipe.heads, kv_lora_rank=recipe.latent_dim, q_lora_rank=None,
            qk_nope_head_dim=recipe.head_dim, qk_rope_head_dim=recipe.rotary_dim, v_head_dim=recipe.head_dim,
            first_k_dense_replace=recipe.layers, **shared,
        )
    )


def optimizers(model: PreTrainedModel, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Muon (Jordan et al. 2024) for the matrices of the layers, AdamW for the rest."""
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and "embed" not in name]
    others = [p for name, p in model.named_parameters() if p.ndim != 2 or "embed" in name]
    return [
        torch.optim.Muon(matrices, lr=recipe.matrix_rate, weight_decay=0.01),
        torch.optim.AdamW(others, lr=recipe.vector_rate, betas=(0.9, 0.95), weight_decay=0.0),
    ]


def rate(step: int, steps: int) -> float:
    """Rises, stays, falls in a straight line to zero."""
    return min(1.0, (step + 1) / WARM_UP, (steps - step) / (COOL_DOWN * steps))


def loss_of(model: PreTrainedModel, teacher: PreTrainedModel | None, ids: torch.Tensor, weights: torch.Tensor):
    """weights: [rows][CONTEXT + 1], of each token as a target"""
    logits = model(input_ids=ids[:, :-1], use_cache=False).logits.flatten(0, 1)
    targets, weight = ids[:, 1:].flatten(), weights[:, 1:].flatten()
    loss = F.cross_entropy(logits, targets, reduction="none")
    if teacher is not None:
        with torch.no_grad():
            wanted = teacher(input_ids=ids[:, :-1], use_cache=False).logits.flatten(0, 1).log_softmax(-1)
        apart = F.kl_div(logits.log_softmax(-1), wanted, reduction="none", log_target=True).sum(-1)
        loss = (1 - TEACHER_SHARE) * loss + TEACHER_SHARE * apart
    return (loss * weight).sum() / weight.sum()


def weights_of(marks: torch.Tensor) -> torch.Tensor:
    return (marks != PADDING).float() + (ANSWER_WEIGHT - 1) * (marks == ANSWER).float()


class Run:
    """A training run that can be stopped at any step."""

    def __init__(self, recipe: Recipe, work: pathlib.Path, models: pathlib.Path):
        self.recipe, self.models = recipe, models
        self.tokenizer = Tokenizer.from_file(str(models / "tales-target" / "tokenizer.json"))
        self.model = build(recipe)
        self.optimizers = optimizers(self.model, recipe)
        self.base_rates = [group["lr"] for o in self.optimizers for group in o.param_groups]
        self.teacher = LlamaForCausalLM.from_pretrained(models / recipe.teacher, dtype=torch.float32) if recipe.teacher else None
        self.step, self.tokens, self.seconds = 0, 0, 0.0  # tokens of the text
        self.history: list[dict] = []
        self.checkpoint = work / f"{recipe.name}.pt"
        if self.checkpoint.exists():
            self._resume()

    def _resume(self) -> None:
        saved = torch.load(self.checkpoint, weights_only=True)
        self.model.load_state_dict(saved["model"])
        for optimizer, state in zip(self.optimizers, saved["optimizers"]):
            optimizer.load_state_dict(state)
        self.step, self.tokens, self.seconds = saved["step"], saved["tokens"], saved["seconds"]
        self.history = json.loads(saved["history"])
        print(f"{self.recipe.name}: goes on at step {self.step}", flush=True)

    def save_checkpoint(self) -> None:
        state = {
            "model": self.model.state_dict(), "optimizers": [o.state_dict() for o in self.optimizers],
            "step": self.step, "tokens": self.tokens, "seconds": self.seconds, "history": json.dumps(self.history),
        }
        part = self.checkpoint.with_suffix(".part")
        torch.save(state, part)
        part.rename(self.checkpoint)

    def train(self, steps: int) -> None:
        checks = Checks(self.tokenizer)
        compiled_loss = torch.compile(loss_of, dynamic=False)  # a sixth faster
        began, mean_loss = time.time() - self.seconds, 0.0
        for ids, marks in self._batches():
            if self.step >= steps:
                break
            is_copying = self.step < self.recipe.copying_steps
            self._set_rates(rate(self.step, steps) * (1.0 if is_copying else LOW_RATE))
            loss = compiled_loss(self.model, self.teacher, ids, weights_of(marks))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            for optimizer in self.optimizers:
                optimizer.step()
                optimizer.zero_grad()
            self.step += 1
            self.tokens += 0 if is_copying else int((marks != PADDING).sum())
            self.seconds = time.time() - began
            mean_loss = loss.item() if mean_loss == 0.0 else 0.95 * mean_loss + 0.05 * loss.item()
            if math.isnan(mean_loss):
                raise SystemExit(f"{self.recipe.name}: the loss is not a number at step {self.step}: lower the rates")
            if self.step % 25 == 0:
                left = self.seconds / self.step * (steps - self.step) / 60
                print(f"step {self.step}/{steps}  loss {mean_loss:.3f}  {self.tokens / 1e6:.1f} M tokens of text  "
                      f"{left:.0f} min left", flush=True)
            if self.step % CHECK_EVERY == 0 or self.step == steps:
                self._check(checks)
        self._write(steps)

    def _batches(self):
        """Copying first, language after: the other way round, copying is hardly ever learnt."""
        while self.step < self.recipe.copying_steps:
            yield copying_batch(self.step)
        yield from batches(self.tokenizer, self.recipe.rows, skip=self.step - self.recipe.copying_steps)

    def _set_rates(self, factor: float) -> None:
        groups = [group for o in self.optimizers for group in o.param_groups]
        for base, group in zip(self.base_rates, groups):
            group["lr"] = base * factor

    def _check(self, checks: Checks) -> None:
        measured = checks.measure(self.model)
        self.history.append({"step": self.step, **measured})
        print("held-out  " + "  ".join(f"{key} {number:.3f}" for key, number in measured.items()), flush=True)
        self.save_checkpoint()

    def _write(self, steps: int) -> None:
        folder = self.models / self.recipe.name
        self.model.to(torch.float16).save_pretrained(folder)
        (folder / "generation_config.json").unlink(missing_ok=True)
        for name in ("tokenizer.json", "tokenizer_config.json"):
            (folder / name).write_bytes((self.models / "tales-target" / name).read_bytes())
        write_card(folder, self.recipe, self.model.num_parameters(), steps, self.tokens, self.seconds, self.history)
        print(f"written: {folder}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(RECIPES))
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for checkpoints")
    parser.add_argument("--models", type=pathlib.Path, default=MODELS, help="folder of the finished models")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, help="instead of the recipe's")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    args.work.mkdir(parents=True, exist_ok=True)
    recipe = RECIPES[args.name]
    Run(recipe, args.work, args.models).train(args.steps or recipe.steps)


if __name__ == "__main__":
    main()
