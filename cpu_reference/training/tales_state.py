"""The state of one tale: who is in it, who holds what, who is where, and how each one feels.

A plot is a list of steps. A step has several sentence forms, of which one is told, and an effect on the state:
"thing:b" (b now holds the thing), "thing:-" (nobody does), "a=sad" (a now feels sad), "b@there" (b has come to
the place of the tale), "tight" (nothing may be said before the next step), "maybe" (the step may be left out).
In a form, [x|y] stands for one of x and y, and {name} for a word of the tale.
"""

import re
from dataclasses import dataclass, field

from tales_world import (ANIMALS, BOYS, COLOURS, CONTAINERS, FOODS, GIRLS, JOBS, PLACES, THINGS, with_article)

INDOORS = ("the school", "the kitchen", "the shop", "the library", "the old tower", "the cave", "the barn", "the mill")
OUTDOORS = [place for place in PLACES if place.name not in INDOORS]
SOLID_FOODS = [food for food in FOODS if food not in ("soup", "milk", "tea")]
CARRIED = [box for box in CONTAINERS if box in ("box", "bag", "basket", "sack")]
SOFT_THINGS = ("ball", "hat", "rope", "scarf", "feather", "map", "cap", "coat", "glove", "pillow", "ribbon", "string", "blanket",
               "flag", "net", "letter", "book", "coin", "stone", "acorn", "nail", "shoe")
HARD_THINGS = [thing for thing in THINGS if thing not in SOFT_THINGS]
HIDING_PLACES = ("in the tall grass", "behind a big stone", "under a bush", "next to a tree", "under some leaves",
                 "between two stones", "behind an old wall")
ELDERS = ("mother", "father", "grandmother", "grandfather", "aunt", "uncle")
WEATHERS = ("sunny", "windy", "cloudy", "cold", "warm", "foggy")
_CHOICE = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True)
class Step:
    """One moment of a plot: what it does to the state, and the ways to tell it."""

    effects: tuple[str, ...]
    forms: tuple[str, ...]


def step(effects: str, *forms: str) -> Step:
    return Step(tuple(effects.split()), forms)


@dataclass(frozen=True)
class Plot:
    """A kind of story: its own steps, its morals, and the weather, time of day or place it needs, if any."""

    name: str
    steps: tuple[Step, ...]
    morals: tuple[str, ...]
    weathers: tuple[str, ...] = WEATHERS
    times: tuple[str, ...] = ("morning", "afternoon", "day")
    places: tuple[str, ...] = ()
    hard_thing: bool = False  # whether its thing must be one that can break


@dataclass
class Tale:
    """The words a tale is told with, and the state of its world."""

    words: dict[str, str]
    holder: str = "-"
    feelings: dict[str, str] = field(default_factory=dict)
    present: list[str] = field(default_factory=lambda: ["a"])
    told: list[str] = field(default_factory=list)

    def apply(self, effects: tuple[str, ...]) -> None:
        """Change the state as the effects say."""
        for effect in effects:
            if effect.startswith("thing:"):
                self.holder = effect[6:]
            elif effect.endswith("@there"):
                self.present.append(effect[0])
            elif "=" in effect:
                self.feelings[effect[0]] = effect[2:]

    def tell(self, rng, form: str) -> str:
        """The sentence or sentences of a form in this tale's words."""
        form = _CHOICE.sub(lambda match: rng.choice(match.group(1).split("|")), form)
        words = dict(self.words)
        words["the"] = f"the {words['colour']} {words['thing']}" if rng.random() < 0.6 else f"the {words['thing']}"
        return form.format_map(words)


def _person_words(person, key: str) -> dict[str, str]:
    """The name and pronouns of a person; those of the first person have no letter before them."""
    prefix = "" if key == "a" else key
    words = {key: person.name}
    for word, value in (("he", person.he), ("him", person.him), ("his", person.his)):
        words[prefix + word] = value
        words[(prefix + word).capitalize()] = value.capitalize()
    words[prefix + "child"] = "girl" if person.he == "she" else "boy"
    return words


def new_tale(rng, plot: Plot) -> Tale:
    """Choose the people, the thing and the places of a new tale. The two people are a girl and a boy, so that a
    pronoun can only mean one of them."""
    girl, boy = rng.choice(GIRLS), rng.choice(BOYS)
    first, second = (girl, boy) if rng.random() < 0.5 else (boy, girl)
    place = rng.choice([place for place in OUTDOORS if not plot.places or place.name in plot.places])
    home = rng.choice([other for other in OUTDOORS if other is not place])
    animal, job = rng.choice(ANIMALS), rng.choice(JOBS)
    colour, thing = rng.choice(COLOURS), rng.choice(HARD_THINGS if plot.hard_thing else THINGS)
    food, other_food = rng.sample(SOLID_FOODS, 2)
    words = _person_words(first, "a") | _person_words(second, "b")
    words |= {
        "place": place.name, "there": place.there, "home": home.name, "colour": colour, "thing": thing,
        "athing": with_article(f"{colour} {thing}"), "animal": animal.kind, "ananimal": with_article(animal.kind),
        "sound": animal.sound, "eats": animal.food, "job": job.name, "ajob": with_article(job.name), "work": job.work,
        "food": food, "food2": other_food, "box": rng.choice(CARRIED), "hide": rng.choice(HIDING_PLACES),
        "elder": rng.choice(ELDERS), "weather": rng.choice(plot.weathers), "time": rng.choice(plot.times),
    }
    return Tale(words)
