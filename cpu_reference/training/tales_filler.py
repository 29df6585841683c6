"""Story sentences that fill the text between a fact and the question about it."""

import random
import re

from tales_stories import sentences

_LONGEST_DOCUMENT = 1990  # characters, about 480 tokens
_BATCH = 10  # sentences drawn at a time
_CANDIDATES = 12  # sentences among which those that fill the last gap are looked for
_GAP = 60  # the least number of characters that are left for them
_LETTERS = re.compile(r"[A-Za-z]+")


class Filler:
    """A story that goes on for as long as it is asked to, and that never mentions the words to avoid."""

    def __init__(self, rng: random.Random, avoid=()):
        self._rng = rng
        self._avoid = frozenset(avoid)
        self._waiting: list[str] = []

    def _next(self) -> str:
        """The next sentence; a batch with a word to avoid is left out as a whole, so that no sentence lacks another."""
        while not self._waiting:
            batch = [line for line in sentences(self._rng, _BATCH) if "?" not in line and line.count('"') % 2 == 0]
            if not self._avoid or self._avoid.isdisjoint(_LETTERS.findall(" ".join(batch))):
                self._waiting = batch[::-1]
        return self._waiting.pop()

    def text(self, length: int) -> str:
        """The next sentences, each with a space after it, as long as they have at most `length` characters."""
        chosen: list[str] = []
        while length > 0:
            sentence = self._next()
            length -= len(sentence) + 1
            if length < 0:
                self._waiting.append(sentence)
                break
            chosen.append(sentence + " ")
        return "".join(chosen)

    def fitting(self, length: int) -> str:
        """As `text`, but as near to `length` as one or two sentences picked from the following ones can bring it."""
        begin = self.text(length - _GAP)
        candidates = [self._next() for _ in range(_CANDIDATES)]
        return begin + "".join(line + " " for line in _best_fit(candidates, length - len(begin)))


def _best_fit(candidates: list[str], left: int) -> list[str]:
    """The one or two of the candidates whose length, with a space after each, comes nearest below `left`."""
    best: list[str] = []
    best_length = 0
    for i, first in enumerate(candidates):
        one = len(first) + 1
        if best_length < one <= left:
            best, best_length = [first], one
        for second in candidates[i + 1:]:
            two = one + len(second) + 1
            if best_length < two <= left and first != second:
                best, best_length = [first, second], two
    return best


def distance(rng: random.Random, shortest: int, longest: int) -> int:
    """A number of characters, spread evenly on a logarithmic scale."""
    return int(shortest * (longest / shortest) ** rng.random())


def room(used: int) -> int:
    """How many characters a document may still have."""
    return max(0, _LONGEST_DOCUMENT - used)
