#include "visualizer/commands/model_flags.h"

#include <fmt/format.h>

#include "core/words/words.h"
#include "visualizer/commands/progress_line.h"

namespace kvarium {

void add_model_flags(CLI::App& flags, ModelFlags& options) {
  flags.add_option("--model", options.model,
                   std::string(tr("a .gguf file, a Hugging Face folder, a llama2.c .bin, or a model that comes with "
                                  "Kvarium by its name, such as tales-gqa; none: tales-target")));
  flags.add_option("--tokenizer", options.tokenizer,
                   std::string(tr("the tokenizer of a llama2.c model, where it does not stand beside it")));
}

std::optional<ModelChoice> open_flagged_model(const ModelFlags& options, const CancelToken& cancel) {
  ProgressLine progress(std::string(tr("opening")));
  return choose_model(options.model, options.tokenizer, progress.on_progress(), cancel);
}

void print_model_facts(const ModelChoice& choice) {
  for (const std::string& fact : choice.facts) fmt::print(stderr, "{}\n", fact);
}

}  // namespace kvarium
