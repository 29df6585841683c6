#!/usr/bin/env python3
"""Learns the byte-level BPE vocabulary of the tales models from their training text.

    python3 train_tokenizer.py FOLDER      writes FOLDER/tokenizer.json and FOLDER/tokenizer_config.json

Every digit is a token of its own, so that a code of four digits is four tokens to recall; a word has its space before
it. All 256 bytes are in the vocabulary: any text can be written and comes back unchanged.
"""

import json
import pathlib
import sys

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

import tales
from recipes import CONTEXT, VOCAB

BEGIN, END, TURN, TURN_END = "<|begin|>", "<|end|>", "<|im_start|>", "<|im_end|>"
SPECIALS = [BEGIN, END, TURN, TURN_END]
TEXTS = 20000

CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def learn() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB,
        special_tokens=[AddedToken(text, special=True, normalized=False) for text in SPECIALS],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator((tales.document("train", index).text for index in range(TEXTS)), trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BEGIN} $A", special_tokens=[(BEGIN, tokenizer.token_to_id(BEGIN))]
    )
    return tokenizer


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: train_tokenizer.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = learn()
    if tokenizer.get_vocab_size() != VOCAB:
        sys.exit(f"the text gives only {tokenizer.get_vocab_size()} tokens, {VOCAB} are wanted")
    small = json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":"))
    (folder / "tokenizer.json").write_text(small + "\n", encoding="utf-8")
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": BEGIN,
        "eos_token": END,
        "add_bos_token": True,
        "model_max_length": CONTEXT,
        "clean_up_tokenization_spaces": False,
        "chat_template": CHAT_TEMPLATE,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n")
    print(f"{VOCAB} tokens learnt from {TEXTS} texts: {folder}/tokenizer.json")


if __name__ == "__main__":
    main()
