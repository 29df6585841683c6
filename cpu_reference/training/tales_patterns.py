"""Patterns to be found from a few examples: a word and its plural, an animal and its food, the last of three words."""

import random

from tales_document import Document, Writer
from tales_world import ANIMALS, COLOURS, FOODS, NUMBER_WORDS, PEOPLE, THINGS

_OPPOSITES = [
    ("big", "small"), ("hot", "cold"), ("up", "down"), ("day", "night"), ("old", "new"), ("good", "bad"),
    ("open", "closed"), ("long", "short"), ("fast", "slow"), ("happy", "sad"), ("wet", "dry"), ("light", "dark"),
    ("full", "empty"), ("loud", "quiet"), ("high", "low"), ("yes", "no"),
]

_NAMES = [person.name for person in PEOPLE]
_WORDS = THINGS + COLOURS + FOODS
_IRREGULAR = {"brush": "brushes", "knife": "knives", "watch": "watches", "scarf": "scarves"}

# What stands before the left side, between the two sides and after the right side.
_FORMS = [("", " ->", "\n"), ("", ":", "\n"), ("", " =", "\n"), ("In: ", "\nOut:", "\n"), ("", " ->", "; ")]


def _plural(word: str) -> str:
    return _IRREGULAR.get(word, word + "s")


def _plurals(rng: random.Random, count: int) -> list[tuple[str, str]]:
    return [(word, _plural(word)) for word in rng.sample(THINGS, count)]


def _opposites(rng: random.Random, count: int) -> list[tuple[str, str]]:
    turned = rng.random() < 0.5
    pairs = rng.sample(_OPPOSITES, count)
    return [(right, left) for left, right in pairs] if turned else pairs


def _sounds(rng: random.Random, count: int) -> list[tuple[str, str]]:
    return [(animal.kind, animal.sound) for animal in rng.sample(ANIMALS, count)]


def _eaten(rng: random.Random, count: int) -> list[tuple[str, str]]:
    return [(animal.kind, animal.food) for animal in rng.sample(ANIMALS, count)]


def _twice(rng: random.Random, count: int) -> list[tuple[str, str]]:
    return [(word, f"{word} {word}") for word in rng.sample(_WORDS, count)]


def _of_three(rng: random.Random, count: int) -> list[tuple[str, str]]:
    """The first, the second or the last of three words."""
    place = rng.randrange(3)
    triples = [rng.sample(_WORDS, 3) for _ in range(count)]
    return [(" ".join(words), words[place]) for words in triples]


def _turned(rng: random.Random, count: int) -> list[tuple[str, str]]:
    pairs = [rng.sample(_NAMES, 2) for _ in range(count)]
    return [(f"{left} {right}", f"{right} {left}") for left, right in pairs]


def _counted(rng: random.Random, count: int) -> list[tuple[str, str]]:
    word = rng.choice(THINGS)
    return [(" ".join([word] * number), str(number)) for number in rng.sample(range(1, 10), count)]


def _numbers(rng: random.Random, count: int) -> list[tuple[str, str]]:
    numbers = rng.sample(range(1, 10), count)
    return [(NUMBER_WORDS[number - 1], str(number)) for number in numbers]


def _coloured(rng: random.Random, count: int) -> list[tuple[str, str]]:
    """A coloured thing and its colour, or a coloured thing and the thing."""
    pairs = [(rng.choice(COLOURS), thing) for thing in rng.sample(THINGS, count)]
    place = rng.randrange(2)
    return [(" ".join(pair), pair[place]) for pair in pairs]


def _next_number(rng: random.Random, count: int) -> list[tuple[str, str]]:
    return [(str(number), str(number + 1)) for number in rng.sample(range(1, 99), count)]


_PATTERNS = [_plurals, _opposites, _sounds, _eaten, _twice, _of_three, _of_three, _turned, _counted, _numbers,
             _coloured, _next_number]


def few_shot(rng: random.Random) -> Document:
    """One to three patterns of three to eight examples; all right sides but the first of a pattern can be known."""
    writer = Writer("few-shot")
    before, between, after = rng.choice(_FORMS)
    for number, pattern in enumerate(rng.sample(_PATTERNS, rng.choice([1, 1, 2, 3]))):
        if number:
            writer.add("\n")
        for index, (left, right) in enumerate(pattern(rng, rng.randrange(3, 9))):
            writer.add(f"{before}{left}{between}")
            if index == 0:
                writer.add(f" {right}")
            else:
                writer.answer(f" {right}")
            writer.add(after)
    return writer.document()
