#pragma once
// A model out of a GGUF file: the architectures llama (Mistral too), qwen2 and qwen3.

#include "cpu_reference/loaders/gguf_file.h"
#include "cpu_reference/loaders/loaded_model.h"

namespace kvarium::cpu {

/// The model's numbers, not yet checked. InputError naming file and key: an architecture, a rotary scaling or experts
/// that are not supported, a number that is missing or of the wrong kind.
ModelConfig gguf_config(const GgufFile& gguf);

/// InputError, besides: a tensor that is missing, of another shape or of no use to the architecture. LoadCancelled.
LoadedModel load_gguf(const GgufFile& gguf, const OnProgress& on_progress, const CancelToken& cancel);

}  // namespace kvarium::cpu
