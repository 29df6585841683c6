"""Lists, sentences and random words that are repeated."""

import random

from tales_document import Document, Writer
from tales_filler import Filler, distance, room
from tales_stories import sentences
from tales_world import ANIMALS, COLOURS, CONTAINERS, FOODS, PEOPLE, THINGS

_KINDS = [animal.kind for animal in ANIMALS]
_NAMES = [person.name for person in PEOPLE]
_WORDS = THINGS + _KINDS + FOODS + COLOURS + CONTAINERS

# What comes before a list, and before each time it is repeated.
_LIST_MARKERS = [
    ("List:", "Again:"), ("List:", "Again:"), ("The list is:", "The list again:"), ("Read:", "Repeat:"),
    ("First:", "Once more:"), ("Remember:", "Say it again:"), ("Words:", "The same words:"),
]

_SENTENCE_MARKERS = [
    ("Read this:", "Say it again:"), ("Listen:", "Say it again:"), ("Text:", "Copy:"), ("First:", "Once more:"),
]

_INDUCTION_MARKERS = [("", "|"), ("", "Again:"), ("Start:", "Again:"), ("One:", "Two:"), ("", ";")]


def _digits(rng: random.Random, length: int) -> str:
    return "".join(str(rng.randrange(10)) for _ in range(length))


def _items(rng: random.Random, count: int) -> list[str]:
    """Items of one sort, or of all sorts mixed."""
    sort = rng.randrange(8)
    if sort < 3:
        return rng.sample(THINGS, count)
    if sort == 3:
        return rng.sample(_NAMES, count)
    if sort == 4:
        return [_digits(rng, 1) for _ in range(count)]
    if sort == 5:
        return [_digits(rng, rng.choice([2, 3])) for _ in range(count)]
    if sort == 6:
        return [f"{rng.choice(COLOURS)} {thing}" for thing in rng.sample(THINGS, count)]
    return rng.sample(_WORDS + _NAMES, count)


def list_repeat(rng: random.Random, items: int) -> tuple[str, str]:
    """A text with a list of `items` things that ends in "Again:", and the list, with the space before it."""
    listed = ", ".join(rng.sample(THINGS, items))
    return f"List: {listed}. Again:", f" {listed}"


def _repeated_list(rng: random.Random) -> Document:
    """One to three lists, each repeated right away, once or several times."""
    writer = Writer("list")
    first, again = rng.choice(_LIST_MARKERS)
    end = rng.choice([". ", ".\n"])
    separator = rng.choice([", ", ", ", ", ", " ", "; "])
    for _ in range(rng.choice([1, 1, 2, 3])):
        listed = separator.join(_items(rng, rng.randrange(3, 17)))
        writer.add(f"{first} {listed}{end}")
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            writer.add(again).answer(f" {listed}").add(end)
    return writer.document()


def _distant_list(rng: random.Random) -> Document:
    """A list, a piece of story, and the list again."""
    first, again = rng.choice(_LIST_MARKERS)
    listed = ", ".join(_items(rng, rng.randrange(3, 13)))
    longest = room(2 * len(listed) + len(first) + len(again) + 8)
    between = Filler(rng).text(distance(rng, 80, longest))
    return Writer("list").add(f"{first} {listed}. {between}{again}").answer(f" {listed}").add(".").document()


def _copied_sentences(rng: random.Random) -> Document:
    """Short pieces of story, each said twice."""
    writer = Writer("list")
    first, again = rng.choice(_SENTENCE_MARKERS)
    for _ in range(rng.choice([1, 2, 3])):
        said = " ".join(sentences(rng, rng.choice([1, 1, 2])))
        writer.add(f"{first} {said}\n{again}").answer(f" {said}").add("\n")
    return writer.document()


def lists(rng: random.Random) -> Document:
    """A list or a sentence that is repeated, right away or after a piece of story."""
    chance = rng.random()
    if chance < 0.5:
        return _repeated_list(rng)
    if chance < 0.8:
        return _distant_list(rng)
    return _copied_sentences(rng)


def induction(rng: random.Random) -> Document:
    """Random words of the world, or random digits, that come once and then once or twice more."""
    writer = Writer("list")
    first, again = rng.choice(_INDUCTION_MARKERS)
    repeats = rng.choice([1, 1, 2])
    if rng.random() < 0.3:
        words = [_digits(rng, 1) for _ in range(rng.randrange(8, 60))]
    else:
        words = [rng.choice(_WORDS + _NAMES) for _ in range(rng.randrange(6, 100 if repeats == 1 else 70))]
    line = " ".join(words)
    writer.add(f"{first} {line}" if first else line)
    for _ in range(repeats):
        writer.add(f" {again}").answer(f" {line}")
    return writer.document()
