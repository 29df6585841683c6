"""Training rows: whole documents packed into rows of CONTEXT tokens, the same in every run."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from tokenizers import Tokenizer

import tales
from recipes import CONTEXT, VOCAB

PADDING, TEXT, ANSWER = 0, 1, 2  # what a token is as a target; an answer can be known from what stands before it
COPYING_ROWS, COPYING_TOKENS, LONGEST_PERIOD = 32, 64, 24
SPECIALS = 4  # control tokens, the first of the vocabulary
SHARD = 2000  # documents that are packed and shuffled together


class Encoded(NamedTuple):
    kind: str  # of the document
    ids: list[int]  # from the begin to the end token
    marks: list[int]


def encode(tokenizer: Tokenizer, documents: list[tales.Document]) -> list[Encoded]:
    """The documents that fit into a row, in their order."""
    end = tokenizer.token_to_id("<|end|>")
    encoded = []
    for document, encoding in zip(documents, tokenizer.encode_batch([d.text for d in documents])):
        known = bytearray(len(document.text))
        for first, last in document.answers:
            known[first:last] = b"\1" * (last - first)
        marks = [ANSWER if any(known[begin:stop]) else TEXT for begin, stop in encoding.offsets]
        encoded.append(Encoded(document.kind, encoding.ids + [end], marks + [TEXT]))
    return [one for one in encoded if len(one.ids) <= CONTEXT + 1]


def pack(encoded: list[Encoded]) -> tuple[torch.Tensor, torch.Tensor]:
    """Best fit, the longest first: ids and marks, both [rows][CONTEXT + 1]."""
    rows: list[tuple[list[int], list[int]]] = []
    space: dict[int, list[int]] = {}  # free tokens -> rows
    for _, ids, marks in sorted(encoded, key=lambda one: -len(one.ids)):
        fits = [free for free in space if free >= len(ids)]
        if fits:
            best = min(fits)
            row = space[best].pop()
            if not space[best]:
                del space[best]
        else:
            rows.append(([], []))
            row = len(rows) - 1
        rows[row][0].extend(ids)
        rows[row][1].extend(marks)
        space.setdefault(CONTEXT + 1 - len(rows[row][0]), []).append(row)
    all_ids = torch.zeros(len(rows), CONTEXT + 1, dtype=torch.long)
    all_marks = torch.zeros(len(rows), CONTEXT + 1, dtype=torch.long)
    for r, (ids, marks) in enumerate(rows):
        all_ids[r, : len(ids)] = torch.tensor(ids)
        all_marks[r, : len(ids)] = torch.tensor(marks)
    return all_ids, all_marks


def copying_batch(step: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of random tokens that repeat with a period of their own; what repeats can be known, the rest is padding."""
    draws = torch.Generator().manual_seed(step)
    ids = torch.zeros(COPYING_ROWS, COPYING_TOKENS + 1, dtype=torch.long)
    marks = torch.full_like(ids, PADDING)
    for row in range(COPYING_ROWS):
        period = int(torch.randint(4, LONGEST_PERIOD + 1, (1,), generator=draws))
        tokens = torch.randint(SPECIALS, VOCAB, (period,), generator=draws)
        ids[row, 1:] = tokens.repeat(COPYING_TOKENS // period + 1)[:COPYING_TOKENS]
        marks[row, 1 + period :] = ANSWER
    return ids, marks


def shard(tokenizer: Tokenizer, number: int) -> tuple[torch.Tensor, torch.Tensor]:
    documents = [tales.document("train", number * SHARD + i) for i in range(SHARD)]
    ids, marks = pack(encode(tokenizer, documents))
    order = torch.randperm(len(ids), generator=torch.Generator().manual_seed(number))
    return ids[order], marks[order]


def batches(tokenizer: Tokenizer, rows: int, skip: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Endless batches of `rows` rows, without the first `skip` batches. Documents are never repeated."""
    number = 0
    while True:
        ids, marks = shard(tokenizer, number)
        for first in range(0, len(ids) - rows + 1, rows):
            if skip > 0:
                skip -= 1
                continue
            yield ids[first : first + rows], marks[first : first + rows]
        number += 1
