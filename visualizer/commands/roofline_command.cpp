// kvarium roofline: what limits a model on a processor, the Roofline tab in words.

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "core/cost/head_kind.h"
#include "core/cost/model_shapes.h"
#include "core/cost/plain_name.h"
#include "core/cost/roofline_report.h"
#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/measure_machine.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/numbers.h"

namespace kvarium {
namespace {

constexpr std::uint64_t kMostSequences = 1'000'000;
constexpr std::uint64_t kMostTokens = 1'000'000'000;

struct Options {
  std::string model = "llama-3.1-8b";
  std::string hardware = "H100 SXM";
  std::string heads;  ///< empty: as published
  std::uint64_t batch = 1;
  std::uint64_t context = 4096;
  std::string kv_type = "bf16";
  std::string weights_type = "bf16";
};

ModelShape with_heads(const ModelShape& shape, const std::string& heads) {
  if (heads.empty()) return shape;
  const std::string plain = plain_name(heads);
  if (plain == "mha") return with_head_kind(shape, HeadKind::multi_head);
  if (plain == "gqa") return with_head_kind(shape, HeadKind::grouped);
  if (plain == "mqa") return with_head_kind(shape, HeadKind::multi_query);
  if (plain == "mla") return with_head_kind(shape, HeadKind::latent);
  throw InputError(tr_format("there are no heads '{}': use one of mha, gqa, mqa, mla", heads));
}

int run(const Options& options) {
  const RooflineSetup setup{with_heads(find_model_shape(options.model), options.heads), options.batch, options.context,
                            find_element_type(options.weights_type), find_element_type(options.kv_type)};
  const bool here = plain_name(options.hardware) == "thismachine";
  fmt::print("{}", roofline_report(setup, here ? cpu::measure_machine() : find_hardware(options.hardware)));
  return kDone;
}

}  // namespace

Command roofline_command(CLI::App& program) {
  const auto words = [](std::string_view english) { return std::string(tr(english)); };
  CLI::App* flags =
      program.add_subcommand("roofline", words("What limits a model on a processor: memory or arithmetic"));
  flags->footer(words("Example: kvarium roofline --model llama-3.1-8b --hardware H200 --batch 32 --context 8192"));
  const auto options = std::make_shared<Options>();
  flags->add_option("--model", options->model, words("a known model; kvarium bytes --list prints the names"))
      ->capture_default_str();
  flags
      ->add_option("--hardware", options->hardware,
                   words("A100 SXM, H100 SXM, H200, MI300X, RTX 4090, or \"this machine\", which is measured now"))
      ->capture_default_str();
  flags->add_option("--heads", options->heads, words("as if it had other heads: mha, gqa, mqa or mla"));
  flags->add_option("--batch", options->batch, words("sequences in the pass"))
      ->check(whole_number(1, kMostSequences))
      ->capture_default_str();
  flags->add_option("--context", options->context, words("tokens of each"))
      ->check(whole_number(1, kMostTokens))
      ->capture_default_str();
  flags->add_option("--kv-type", options->kv_type, words("number format of K and V"))->capture_default_str();
  flags->add_option("--weights-type", options->weights_type, words("number format of the weights"))
      ->capture_default_str();
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
