"""Documents of the training text: half of them stories, half of them tasks with answers that can be known.

A document is fixed by its split and its index alone: all its choices are drawn from random.Random("split/index"), so
the same call gives the same text on every machine. Held-out documents are drawn from other seeds than those of the
training set, and no text can be in both: a text belongs to the held-out split if the CRC-32 of its first 160
characters is a multiple of 4, and a draw that belongs to the other split is thrown away and drawn anew.

    python3 tales.py --split train --from 0 --count 10
    python3 tales.py --split held-out --from 0 --count 3 --kind story
"""

import argparse
import os
import random
import sys
import zlib

from tales_document import Document
from tales_stories import story
from tales_tasks import task

SPLITS = ("train", "held-out")
KINDS = ("story", "recall", "list", "dialogue", "few-shot", "questions")

_HELD_OUT_SHARE = 4  # one text in four belongs to the held-out split
_HEAD = 160  # characters that decide it, so that a text of that length never begins a text of the other split


def _belongs(split: str, text: str) -> bool:
    held_out = zlib.crc32(text[:_HEAD].encode()) % _HELD_OUT_SHARE == 0
    return held_out == (split == "held-out")


def document(split: str, index: int) -> Document:
    """The document number `index` of the split "train" or "held-out"."""
    if split not in SPLITS:
        raise ValueError(f"unknown split {split!r}: use one of {', '.join(SPLITS)}")
    rng = random.Random(f"{split}/{index}")
    is_story = rng.random() < 0.5
    while True:
        drawn = Document(story(rng), "story") if is_story else task(rng)
        if _belongs(split, drawn.text):
            return drawn


class _Parser(argparse.ArgumentParser):
    def error(self, message: str):
        print(f"tales.py: {message}", file=sys.stderr)
        raise SystemExit(2)


def _not_negative(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def main() -> None:
    parser = _Parser(description="Prints documents of the training text.")
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--from", dest="first", type=_not_negative, default=0, help="index of the first document")
    parser.add_argument("--count", type=_not_negative, default=10, help="how many documents to print")
    parser.add_argument("--kind", choices=KINDS, help="print only documents of this kind")
    options = parser.parse_args()
    index, printed = options.first, 0
    while printed < options.count:
        drawn = document(options.split, index)
        index += 1
        if options.kind in (None, drawn.kind):
            print(("----\n" if printed else "") + drawn.text.rstrip("\n"))
            printed += 1


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
