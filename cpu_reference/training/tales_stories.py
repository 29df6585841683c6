"""Short tales, each told from a small world state that its sentences change and agree with.

Command line: python3 tales_stories.py [count] prints that many tales, then the number of sentence forms.
"""

import random
import sys

import tales_plots_finding
import tales_plots_friends
import tales_plots_world
from tales_remarks import CLOSINGS, CLOSINGS_THERE, HOLDING, MOODS, OPENINGS, SURROUNDINGS, WEATHER_REMARKS
from tales_state import Plot, Tale, new_tale

PLOTS: list[Plot] = tales_plots_finding.PLOTS + tales_plots_friends.PLOTS + tales_plots_world.PLOTS


ENDING_THERE = ("lost and found", "a race", "a quarrel and peace", "a mistake and an apology", "building something")
LEAVING = ("a visit", "a journey", "a sick friend")
EARLY_STEPS = 3  # after these the tale may have gone elsewhere, or hours may have gone by


def _possible_remarks(tale: Tale, early: bool) -> list[str]:
    """The remarks that are true in the present state and have not been made yet."""
    forms = list(WEATHER_REMARKS[tale.words["weather"]]) if early else []
    if early and tale.words["weather"] != "stormy" and tale.words["time"] not in ("evening", "night"):
        forms += SURROUNDINGS[tale.words["place"]]
    for key in tale.present:
        prefix = "" if key == "a" else key
        for group in (MOODS.get(tale.feelings.get(key, ""), ()), HOLDING if tale.holder == key else ()):
            own = [form.replace("{x}", "{" + key + "}").replace("{xhis}", "{" + prefix + "his}") for form in group]
            if not any(form in tale.told for form in own):
                forms += own
    return [form for form in forms if form not in tale.told]


def _remark(rng, tale: Tale, forms: list[str]) -> str:
    form = rng.choice(forms)
    tale.told.append(form)
    return tale.tell(rng, form)


def _parts(rng) -> list[str]:
    """The sentences or groups of sentences of one tale, in order."""
    plot = rng.choice(PLOTS)
    tale = new_tale(rng, plot)
    parts = [tale.tell(rng, rng.choice(OPENINGS))]
    remarks, tight = rng.randrange(4), False
    for index, moment in enumerate(plot.steps):
        if "maybe" in moment.effects and rng.random() < 0.4:
            continue
        possible = _possible_remarks(tale, index < (1 if plot.name in LEAVING else EARLY_STEPS))
        if possible and remarks and not tight and rng.random() < 0.35:
            parts.append(_remark(rng, tale, possible))
            remarks -= 1
        parts.append(tale.tell(rng, rng.choice(moment.forms)))
        tale.apply(moment.effects)
        tight = "tight" in moment.effects
    ending = rng.random()
    closings = CLOSINGS_THERE if plot.name in ENDING_THERE else CLOSINGS
    if ending < 0.7:
        parts.append(tale.tell(rng, rng.choice(closings if ending < 0.35 else plot.morals)))
    return parts


def story(rng) -> str:
    """One tale in a single paragraph."""
    return " ".join(_parts(rng))


def split_sentences(text: str) -> list[str]:
    """The sentences of a text; direct speech stays with the words that say who speaks."""
    sentences, start, quoted = [], 0, False
    for position, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        following = text[position + 1:position + 3]
        ends = character in ".!?" or (character == '"' and text[position - 1] in ".!?")
        if ends and not quoted and (not following or (following[0] == " " and not following[1:].islower())):
            if character == '"' and text[position - 1] in "!?" and _speaker_follows(text, position + 2):
                continue
            sentences.append(text[start:position + 1])
            start = position + 2
    return sentences


def _speaker_follows(text: str, position: int) -> bool:
    """Whether the words after closed direct speech name its speaker."""
    return text[position:].split(" ", 1)[0] in ("said", "asked", "called", "cried")


def sentences(rng, count: int) -> list[str]:
    """That many consecutive sentences from new tales."""
    result: list[str] = []
    while len(result) < count:
        result += split_sentences(story(rng))
    return result[:count]


def form_count() -> int:
    """The number of different sentence forms over all plots."""
    forms = set(OPENINGS + CLOSINGS_THERE + HOLDING)
    for group in (MOODS, SURROUNDINGS, WEATHER_REMARKS):
        forms.update(form for entry in group.values() for form in entry)
    for plot in PLOTS:
        forms.update(plot.morals)
        forms.update(form for moment in plot.steps for form in moment.forms)
    return len(forms)


def main() -> None:
    for index in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
        print(story(random.Random(f"sample/{index}")), end="\n\n")
    print(f"{form_count()} sentence forms in {len(PLOTS)} plots")


if __name__ == "__main__":
    main()
