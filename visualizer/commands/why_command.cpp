// kvarium why: of each block of a request's prompt, why it did or did not hit; why a block was evicted.

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/explain/why.h"
#include "core/words/words.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/numbers.h"
#include "visualizer/commands/trace_source.h"
#include "visualizer/layout/target.h"

namespace kvarium {
namespace {

struct Options {
  TraceSource source;
  TracePlace place;
  std::string request;
  std::optional<std::uint32_t> block;
};

RequestId find_request(const std::string& name, const Trace& trace) {
  const auto target = ui::parse_target("request:" + name);
  if (!target) throw InputError(tr_format("--request {}: write its letter, as A or B1", name));
  const RequestId id{target->request};
  const std::size_t count = trace.newest().requests.size();
  if (index(id) < count) return id;
  if (count == 0) throw InputError(tr_format("--request {}: there are no requests", name));
  throw InputError(tr_format("--request {}: there are requests A to {}", name,
                             letter(RequestId{static_cast<std::uint32_t>(count - 1)})));
}

void print_block(const Trace& trace, std::uint32_t block, std::size_t end) {
  const std::size_t count = trace.newest().blocks.size();
  if (block >= count) throw InputError(tr_format("--block {}: the pool has {} blocks", block, count));
  const std::string why = why_evicted(trace, BlockId{block}, end);
  fmt::print("{}\n", why.empty() ? tr_format("Block {} was not evicted.", block) : why);
}

ExitCode run(const Options& options) {
  if (options.request.empty() && !options.block) {
    throw InputError(std::string(tr("why what? Give --request LETTER or --block NUMBER")));
  }
  const std::unique_ptr<Trace> trace = load_trace(options.source);
  const std::size_t end = position_of(options.place, *trace);
  if (options.block) {
    print_block(*trace, *options.block, end);
    return kDone;
  }
  for (const std::string& line : explain(*trace, find_request(options.request, *trace), end)) fmt::print("{}\n", line);
  return kDone;
}

}  // namespace

Command why_command(CLI::App& program) {
  CLI::App* flags =
      program.add_subcommand("why", std::string(tr("Why a prompt's blocks hit the prefix cache, or did not")));
  flags->footer(
      std::string(tr("Example: kvarium why story.jsonl --request B\n"
                     "Example: kvarium why --scenario S02 --request A")));
  const auto options = std::make_shared<Options>();
  add_source_flags(*flags, options->source);
  add_place_flags(*flags, options->place);
  CLI::Option* request = flags->add_option("--request", options->request, std::string(tr("its letter: A, B, ...")));
  flags->add_option("--block", options->block, std::string(tr("instead: why this block was evicted")))
      ->check(whole_number(0, UINT32_MAX))
      ->excludes(request);
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
