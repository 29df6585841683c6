"""Facts about who has what, who is where and what is how, and the questions that they answer."""

import random
from dataclasses import dataclass, field

from tales_document import Document, Writer
from tales_filler import Filler, distance, room
from tales_world import ANIMALS, COLOURS, FOODS, JOBS, NUMBER_WORDS, PEOPLE, PLACES, THINGS, with_article

_LONGEST_DISTANCE = 1700  # characters, about 405 tokens


@dataclass
class Fact:
    """What is told, in one sentence or, where it changes, in two; the questions with their answers; its own words."""

    told: list[str]
    questions: list[tuple[str, str]]
    words: list[str] = field(default_factory=list)


class Cast:
    """The people, things and places of one document, each handed out once, so that no two facts can be confused."""

    def __init__(self, rng: random.Random, past: bool):
        self.rng = rng
        self.past = past
        self._people = rng.sample(PEOPLE, 18)
        self._things = rng.sample(THINGS, 8)
        self._places = rng.sample(PLACES, 14)
        self._colours = rng.sample(COLOURS, 8)
        self._foods = rng.sample(FOODS, 8)
        self._jobs = rng.sample(JOBS, 8)
        self._animals = rng.sample(ANIMALS, 8)
        self._ages = rng.sample(NUMBER_WORDS[3:], 8)

    def tense(self, present: str, past: str) -> str:
        return past if self.past else present

    def person(self) -> str:
        return self._people.pop().name

    def thing(self) -> str:
        return self._things.pop()

    def place(self) -> str:
        return self._places.pop().there

    def colour(self) -> str:
        return self._colours.pop()

    def food(self) -> str:
        return self._foods.pop()

    def job(self) -> str:
        return self._jobs.pop().name

    def animal(self) -> str:
        return self._animals.pop().kind

    def age(self) -> str:
        return self._ages.pop()


def _held(cast: Cast, changes: bool) -> Fact:
    has = cast.tense("has", "had")
    thing, first = cast.thing(), cast.person()
    if not changes:
        return Fact([f"{first} {has} the {thing}."],
                    [(f"who {has} the {thing}?", first), (f"what {cast.tense('does', 'did')} {first} have?",
                                                         f"the {thing}")], [thing, first])
    second = cast.person()
    later = cast.rng.choice([
        f"Then {first} gave the {thing} to {second}.",
        f"Later {second} got the {thing} from {first}.",
        f"Then {second} took the {thing} from {first}.",
    ])
    return Fact([f"At first {first} had the {thing}.", later],
                [(f"who {has} the {thing} now?", second), (f"who had the {thing} first?", first)],
                [thing, first, second])


def _placed(cast: Cast, subject: str, words: list[str], changes: bool) -> Fact:
    is_ = cast.tense("is", "was")
    first = cast.place()
    begin = subject[0].upper() + subject[1:]
    if not changes:
        return Fact([f"{begin} {is_} {first}."],
                    [(f"where {is_} {subject}?", first)], words)
    second = cast.place()
    return Fact([f"At first {subject} was {first}.", f"Later {subject} was {second}."],
                [(f"where {is_} {subject} now?", second), (f"where was {subject} first?", first)], words)


def _thing_placed(cast: Cast, changes: bool) -> Fact:
    thing = cast.thing()
    return _placed(cast, f"the {thing}", [thing], changes)


def _person_placed(cast: Cast, changes: bool) -> Fact:
    name = cast.person()
    return _placed(cast, name, [name], changes)


def _coloured(cast: Cast, changes: bool) -> Fact:
    thing, first = cast.thing(), cast.colour()
    is_ = cast.tense("is", "was")
    if not changes:
        return Fact([f"The {thing} {is_} {first}."], [(f"what color {is_} the {thing}?", first)], [thing])
    second = cast.colour()
    return Fact([f"At first the {thing} was {first}.", f"Then {cast.person()} painted the {thing} {second}."],
                [(f"what color {is_} the {thing} now?", second), (f"what color was the {thing} first?", first)],
                [thing])


def _liked(cast: Cast, _changes: bool) -> Fact:
    name, food = cast.person(), cast.food()
    likes = cast.tense("likes", "liked")
    return Fact([f"{name} {likes} {food} best."],
                [(f"what {cast.tense('does', 'did')} {name} like best?", food), (f"who {likes} {food} best?", name)],
                [name, food])


def _worked(cast: Cast, _changes: bool) -> Fact:
    name, job = cast.person(), cast.job()
    is_ = cast.tense("is", "was")
    return Fact([f"{name} {is_} {with_article(job)}."],
                [(f"who {is_} {with_article(job)}?", name)], [name, job])


def _kept(cast: Cast, _changes: bool) -> Fact:
    name, animal = cast.person(), cast.animal()
    return Fact([f"The {animal} {cast.tense('belongs', 'belonged')} to {name}."],
                [(f"who {cast.tense('does', 'did')} the {animal} belong to?", name)], [name, animal])


def _aged(cast: Cast, _changes: bool) -> Fact:
    name, age = cast.person(), cast.age()
    is_ = cast.tense("is", "was")
    return Fact([f"{name} {is_} {age} years old."],
                [(f"how old {is_} {name}?", age), (f"who {is_} {age} years old?", name)], [name, age])


_KINDS = [_held, _held, _held, _thing_placed, _thing_placed, _person_placed, _person_placed, _coloured, _coloured,
          _liked, _worked, _kept, _aged]


def _some_facts(cast: Cast, count: int, changing: float) -> list[Fact]:
    """Facts of mixed sorts, of which the given share changes where its sort can."""
    return [cast.rng.choice(_KINDS)(cast, cast.rng.random() < changing) for _ in range(count)]


def _told(rng: random.Random, told: list[list[str]]) -> list[str]:
    """The sentences of all facts in a random order in which those of one fact keep theirs."""
    order = [index for index, lines in enumerate(told) for _ in lines]
    rng.shuffle(order)
    following = [iter(lines) for lines in told]
    return [next(following[index]) for index in order]


def _ask(rng: random.Random, writer: Writer, asked: list[tuple[str, str]]) -> Document:
    """Adds the questions, all of one form, and their answers."""
    form = rng.randrange(4)
    for question, answer in asked:
        capital = question[0].upper() + question[1:]
        if form < 2:
            writer.add(f"Question: {question} Answer:").answer(f" {answer}").add(". ")
        elif form == 2:
            writer.add(f"Q: {capital}\nA:").answer(f" {answer}").add("\n")
        else:
            lead = "It was" if question.startswith(("who had", "who was")) else "The answer is"
            writer.add(f"{capital} {lead}").answer(f" {answer}").add(". ")
    return writer.document()


def _questions(rng: random.Random, facts: list[Fact], count: int) -> list[tuple[str, str]]:
    """Different questions about the facts, at most `count`."""
    every = [question for fact in facts for question in fact.questions]
    return rng.sample(every, min(count, len(every)))


def facts(rng: random.Random) -> Document:
    """One to three facts among story sentences, some of which change, and questions about them."""
    cast = Cast(rng, past=rng.random() < 0.6)
    chosen = _some_facts(cast, rng.choice([1, 1, 2, 2, 3]), 0.4)
    words = [word for fact in chosen for word in fact.words]
    lines = _told(rng, [fact.told for fact in chosen])
    asked = _questions(rng, chosen, rng.randrange(1, 4))
    asked_length = sum(len(question) + len(answer) + 22 for question, answer in asked)
    told_length = sum(len(line) + 1 for line in lines)
    longest = min(_LONGEST_DISTANCE, room(asked_length + told_length))
    distances = sorted((distance(rng, 20, longest) for _ in lines), reverse=True)
    distances.append(0)
    tale = Filler(rng, words)
    after = rng.choice([" ", "\n"])
    writer = Writer("recall")
    if rng.random() < 0.5:
        writer.add(tale.text(rng.randrange(1 + min(300, room(asked_length + told_length + distances[0])))))
    for index, line in enumerate(lines):
        writer.add(line + after).add(tale.text(distances[index] - distances[index + 1]))
    return _ask(rng, writer, asked)


def questions(rng: random.Random) -> Document:
    """A paragraph with three to six facts, and two to five questions about them."""
    cast = Cast(rng, past=True)
    chosen = _some_facts(cast, rng.randrange(3, 7), 0.25)
    words = [word for fact in chosen for word in fact.words]
    tale = Filler(rng, words)
    writer = Writer("questions").add(tale.text(rng.randrange(60, 200)))
    for line in _told(rng, [fact.told for fact in chosen]):
        writer.add(line + " ")
        if rng.random() < 0.5:
            writer.add(tale.text(rng.randrange(40, 130)))
    writer.add("\n")
    return _ask(rng, writer, _questions(rng, chosen, rng.randrange(2, 6)))
