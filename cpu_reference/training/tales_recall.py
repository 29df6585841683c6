"""Recall of codes: a code is stated, a story goes on, and the code is asked for."""

import random

from tales_document import Document, Writer
from tales_filler import Filler, distance, room
from tales_world import COLOURS, CONTAINERS, PEOPLE, PLACES

_SHORTEST_DISTANCE = 42  # characters, about 10 tokens
_LONGEST_DISTANCE = 1820  # characters, about 435 tokens

_STATEMENTS = [
    "The code of {} is {}.",
    "The code for {} is {}.",
    "Remember this: the code of {} is {}.",
    "Do not forget that the code of {} is {}.",
    "A note says that the code of {} is {}.",
    "The secret code of {} is {}.",
    "Code of {}: {}.",
]

# The text before the answer, and the text after it.
_QUESTIONS = [
    ("Question: what is the code of {}? Answer:", ". "),
    ("Question: what is the code of {}? Answer:", ". "),
    ("Question: what is the code for {}? Answer:", ". "),
    ("What is the code of {}? It is", ". "),
    ("What is the code for {}? It is", ". "),
    ("Now say the code of {}:", ". "),
    ("The code of {} is", ". "),
]


def _owners(rng: random.Random, count: int) -> list[str]:
    """Different things that can have a code, of one sort, so that none can be taken for another."""
    sort = rng.randrange(10)
    if sort < 5:
        pairs = [(colour, noun) for colour in COLOURS for noun in CONTAINERS]
        return [f"the {colour} {noun}" for colour, noun in rng.sample(pairs, count)]
    if sort < 7:
        noun = rng.choice(CONTAINERS + ["door", "gate", "house", "room"])
        return [f"the {colour} {noun}" for colour in rng.sample(COLOURS, count)]
    if sort < 8:
        return [f"the {noun}" for noun in rng.sample(CONTAINERS + ["door", "gate", "house", "room"], count)]
    if sort < 9:
        return [place.name for place in rng.sample(PLACES, count)]
    return [person.name for person in rng.sample(PEOPLE, count)]


def _codes(rng: random.Random, count: int, digits: int) -> list[str]:
    """Different codes of the given number of digits."""
    numbers = rng.sample(range(10 ** digits), count)
    return [str(number).zfill(digits) for number in numbers]


def code_recall(rng: random.Random, distance_chars: int, codes: int = 1) -> tuple[str, str]:
    """A text that ends in "Answer:" and the code that follows, with the space before it.

    The end of the statement of the code stands at most `distance_chars` before the answer, and as near to that as
    whole sentences allow. With more than one code, the others are stated right before the one that is asked for.
    """
    owners = _owners(rng, codes)
    numbers = _codes(rng, codes, 4)
    stated = " ".join(_STATEMENTS[0].format(owner, number) for owner, number in zip(owners, numbers))
    question = _QUESTIONS[0][0].format(owners[-1])
    between = Filler(rng).fitting(distance_chars - len(question) - 1)
    return f"{stated} {between}{question}", f" {numbers[-1]}"


def _asked(rng: random.Random, count: int) -> list[int]:
    """Which codes are asked for, in what order: all or some, now and then one of them twice."""
    asked = rng.sample(range(count), count if rng.random() < 0.6 else rng.randrange(1, count + 1))
    if rng.random() < 0.2:
        asked.append(rng.choice(asked))
    return asked


def _stated(rng: random.Random, statements: list[str], question: int, asked: int) -> Writer:
    """The statements among story sentences, up to the first question, which has `question` characters.

    The distances from the statements to the first answer are spread evenly on a logarithmic scale; `asked` characters
    are left free for the questions.
    """
    stated = sum(len(statement) + 1 for statement in statements)
    longest = min(_LONGEST_DISTANCE, room(asked + len(statements[0])))
    distances = sorted((distance(rng, _SHORTEST_DISTANCE, longest) for _ in statements), reverse=True)
    tale = Filler(rng)
    writer = Writer("recall")
    if rng.random() < 0.6:
        writer.add(tale.text(rng.randrange(1 + min(500, room(distances[0] + asked + stated)))))
    for index, statement in enumerate(statements):
        following = question
        if index + 1 < len(statements):
            following = distances[index + 1] + len(statements[index + 1])
        writer.add(statement + " ").add(tale.text(distances[index] - following - 1))
    return writer


def codes(rng: random.Random) -> Document:
    """One to four codes among story sentences, and questions about some or all of them."""
    count = rng.choice([1, 1, 1, 2, 2, 3, 4])
    owners = _owners(rng, count)
    numbers = _codes(rng, count, rng.choice([3, 4, 4, 4]))
    wording = rng.choice(_STATEMENTS)
    statements = [wording.format(owner, number) for owner, number in zip(owners, numbers)]
    form, after = rng.choice(_QUESTIONS)
    questions = [(form.format(owners[index]), numbers[index]) for index in _asked(rng, count)]
    asked = sum(len(text) + len(number) + 3 for text, number in questions)
    writer = _stated(rng, statements, len(questions[0][0]), asked)
    for text, number in questions:
        writer.add(text).answer(f" {number}").add(after)
    return writer.document()
