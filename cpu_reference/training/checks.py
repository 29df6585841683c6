"""What a model in training knows, measured on held-out documents: their loss, and how many answers it would give right."""

from collections import defaultdict

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

import tales
from batches import ANSWER, TEXT, encode

DOCUMENTS = 240


class Checks:
    def __init__(self, tokenizer: Tokenizer):
        self._texts = encode(tokenizer, [tales.document("held-out", i) for i in range(DOCUMENTS)])

    @torch.no_grad()
    def measure(self, model: torch.nn.Module) -> dict[str, float]:
        """Loss a token (nats) of each kind of document; "right": answers all of whose tokens are the likeliest."""
        loss, tokens = defaultdict(float), defaultdict(int)
        right, asked = defaultdict(int), defaultdict(int)
        for kind, ids, marks in self._texts:
            row = torch.tensor([ids])
            logits = model(input_ids=row[:, :-1], use_cache=False).logits[0]
            targets = row[0, 1:]
            loss[kind] += F.cross_entropy(logits, targets, reduction="sum").item()
            tokens[kind] += len(targets)
            hits = (logits.argmax(-1) == targets).tolist()
            for answer in _spans(marks[1:]):
                asked[kind] += 1
                right[kind] += all(hits[i] for i in answer)
        result = {f"loss {kind}": loss[kind] / tokens[kind] for kind in sorted(loss)}
        return result | {f"right {kind}": right[kind] / asked[kind] for kind in sorted(asked)}


def _spans(marks: list[int]) -> list[range]:
    """Runs of tokens that belong to answers."""
    spans, first = [], None
    for i, mark in enumerate(marks + [TEXT]):
        if mark == ANSWER and first is None:
            first = i
        if mark != ANSWER and first is not None:
            spans.append(range(first, i))
            first = None
    return spans
