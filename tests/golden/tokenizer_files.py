#!/usr/bin/env python3
"""Makes the small tokenizers in tests/golden/tokenizers and the token ids of texts in many scripts.

Each tokenizer has the parts of a well-known family, and a vocabulary of a few hundred pieces that is learnt from the
texts below. The ids are those of Hugging Face's package `tokenizers`, version 0.23.3:

    python3 -m venv venv && venv/bin/pip install tokenizers==0.23.3
    venv/bin/python tests/golden/tokenizer_files.py
"""

import json
import pathlib

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

assert tokenizers.__version__ == "0.23.3", tokenizers.__version__

FOLDER = pathlib.Path(__file__).parent / "tokenizers"

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")

TEXTS = [
    "",
    " ",
    "a",
    " a",
    "  a",
    "Once upon a time, there was a little girl who had one big red ball.",
    "The cache holds keys and values: 4 heads of 64 numbers, 1234567 tokens, 3.14159, 0x1F, 2^10 = 1024.",
    "I'm sure they'll say we've won; he'd think you're right, it's John's. DON'T! IT'S I'LL WE'VE THEY'RE I'D I'M",
    "'s 't 're 've 'm 'll 'd 'S 'T 'RE 'Ve 'lL '\u017f x'\u017fy 'x ''s '''",
    "spaces:  two   three    four     five, and a tab:\tone\t\ttwo \t mixed \t",
    "lines\none\n\ntwo\n\n\nthree\r\nwindows\r\n\r\n  indented\n    more\n\t tab \n \n x \n",
    "   leading and trailing   ",
    "\n\n leading breaks\n ",
    "!?.,;:-_()[]{}<>/\\|@#$%^&*+=~`\"' ... --- ===> a.b,c;d (e) [f] {g} \"h\" 'i'\n\n!!!\n\n",
    "def f(x):\n    return x ** 2  # square\n\n\nclass A:\n\tpass\n",
    "caf\u00e9 na\u00efve \u00fcber stra\u00dfe \u0141\u00f3d\u017a \u010desk\u00fd \u00d8rsted \u00c5ngstr\u00f6m",
    "cafe\u0301 nai\u0308ve u\u0308ber A\u030a e\u0323\u0302 e\u0302\u0323 \u1e69 s\u0323\u0307 \u212b \u2126 \u00c5",
    "\u0417\u0434\u0440\u0430\u0432\u0441\u0442\u0432\u0443\u0439, \u043c\u0438\u0440! \u0391\u03b2\u03b3 "
    "\u03ba\u03cc\u03c3\u03bc\u03b5 \u0531\u0580\u0587 \u10db\u10e8\u10d5",
    "\u4f60\u597d\uff0c\u4e16\u754c\u3002\u4eca\u5929\u5929\u6c14\u5f88\u597d\uff01\u3053\u3093\u306b\u3061\u306f"
    "\u4e16\u754c\u30ab\u30bf\u30ab\u30ca \uc548\ub155\ud558\uc138\uc694 \u1112\u1161\u11ab \u3000\u5168\u89d2\uff11\uff12",
    "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645 \u0661\u0662\u0663 "
    "\u0645\u064e\u0631\u0652\u062d\u064e\u0628\u064b\u0627 \u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd",
    "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e \u0967\u0968\u0969 "
    "\u0ba4\u0bae\u0bbf\u0bb4\u0bcd \u09ac\u09be\u0982\u09b2\u09be \u0c95\u0ca8\u0ccd\u0ca8\u0ca1",
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e0a\u0e32\u0e27\u0e42\u0e25\u0e01 \u0e51\u0e52\u0e53 "
    "\u1019\u103c\u1014\u103a\u1019\u102c \u1781\u17d2\u1798\u17c2\u179a \u0f56\u0f7c\u0f51",
    "\U0001f600 \U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f44d\U0001f3fd "
    "\U0001f1e9\U0001f1ea \u2764\ufe0f 1\ufe0f\u20e3 \U0001f3f4\U000e0067\U000e0062\U000e007f \U0001f9d1\u200d\U0001f4bb",
    "\u2167 \u00bd \u00b2 \u2460 \u216b5 \u3007 \U0001d7d8\U0001d7d9 \u0b72 12\u00bd3 x\u00b2+y\u00b3",
    "nbsp\u00a0a\u00a0\u00a0b en\u2002em\u2003thin\u2009x line\u2028par\u2029nel\u0085end zwsp\u200bx bom\ufeffx "
    "ogham\u1680x ideo\u3000x",
    "\u0000\u0001\u001f\u007f\u0080\u009f soft\u00adhyphen \u200e\u200f \ufffd \ufffe \U0010ffff \ue000 \u0378",
    "lower \u2581block\u2581 \u2581\u2581x",
    "x\u0301\u0301\u0301\u0316\u0316 \u0301lone \u0344 \u0958 \u2adc \ufb1d \U0001d15e \uac00\u11a8 \u0061\u0315\u0300\u05ae\u0062",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbb abababababababab 11111111111111111111",
    "https://example.org/a?b=c&d=%20e#f me@example.org C:\\dir\\file.txt v1.2.3-rc4 $9.99 50% a_b_c camelCase42X",
    "<0x41> < s> </s <<unk  [INST] <|im_end|",
]

# With control tokens that the prompt names, and one that text always names: "<tool_call>".
PROMPTS = {
    "llama3": ["<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n Hi! <|eot_id|>",
               "a<|eot_id|>b<|eot_id|> c"],
    "qwen2": ["<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\ncafe\u0301<|im_end|>\n",
              "a <tool_call> b<tool_call>\n<|im_start|><|im_start|>"],
    "smollm": ["<|im_start|>user\nWhat is 12+34?<|im_end|>\n<|im_start|>assistant\n", "<|im_start|> <|im_end|>"],
    "gpt2": ["one<|endoftext|>two <|endoftext|> three", "  <pad>  both sides  <left>  <right>  x"],
    "llama2": ["<s>[INST] Hello [/INST] Hi</s><s>[INST] a [/INST]", "a<s> b</s>c", "<0x41> <s> </s> <unk> [INST] <|im_end|"],
    "mistral": ["<s>[INST] Hello [/INST] Hi</s><s>[INST] a [/INST]", "a<s> b</s>c", "<0x41> <s> </s> <unk> [INST] <|im_end|"],
    "metaspace": ["<s>Hello Hi</s><s> a", "a<s> b</s>c", "<0x41> <s> </s> <unk> [INST] <|im_end|"],
}


def train(tokenizer, size, specials, alphabet):
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=specials, initial_alphabet=alphabet,
                                  show_progress=False)
    tokenizer.train_from_iterator([text for text in TEXTS if "\u2581" not in text] * 3, trainer)


def byte_level(size, pre_tokenizer, specials=(), normalizer=None, ignore_merges=False):
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    train(tokenizer, size, list(specials), sorted(pre_tokenizers.ByteLevel.alphabet()))
    return tokenizer


def split(pattern):
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def sentence_piece(size):
    """The pieces of characters, behind the special tokens and the bytes, as LLaMA's vocabulary has them."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    train(tokenizer, size, [], [])
    learnt = json.loads(tokenizer.to_str())["model"]
    rare = {"\u0958", "\u2adc", "\U0001d15e", "\u0e01"}  # these go through their bytes
    words = [piece for piece, _ in sorted(learnt["vocab"].items(), key=lambda row: row[1]) if not rare & set(piece)]
    pieces = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)] + words
    merges = [tuple(merge) for merge in learnt["merges"] if not rare & set("".join(merge))]
    tokenizer = Tokenizer(models.BPE({piece: row for row, piece in enumerate(pieces)}, merges, unk_token="<unk>",
                                     fuse_unk=True, byte_fallback=True))
    tokenizer.add_special_tokens([AddedToken(name, normalized=False) for name in ("<unk>", "<s>", "</s>")])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(),
                                           decoders.Strip(" ", 1, 0)])
    return tokenizer


def begin(tokenizer, name):
    return processors.TemplateProcessing(single=f"{name} $A", pair=f"{name} $A {name} $B",
                                         special_tokens=[(name, tokenizer.token_to_id(name))])


def make_all():
    made = {}
    made["gpt2"] = byte_level(700, pre_tokenizers.ByteLevel(add_prefix_space=False), ["<|endoftext|>"])
    made["gpt2"].post_processor = processors.ByteLevel(trim_offsets=False)
    made["gpt2"].add_tokens([AddedToken("<pad>", lstrip=True, rstrip=True), AddedToken("<left>", lstrip=True),
                             AddedToken("<right>", rstrip=True)])

    made["llama3"] = byte_level(800, split(LLAMA3), ignore_merges=True)
    made["llama3"].add_special_tokens(["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"])
    made["llama3"].post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False),
                                                         begin(made["llama3"], "<|begin_of_text|>")])

    made["qwen2"] = byte_level(700, split(QWEN2), normalizer=normalizers.NFC())
    made["qwen2"].add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    made["qwen2"].add_tokens([AddedToken("<tool_call>", normalized=False)])
    made["qwen2"].post_processor = processors.ByteLevel(trim_offsets=False)

    digits = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                      pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    made["smollm"] = byte_level(700, digits, ["<|endoftext|>", "<|im_start|>", "<|im_end|>"])

    made["llama2"] = sentence_piece(900)
    made["llama2"].normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"),
                                                      normalizers.Replace(" ", "\u2581")])
    made["llama2"].post_processor = begin(made["llama2"], "<s>")

    made["mistral"] = sentence_piece(900)
    made["mistral"].pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    made["mistral"].post_processor = begin(made["mistral"], "<s>")

    made["metaspace"] = sentence_piece(900)
    made["metaspace"].pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)
    return made


def main():
    FOLDER.mkdir(exist_ok=True)
    golden = {"package": f"tokenizers {tokenizers.__version__}", "texts": TEXTS, "tokenizers": {}}
    for name, tokenizer in make_all().items():
        written = json.loads(tokenizer.to_str())
        (FOLDER / f"{name}.tokenizer.json").write_text(
            json.dumps(written, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
        golden["tokenizers"][name] = {
            "ids": [tokenizer.encode(text).ids for text in TEXTS],
            "prompts": [{"text": text, "ids": tokenizer.encode(text, add_special_tokens=False).ids}
                        for text in PROMPTS[name]],
        }
    (FOLDER / "ids.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
