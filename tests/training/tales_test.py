"""Tests of the text generator: the same on every run, nothing in both splits, answers that can be known."""

import concurrent.futures
import os
import random
import re
import subprocess
import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "cpu_reference" / "training"
sys.path.insert(0, str(FOLDER))

import tales  # noqa: E402
import tales_dialogues  # noqa: E402
import tales_facts  # noqa: E402
import tales_lists  # noqa: E402
import tales_recall  # noqa: E402

TRAIN, HELD_OUT = 20_000, 2_000
PART = 1_000
START = 60  # characters by which a text that contains another one is looked up
LONG = 160  # characters from which on a text is looked for in others; shorter dialogues may open longer ones

DIGEST = """
import hashlib, sys
import tales
text = "".join(repr(tales.document(sys.argv[1], index)) for index in range(200))
print(hashlib.sha256(text.encode()).hexdigest())
"""


def generate(part: tuple[str, int, int]) -> list:
    split, first, last = part
    return [tales.document(split, index) for index in range(first, last)]


def generate_all(split: str, count: int) -> list:
    """The first `count` documents of a split, made by all processors."""
    parts = [(split, first, min(first + PART // 4, count)) for first in range(0, count, PART // 4)]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        return [document for part in pool.map(generate, parts) for document in part]


def digest(split: str, hash_seed: str) -> str:
    environment = dict(os.environ, PYTHONHASHSEED=hash_seed)
    done = subprocess.run([sys.executable, "-c", DIGEST, split], cwd=FOLDER, env=environment, check=True,
                          capture_output=True, text=True)
    return done.stdout


class SplitTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.train = generate_all("train", TRAIN)
        cls.held_out = generate_all("held-out", HELD_OUT)

    def test_no_held_out_text_is_a_training_text(self):
        texts = {document.text for document in self.train}
        self.assertEqual([], [document.text for document in self.held_out if document.text in texts])

    def test_no_long_text_of_one_split_is_part_of_a_text_of_the_other(self):
        self.assertEqual([], contained(self.train, self.held_out))
        self.assertEqual([], contained(self.held_out, self.train))

    def test_a_text_that_contains_another_is_found(self):
        story = tales.Document("Once there was a boy. " * 12, "story")
        around = tales.Document("Hello. " + story.text + "Good night.", "story")
        self.assertEqual([story.text], contained([story], [around]))

    def test_documents_are_short_and_of_known_kinds(self):
        for document in self.train + self.held_out:
            self.assertLessEqual(len(document.text), 2_100)
            self.assertIn(document.kind, tales.KINDS)

    def test_half_of_the_documents_are_stories_without_answers(self):
        stories = [document for document in self.train if document.kind == "story"]
        self.assertAlmostEqual(0.5, len(stories) / TRAIN, delta=0.02)
        self.assertFalse(any(document.answers for document in stories))

    def test_answers_lie_within_the_text_in_order(self):
        for document in self.train + self.held_out:
            end = 0
            for start, stop in document.answers:
                self.assertTrue(end <= start < stop <= len(document.text), document)
                end = stop
            self.assertTrue(document.answers or document.kind in ("story", "dialogue"), document)

    def test_what_is_recalled_or_repeated_stands_earlier_in_the_text(self):
        for document in self.train + self.held_out:
            if document.kind in ("recall", "list", "questions"):
                for start, stop in document.answers:
                    self.assertIn(document.text[start:stop].strip(), document.text[:start], document)

    def test_a_code_stands_once_before_it_is_first_asked_for(self):
        for index in range(500):
            document = tales_recall.codes(random.Random(index))
            start, stop = document.answers[0]
            self.assertEqual(1, document.text[:start].count(document.text[start:stop]), document)


def contained(inner: list, outer: list) -> list[str]:
    """The texts of `inner` of at least LONG characters that are part of a text of `outer`, found by their start."""
    by_start: dict[str, list[str]] = {}
    for document in inner:
        if len(document.text) >= LONG:
            by_start.setdefault(document.text[:START], []).append(document.text)
    found = []
    for document in outer:
        text = document.text
        for word in re.finditer(r"(?<!\S)\S", text):
            position = word.start()
            for candidate in by_start.get(text[position:position + START], ()):
                if text.startswith(candidate, position):
                    found.append(candidate)
    return found


class GeneratorTest(unittest.TestCase):
    def test_the_same_seed_gives_the_same_text_in_another_process(self):
        for split in tales.SPLITS:
            self.assertEqual(digest(split, "1"), digest(split, "2"))

    def test_an_unknown_split_is_refused(self):
        with self.assertRaisesRegex(ValueError, "unknown split 'test'"):
            tales.document("test", 0)

    def test_code_recall_keeps_its_distance(self):
        for wanted in (200, 300, 450, 800, 1200, 1800):
            for index in range(40):
                prompt, answer = tales_recall.code_recall(random.Random(f"{wanted}/{index}"), wanted, 1 + index % 4)
                self.assertTrue(prompt.endswith("Answer:"))
                stated = prompt.index(answer.strip()) + len(answer.strip()) + 1
                self.assertTrue(0.9 * wanted <= len(prompt) - stated <= wanted, (wanted, len(prompt) - stated))

    def test_list_repeat_ends_before_the_list(self):
        prompt, answer = tales_lists.list_repeat(random.Random(1), 16)
        self.assertTrue(prompt.endswith("Again:"))
        self.assertEqual(f"List:{answer}. Again:", prompt)

    def test_who_has_a_thing_now_is_who_got_it_last(self):
        checked = 0
        for index in range(600):
            document = tales_facts.facts(random.Random(index))
            for start, stop in document.answers:
                before = document.text[:start]
                asked = re.search(r"[Ww]ho ha[sd] the (\w+) now\?[^?]*$", before)
                if asked:
                    thing = asked[1]
                    told = rf"gave the {thing} to (\w+)\.|Later (\w+) got the {thing} |Then (\w+) took the {thing} "
                    self.assertEqual("".join(re.findall(told, before)[-1]), document.text[start:stop].strip())
                    checked += 1
        self.assertGreater(checked, 20)

    def test_dialogues_are_whole_and_have_an_assistant(self):
        for index in range(300):
            text = tales_dialogues.dialogue(random.Random(index)).text
            self.assertEqual(text.count("<|im_start|>"), text.count("<|im_end|>\n"))
            self.assertIn("<|im_start|>assistant\n", text)


class CommandLineTest(unittest.TestCase):
    def run_tales(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, str(FOLDER / "tales.py"), *arguments], capture_output=True, text=True)

    def test_prints_the_documents_asked_for(self):
        done = self.run_tales("--split", "held-out", "--from", "3", "--count", "2", "--kind", "story")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assertEqual(2, len(done.stdout.split("----\n")))

    def test_wrong_values_give_one_line(self):
        for arguments in (["--split", "test"], ["--count", "-1"], ["--from", "x"], ["--kind", "poem"], ["--what"]):
            done = self.run_tales(*arguments)
            self.assertEqual(2, done.returncode)
            self.assertEqual(("", 1), (done.stdout, done.stderr.count("\n")), done.stderr)


if __name__ == "__main__":
    unittest.main()
