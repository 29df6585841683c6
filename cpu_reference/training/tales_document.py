"""One text of the training set, and which of its characters can be known from what stands before them."""

from dataclasses import dataclass, field


@dataclass
class Document:
    text: str
    kind: str  # "story", "recall", "list", "dialogue", "few-shot", "questions"
    answers: list[tuple[int, int]] = field(default_factory=list)  # [start, end) of characters


class Writer:
    """Builds a document piece by piece and remembers where its answers stand."""

    def __init__(self, kind: str):
        self._pieces: list[str] = []
        self._length = 0
        self._kind = kind
        self._answers: list[tuple[int, int]] = []

    def add(self, text: str) -> "Writer":
        self._pieces.append(text)
        self._length += len(text)
        return self

    def answer(self, text: str) -> "Writer":
        self._answers.append((self._length, self._length + len(text)))
        return self.add(text)

    def document(self) -> Document:
        return Document("".join(self._pieces), self._kind, self._answers)
