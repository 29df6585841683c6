#include "core/replay/made_up_trace.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "core/error.h"
#include "core/replay/mooncake_reader.h"

namespace kvarium {
namespace {

constexpr std::size_t kAssistants = 3;
constexpr std::array<std::size_t, kAssistants> kSystemPromptBlocks{2, 4, 6};
constexpr std::size_t kOpenConversations = 24;  ///< at most: the oldest one ends when another begins
// Of a hundred requests so many come once and never again, and so many begin a conversation; the others go on with one.
constexpr std::uint64_t kOnce = 25, kNew = 20;

class Traffic {
 public:
  explicit Traffic(std::uint64_t seed) : draws_(seed) {
    for (std::size_t i = 0; i < kAssistants; ++i) add_blocks(systems_[i], kSystemPromptBlocks[i]);
  }

  void add_request() {
    arrival_ms_ += static_cast<double>(from_to(10, 590));
    const std::uint64_t kind = from_to(1, 100);
    if (kind <= kOnce) {
      std::vector<BlockId> chapter;
      add_blocks(chapter, from_to(10, 30));
      ask(chapter);
    } else if (kind <= kOnce + kNew || open_.empty()) {
      begin();
      ask(open_.back());
    } else {
      std::vector<BlockId>& conversation = open_[from_to(0, open_.size() - 1)];
      add_blocks(conversation, from_to(1, 2));
      ask(conversation);
    }
  }

  /// Blocks are numbered in order of appearance, as a reader numbers those of a file.
  RequestTrace trace() && {
    std::vector<BlockId> number(blocks_, BlockId{UINT32_MAX});
    for (TracedRequest& request : trace_.requests) {
      for (BlockId& block : request.blocks) {
        BlockId& known = number[index(block)];
        if (known == BlockId{UINT32_MAX}) known = BlockId{static_cast<std::uint32_t>(trace_.distinct_blocks++)};
        block = known;
      }
    }
    trace_.block_size = kMooncakeBlockSize;
    trace_.made_up = true;
    return std::move(trace_);
  }

 private:
  std::uint64_t from_to(std::uint64_t low, std::uint64_t high) { return low + draws_() % (high - low + 1); }

  void add_blocks(std::vector<BlockId>& blocks, std::uint64_t count) {
    for (; count > 0; --count) blocks.push_back(BlockId{blocks_++});
  }

  void begin() {
    if (open_.size() == kOpenConversations) open_.erase(open_.begin());
    open_.push_back(systems_[from_to(0, kAssistants - 1)]);
    add_blocks(open_.back(), from_to(1, 8));
  }

  void ask(std::vector<BlockId> blocks) {
    const auto whole = static_cast<std::uint32_t>(blocks.size()) * kMooncakeBlockSize;
    add_blocks(blocks, 1);
    const auto rest = static_cast<std::uint32_t>(from_to(1, kMooncakeBlockSize - 1));
    trace_.block_references += blocks.size();
    trace_.requests.push_back(
        {arrival_ms_, whole + rest, static_cast<std::uint32_t>(from_to(20, 400)), std::move(blocks)});
  }

  std::mt19937_64 draws_;
  RequestTrace trace_;
  std::array<std::vector<BlockId>, kAssistants> systems_;
  std::vector<std::vector<BlockId>> open_;  ///< the whole blocks of each conversation so far
  double arrival_ms_ = 0;
  std::uint32_t blocks_ = 0;
};

}  // namespace

RequestTrace made_up_trace(std::uint32_t requests, std::uint64_t seed) {
  if (requests == 0) throw InputError("a trace of 0 requests: give it at least 1");
  Traffic traffic(seed);
  for (std::uint32_t i = 0; i < requests; ++i) traffic.add_request();
  return std::move(traffic).trace();
}

}  // namespace kvarium
