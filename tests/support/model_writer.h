#pragma once
// Writes a model of F32 weights in the other formats, so that a test can read it back.

#include <string>
#include <vector>

#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/scratch.h"

namespace kvarium_test {

/// A llama model whose RoPE turns neighbours, as llama.cpp's converter writes it: unchanged.
GgufWriter gguf_of(const kvarium::cpu::Model& model);

/// Adds the tokenizer of a "llama" file, SentencePiece's.
void add_spm_tokenizer(GgufWriter& writer, const kvarium::cpu::Tokenizer& tokenizer);

/// config.json and model.safetensors in `folder`, as transformers writes them: the rows of queries and keys are
/// reordered, because there RoPE turns the halves of a head.
void write_hugging_face(const kvarium::cpu::Model& model, const ScratchFolder& folder);

}  // namespace kvarium_test
