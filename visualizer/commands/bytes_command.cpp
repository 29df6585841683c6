// kvarium bytes: how large the KV cache of a known model is.

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "core/cost/bytes_report.h"
#include "core/cost/model_shapes.h"
#include "core/error.h"
#include "core/words/words.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/numbers.h"

namespace kvarium {
namespace {

struct Options {
  std::string shape;
  std::uint64_t tokens = 4096;
  std::string dtype = "fp16";
  bool list = false;
};

int run(const Options& options) {
  if (options.list) {
    for (const ModelShape& shape : model_shapes()) fmt::print("{}\n", shape.name);
    return kDone;
  }
  if (options.shape.empty()) throw InputError(std::string(tr("bytes needs --shape NAME; --list prints the names")));
  fmt::print("{}", bytes_report(find_model_shape(options.shape), options.tokens, find_element_type(options.dtype)));
  return kDone;
}

}  // namespace

Command bytes_command(CLI::App& program) {
  CLI::App* flags = program.add_subcommand("bytes", std::string(tr("How large the KV cache of a known model is")));
  flags->footer(std::string(tr("Example: kvarium bytes --shape llama-2-70b --tokens 4096 --dtype fp16")));
  const auto options = std::make_shared<Options>();
  flags->add_option("--shape", options->shape, std::string(tr("the model's name, as --list prints it")));
  flags->add_option("--tokens", options->tokens, std::string(tr("tokens in the cache")))
      ->check(whole_number(1, UINT64_MAX))
      ->capture_default_str();
  flags->add_option("--dtype", options->dtype, std::string(tr("number format of K and V")))->capture_default_str();
  flags->add_flag("--list", options->list, std::string(tr("print the names of all known models")));
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
