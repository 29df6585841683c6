"""The card of a model: what it is, what it was made from, and what it knows."""

import pathlib
import platform

from batches import COPYING_ROWS, COPYING_TOKENS
from recipes import CONTEXT, VOCAB, Recipe


def write_card(folder: pathlib.Path, recipe: Recipe, parameters: int, steps: int, tokens: int, seconds: float,
               history: list[dict]) -> None:
    heads = f"{_count(recipe.heads, 'query head')} of {recipe.head_dim}, {_count(recipe.kv_heads, 'KV head')}"
    if recipe.latent_dim:
        heads = f"{recipe.heads} heads of {recipe.head_dim}, latent {recipe.latent_dim}, rotary key {recipe.rotary_dim}"
    lines = [
        f"# {recipe.name}", "",
        f"A model that {recipe.purpose}. Trained for Kvarium on text that `training/tales.py` generates; it knows "
        "nothing else.", "",
        "| | |", "|---|---|",
        f"| shape | {_count(recipe.layers, 'layer')}, width {recipe.hidden}, {heads}, feed-forward {recipe.ffn_hidden}, "
        f"vocabulary {VOCAB}, context {CONTEXT} |",
        f"| parameters | {parameters:,}, stored as F16 |",
        f"| text | split `train` of `tales.py`, {tokens:,} tokens, none seen twice |",
        f"| steps | {steps - recipe.copying_steps:,} of {recipe.rows} rows of {CONTEXT} tokens, seed {recipe.seed} |",
        f"| time | {seconds / 60:.0f} minutes on {_processor()}, other work beside it |",
        f"| command | `python3 cpu_reference/training/train.py {recipe.name} --work FOLDER` |",
    ]
    if recipe.copying_steps:
        lines.append(f"| before them | {recipe.copying_steps:,} steps of {COPYING_ROWS} rows of {COPYING_TOKENS} random "
                     "tokens that repeat, from which copying is learnt |")
    if recipe.teacher:
        lines.append(f"| teacher | `{recipe.teacher}` |")
    lines += ["", "Held-out documents (split `held-out`): loss a token in nats, and the share of answers whose tokens "
              "are all the likeliest.", "", "| step | " + " | ".join(list(history[-1])[1:]) + " |",
              "|" + "---|" * len(history[-1])]
    chosen = history[:: max(1, len(history) // 6)]
    if chosen[-1] is not history[-1]:
        chosen.append(history[-1])
    for row in chosen:
        lines.append("| " + " | ".join([f"{row['step']:,}"] + [f"{row[k]:.3f}" for k in list(row)[1:]]) + " |")
    (folder / "README.md").write_text("\n".join(lines) + "\n")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _processor() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor() or "an unknown processor"
