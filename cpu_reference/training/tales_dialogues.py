"""Dialogues in the ChatML form, with a system line that the answers depend on."""

import random
import re
from dataclasses import dataclass

from tales_document import Document, Writer
from tales_stories import sentences, story
from tales_world import ANIMALS, COLOURS, FOODS, JOBS, PEOPLE, PLACES, THINGS, with_article

_LONGEST = 1990  # characters


@dataclass
class Turn:
    """What the user says, the whole answer, the answer in few words, and whether the answer can be known."""

    said: str
    answer: str
    brief: str
    known: bool = True


@dataclass
class Setting:
    """The system line, the user's turns about it, and whether all answers are brief."""

    line: str
    turns: list[Turn]
    brief: bool = False


_KINDS = [animal.kind for animal in ANIMALS]


def _secret(rng: random.Random) -> Setting:
    word = rng.choice(THINGS + _KINDS + COLOURS)
    return Setting(f"You are a kind helper. The secret word is {word}.",
                   [Turn(rng.choice(["What is the secret word?", "Tell me the secret word.", "Say the secret word."]),
                         f"The secret word is {word}.", word)])


def _number(rng: random.Random) -> Setting:
    number = str(rng.randrange(1000, 10000))
    return Setting(f"You keep the code of the door. The code is {number}.",
                   [Turn(rng.choice(["What is the code?", "What is the code of the door?", "Tell me the code."]),
                         f"The code is {number}.", number)])


def _named(rng: random.Random) -> Setting:
    name, food = rng.choice(PEOPLE).name, rng.choice(FOODS)
    who = rng.choice(["What is your name?", "Who are you?", "Tell me your name."])
    what = rng.choice(["What do you like best?", "What do you like to eat?"])
    turns = [Turn(who, f"My name is {name}.", name), Turn(what, f"I like {food} best.", food)]
    return Setting(f"Your name is {name}. You like {food} best.", turns)


def _spoken_to(rng: random.Random) -> Setting:
    name, place, job = rng.choice(PEOPLE), rng.choice(PLACES).there, with_article(rng.choice(JOBS).name)
    turns = [Turn("Who am I?", f"You are {name.name}.", name.name),
             Turn("Where do I live?", f"You live {place}.", place),
             Turn(rng.choice(["What am I?", "What is my work?"]), f"You are {job}.", job)]
    return Setting(f"You speak to {name.name}, who lives {place}. {name.he.capitalize()} is {job}.", turns)


def _keeper(rng: random.Random) -> Setting:
    things, place = rng.sample(THINGS, 2), [place.there for place in rng.sample(PLACES, 2)]
    turns = [Turn(f"Where is the {thing}?", f"The {thing} is {there}.", there) for thing, there in zip(things, place)]
    turns.append(Turn(f"What is {place[0]}?", f"The {things[0]} is {place[0]}.", f"the {things[0]}"))
    return Setting(f"You help people find things. The {things[0]} is {place[0]}. The {things[1]} is {place[1]}.", turns)


def _plain(rng: random.Random) -> Setting:
    lines = ["You are a kind helper.", "You are a helpful friend.", "You tell stories and help."]
    return Setting(rng.choice(lines), [])


def _in_one_word(_rng: random.Random) -> Setting:
    return Setting("Answer in one word.", [], brief=True)


_SETTINGS = [_secret, _secret, _number, _named, _spoken_to, _keeper, _plain, _in_one_word]


def _told_name(rng: random.Random) -> list[Turn]:
    name = rng.choice(PEOPLE).name
    return [Turn(f"My name is {name}.", f"Hello, {name}!", "Hello!"),
            Turn("What is my name?", f"Your name is {name}.", name)]


def _told_food(rng: random.Random) -> list[Turn]:
    food = rng.choice(FOODS)
    return [Turn(f"I like {food}.", f"{food.capitalize()} is very good.", "Good."),
            Turn("What do I like?", f"You like {food}.", food)]


def _told_colour(rng: random.Random) -> list[Turn]:
    colour, thing = rng.choice(COLOURS), rng.choice(THINGS)
    owned = with_article(f"{colour} {thing}")
    return [Turn(f"I have {owned}.", f"{owned.capitalize()} is a fine thing to have.", "Good."),
            Turn(f"What color is my {thing}?", f"Your {thing} is {colour}.", colour)]


def _animal_food(rng: random.Random) -> list[Turn]:
    animal = rng.choice(ANIMALS)
    return [Turn(f"What does {with_article(animal.kind)} like to eat?",
                 f"{with_article(animal.kind).capitalize()} likes to eat {animal.food}.", animal.food.capitalize())]


def _echo(rng: random.Random) -> list[Turn]:
    if rng.random() < 0.4:
        said = sentences(rng, 1)[0]
    else:
        said = ", ".join(rng.sample(THINGS, rng.randrange(2, 8)))
    return [Turn(rng.choice(["Repeat after me: ", "Say this again: ", "Copy this: "]) + said, said, said)]


def _greeting(rng: random.Random) -> list[Turn]:
    hello = rng.choice(["Hello!", "Good morning!", "Good day!"])
    return [Turn(hello, f"{hello} How can I help you?", hello)]


def _thanks(rng: random.Random) -> list[Turn]:
    return [Turn(rng.choice(["Thank you.", "Thank you very much!"]), "You are welcome.", "Welcome.")]


_EXCHANGES = [_told_name, _told_food, _told_colour, _animal_food]
_LONG_EXCHANGES = _EXCHANGES + [_echo]  # whose answers need not be brief


def _subject(rng: random.Random, text: str) -> str:
    """A word for what a story is about: an animal or a thing in it, or else a person in it."""
    words = re.findall(r"[A-Za-z]+", text)
    for noun in rng.sample(_KINDS, len(_KINDS)) + rng.sample(THINGS, len(THINGS)):
        if words.count(noun) >= 2:
            return with_article(noun)
    return next((person.name for person in PEOPLE if person.name in text), "a friend")


def _story_turn(rng: random.Random) -> Turn:
    """A request for a story about something, and the story."""
    text = story(rng).strip()
    request = rng.choice(["Tell me a story about {}.", "Can you tell me a story about {}?", "I want a story about {}."])
    return Turn(request.format(_subject(rng, text)), text, text, known=False)


def _turns(rng: random.Random, setting: Setting) -> list[Turn]:
    """One to five turns: some about the system line, some about what the user said, now and then a story."""
    turns = rng.sample(setting.turns, rng.randrange(1, len(setting.turns) + 1)) if setting.turns else []
    groups = [[turn] for turn in turns]
    exchanges = _EXCHANGES if setting.brief else _LONG_EXCHANGES
    for exchange in rng.sample(exchanges, rng.randrange(0, 3) if turns else rng.randrange(2, 4)):
        groups.append(exchange(rng))
    if not setting.brief and rng.random() < 0.35:
        groups.append([_story_turn(rng)])
    rng.shuffle(groups)
    ordered: list[Turn] = _greeting(rng) if rng.random() < 0.15 else []
    later: list[Turn] = []
    for group in groups:
        ordered.append(group[0])
        later += group[1:]
    return (ordered + later)[:4] + (_thanks(rng) if rng.random() < 0.15 else [])


def dialogue(rng: random.Random) -> Document:
    """A system line and one to five turns; the assistant's answers that can be known are marked."""
    setting = rng.choice(_SETTINGS)(rng)
    line, brief = setting.line, setting.brief
    if setting.turns and rng.random() < 0.25:
        line, brief = line + " Answer in few words.", True
    writer = Writer("dialogue").add(f"<|im_start|>system\n{line}<|im_end|>\n")
    length = len(line) + 30
    for turn in _turns(rng, Setting(line, setting.turns, brief)):
        answer = turn.brief if brief else turn.answer
        length += len(turn.said) + len(answer) + 70
        if length > _LONGEST:
            break
        writer.add(f"<|im_start|>user\n{turn.said}<|im_end|>\n<|im_start|>assistant\n")
        if turn.known:
            writer.answer(answer)
        else:
            writer.add(answer)
        writer.add("<|im_end|>\n")
    return writer.document()
