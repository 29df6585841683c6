"""The small world that all the texts are about: its people, animals, things and places.

Everything is a plain list in a fixed order, so that a seeded generator picks the same entry on every machine.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Person:
    """A person with a name and the pronouns that go with it."""

    name: str
    he: str
    him: str
    his: str


@dataclass(frozen=True)
class Animal:
    """A kind of animal, the noise it makes ("barked") and what it likes to eat."""

    kind: str
    sound: str
    food: str


@dataclass(frozen=True)
class Place:
    """A place ("the mill") and the word that goes before it when someone is there ("at")."""

    name: str
    preposition: str

    @property
    def there(self) -> str:
        """The place as an answer to "where?": "at the mill"."""
        return f"{self.preposition} {self.name}"


@dataclass(frozen=True)
class Job:
    """What someone does for a living, and what that work is ("bake bread")."""

    name: str
    work: str


def _people(names: str, he: str, him: str, his: str) -> list[Person]:
    return [Person(name, he, him, his) for name in names.split()]


GIRLS = _people("Anna Mia Lily Rosa Emma Nora Ella Lucy Clara Ivy Jane Mary Sara Tess Kate Ruth Alice Molly",
                "she", "her", "her")
BOYS = _people("Tom Ben Max Sam Leo Finn Jack Peter Noah Hugo Oscar Paul Adam Luke Tim Will Henry Otto",
               "he", "him", "his")
PEOPLE = GIRLS + BOYS

ANIMALS = [
    Animal("dog", "barked", "bones"), Animal("cat", "purred", "fish"), Animal("duck", "quacked", "bread"),
    Animal("horse", "neighed", "apples"), Animal("goat", "bleated", "leaves"), Animal("cow", "mooed", "grass"),
    Animal("hen", "clucked", "corn"), Animal("mouse", "squeaked", "cheese"), Animal("owl", "hooted", "mice"),
    Animal("frog", "croaked", "flies"), Animal("pig", "grunted", "turnips"), Animal("sheep", "bleated", "grass"),
    Animal("bird", "sang", "seeds"), Animal("fox", "barked", "berries"), Animal("rabbit", "squeaked", "carrots"),
    Animal("donkey", "brayed", "hay"),
]

# Small things that can be held, found, lost and given; each takes "a" or "an" and "it".
THINGS = ("key ball lamp kite cup book coin hat bell rope ring spoon drum flute doll boat brush candle comb pen "
          "button scarf stone shell feather map whistle top puppet blanket mirror hammer clock letter bottle plate "
          "bowl cap coat glove shoe stick jar bucket pillow ribbon string horn flag mask picture pot nail knife "
          "umbrella watch bead wheel fan net acorn").split()

CONTAINERS = "box bag basket drawer chest sack cupboard trunk".split()

PLACES = [
    Place("the garden", "in"), Place("the mill", "at"), Place("the lake", "by"), Place("the forest", "in"),
    Place("the market", "at"), Place("the school", "at"), Place("the kitchen", "in"), Place("the barn", "in"),
    Place("the hill", "on"), Place("the river", "by"), Place("the bridge", "on"), Place("the farm", "on"),
    Place("the beach", "on"), Place("the shop", "in"), Place("the field", "in"), Place("the well", "by"),
    Place("the old tower", "in"), Place("the village", "in"), Place("the cave", "in"), Place("the park", "in"),
    Place("the pond", "by"), Place("the library", "in"), Place("the harbor", "at"), Place("the meadow", "in"),
]

COLOURS = "red blue green yellow white black brown orange pink silver".split()

# Foods that can be counted come with their plural where they are used; these need no article.
FOODS = "bread cheese soup honey jam cake milk fruit rice porridge butter pie corn tea".split()

FEELINGS = "happy sad angry afraid proud tired lonely glad worried calm surprised hungry".split()

WEATHER = "sunny windy rainy snowy foggy cloudy cold warm stormy".split()

JOBS = [
    Job("baker", "bake bread"), Job("farmer", "grow corn"), Job("miller", "make flour"),
    Job("teacher", "teach children"), Job("tailor", "sew coats"), Job("doctor", "help sick people"),
    Job("gardener", "plant flowers"), Job("painter", "paint pictures"), Job("sailor", "sail boats"),
    Job("cook", "cook soup"), Job("potter", "make pots"), Job("carpenter", "build tables"),
]

NUMBER_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()


def with_article(noun: str) -> str:
    """The noun, with its adjectives if any, after "a" or "an"."""
    return ("an " if noun[0].lower() in "aeiou" else "a ") + noun
