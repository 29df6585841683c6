#include "core/replay/mooncake_reader.h"

#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/replay/json_line.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

using Json = nlohmann::json;

/// Numbers the file's ids anew, and holds each to its predecessor.
class ChainedIds {
 public:
  /// The block of `id`, which follows `predecessor` in its prompt; none when it followed another one before.
  std::optional<BlockId> block(std::uint64_t id, std::optional<BlockId> predecessor) {
    const auto next = BlockId{static_cast<std::uint32_t>(known_.size())};
    const auto [at, is_new] = known_.try_emplace(id, Known{next, predecessor});
    if (!is_new && at->second.predecessor != predecessor) return std::nullopt;
    return at->second.block;
  }
  std::uint64_t size() const { return known_.size(); }

 private:
  struct Known {
    BlockId block;
    std::optional<BlockId> predecessor;
  };
  std::unordered_map<std::uint64_t, Known> known_;
};

class MooncakeReader {
 public:
  explicit MooncakeReader(LineReader& lines) : lines_(lines) { trace_.block_size = kMooncakeBlockSize; }

  RequestTrace read() {
    while (lines_.next()) {
      add(parse_object(lines_, tr("no JSON object: a request stands in braces"), tr("one request a line")));
    }
    trace_.distinct_blocks = ids_.size();
    return std::move(trace_);
  }

 private:
  void add(const Json& line) {
    TracedRequest request;
    const std::uint64_t arrival = number(line, "timestamp", kLongestArrivalMs);
    request.arrival_ms = static_cast<double>(arrival);
    if (arrival < last_arrival_) {
      lines_.fail(tr_format("timestamp {} after {}: requests stand in order of arrival", arrival, last_arrival_));
    }
    last_arrival_ = arrival;
    request.input_tokens = static_cast<std::uint32_t>(number(line, "input_length", kMostTracedTokens));
    request.output_tokens = static_cast<std::uint32_t>(number(line, "output_length", kMostTracedTokens));
    request.blocks = blocks(line, request.input_tokens);
    trace_.block_references += request.blocks.size();
    trace_.requests.push_back(std::move(request));
  }

  const Json& member(const Json& line, const char* name) const {
    const auto at = line.find(name);
    if (at == line.end()) lines_.fail(tr_format("{} is missing", name));
    return *at;
  }

  std::uint64_t number(const Json& line, const char* name, std::uint64_t most) const {
    return whole_number(lines_, member(line, name), name, most);
  }

  std::vector<BlockId> blocks(const Json& line, std::uint32_t input_tokens) {
    const Json& ids = member(line, "hash_ids");
    const std::uint64_t needed = (std::uint64_t{input_tokens} + kMooncakeBlockSize - 1) / kMooncakeBlockSize;
    if (!ids.is_array()) lines_.fail(std::string(tr("hash_ids is no list")));
    if (ids.size() != needed) {
      lines_.fail(tr_format("{} hash_ids: {} tokens in blocks of {} have {}", ids.size(), input_tokens,
                            kMooncakeBlockSize, needed));
    }
    std::vector<BlockId> blocks;
    blocks.reserve(ids.size());
    std::optional<BlockId> predecessor;
    for (const Json& given : ids) {
      const std::uint64_t id = whole_number(lines_, given, "a hash id", UINT64_MAX);
      const std::optional<BlockId> block = ids_.block(id, predecessor);
      if (!block) {
        lines_.fail(tr_format("hash id {} at place {} follows another id than before: ids stand in the prompt's order",
                              id, blocks.size()));
      }
      if (ids_.size() > UINT32_MAX) lines_.fail(std::string(tr("more different hash ids than 32 bits can number")));
      blocks.push_back(*block);
      predecessor = block;
    }
    return blocks;
  }

  LineReader& lines_;
  ChainedIds ids_;
  RequestTrace trace_;
  std::uint64_t last_arrival_ = 0;
};

}  // namespace

std::optional<RequestTrace> read_mooncake(std::istream& in, const std::string& name, const OnProgress& on_progress,
                                          const CancelToken& cancel) {
  LineReader lines(in, name, on_progress, cancel);
  RequestTrace trace = MooncakeReader(lines).read();
  if (lines.cancelled()) return std::nullopt;
  if (trace.requests.empty()) throw InputError(tr_format("{}: no request in it", name));
  return trace;
}

}  // namespace kvarium
