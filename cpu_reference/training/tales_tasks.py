"""Picks one of the tasks whose answers can be known from the text before them."""

import random

from tales_dialogues import dialogue
from tales_document import Document
from tales_facts import facts, questions
from tales_lists import induction, lists
from tales_patterns import few_shot
from tales_recall import codes

# Each task and its share in percent.
_TASKS = [(codes, 30), (facts, 20), (lists, 17), (induction, 10), (dialogue, 10), (few_shot, 6), (questions, 7)]


def task(rng: random.Random) -> Document:
    """A document of one of the tasks, each as often as its share says."""
    ticket = rng.randrange(sum(share for _, share in _TASKS))
    for make, share in _TASKS:
        if ticket < share:
            return make(rng)
        ticket -= share
    raise AssertionError("the shares cover every ticket")
