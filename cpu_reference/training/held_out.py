#!/usr/bin/env python3
"""Writes the held-out set that `kvarium eval` measures models with, as JSON lines.

    python3 held_out.py [--models FOLDER] > ../evaluation/held_out.jsonl

Stories are documents of the split "held-out"; the recall and list tasks are drawn from seeds of their own. A distance
is the number of tokens of tales-target's tokenizer between the statement of a code and the answer.
"""

import argparse
import json
import pathlib
import random
import sys

from tokenizers import Tokenizer

import tales
import tales_lists
import tales_recall

STORIES = 100
DISTANCES = [10, 25, 50, 100, 200, 400]
EACH = 100  # recall tasks of a distance
LISTS = [3, 6, 12]
EACH_LIST = 60
NEAR = 0.12  # how far from the distance that was asked for, as a share of it
MODELS = pathlib.Path(__file__).parent.parent / "models"


def stories():
    found, index = 0, 0
    while found < STORIES:
        document = tales.document("held-out", index)
        index += 1
        if document.kind == "story":
            found += 1
            yield {"kind": "story", "text": document.text}


def tokens_between(tokenizer: Tokenizer, prompt: str, answer: str) -> int:
    """Tokens from behind the code in the statement to the answer."""
    code = answer.strip()
    stated = prompt.index(code) + len(code)
    encoding = tokenizer.encode(prompt, add_special_tokens=False)
    return sum(1 for begin, _ in encoding.offsets if begin >= stated)


def recall(tokenizer: Tokenizer):
    for distance in DISTANCES:
        found, index = 0, 0
        while found < EACH:
            rng = random.Random(f"held-out recall/{distance}/{index}")
            index += 1
            characters = int(distance * rng.uniform(3.0, 6.0))
            prompt, answer = tales_recall.code_recall(rng, max(characters, 42))
            between = tokens_between(tokenizer, prompt, answer)
            if abs(between - distance) > NEAR * distance + 2:
                continue
            found += 1
            yield {"kind": "recall", "prompt": prompt, "answer": answer, "distance": distance}


def lists():
    for items in LISTS:
        for index in range(EACH_LIST):
            prompt, answer = tales_lists.list_repeat(random.Random(f"held-out list/{items}/{index}"), items)
            yield {"kind": "list", "prompt": prompt, "answer": answer, "items": items}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, default=MODELS)
    args = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(args.models / "tales-target" / "tokenizer.json"))
    for line in [*stories(), *recall(tokenizer), *lists()]:
        sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
