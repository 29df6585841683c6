// Random requests on a small pool, against an oracle that keeps, for each cached block, all tokens from the first one
// on.

#include <map>
#include <random>

#include "tests/core/prefix/hash_server.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

using Sequence = std::vector<TokenId>;

/// Listens to the events.
class Oracle {
 public:
  explicit Oracle(HashServer& server) : server_(server) {
    server.sink.on_event = [this](const Event& event) { hear(event); };
  }
  /// The blocks of the hit must hold what is asked for. Returns how many tokens could have been found.
  std::uint32_t check(const Sequence& tokens, const PrefixHit& hit) const {
    const std::uint32_t size = server_.pool.block_size();
    for (std::size_t i = 0; i < hit.blocks.size(); ++i) {
      REQUIRE(content_.at(value(hit.blocks[i])) == first(tokens, (i + 1) * size));
    }
    std::uint32_t found = 0;
    while (found + size < tokens.size() && is_kept(first(tokens, found + size))) found += size;
    return found;
  }

 private:
  static Sequence first(const Sequence& tokens, std::size_t count) {
    return {tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  bool is_kept(const Sequence& prefix) const {
    for (const auto& [block, content] : content_) {
      if (content == prefix) return true;
    }
    return false;
  }
  void hear(const Event& event) {
    if (const auto* cached = std::get_if<BlockCached>(&event)) {
      content_[value(cached->block)] =
          first(server_.of(cached->request).tokens, (cached->logical + std::size_t{1}) * server_.pool.block_size());
    }
    if (const auto* evicted = std::get_if<BlockEvicted>(&event)) content_.erase(value(evicted->block));
    if (std::holds_alternative<PrefixCacheReset>(event)) content_.clear();
  }

  HashServer& server_;
  std::map<std::uint32_t, Sequence> content_;
};

Sequence random_prompt(std::mt19937& draws) {
  Sequence tokens(1 + draws() % 14);
  for (TokenId& token : tokens) token = TokenId{static_cast<std::int32_t>(draws() % 2)};
  return tokens;
}

/// Tokens that could have been found and were not.
std::uint32_t run(ServerOptions options, unsigned seed) {
  INFO("seed " << seed);
  std::mt19937 draws(seed);
  options.block_size = 2;
  HashServer server(12, options);
  Oracle oracle(server);
  std::vector<RequestId> running, preempted;
  std::uint32_t missed = 0;
  const auto look = [&](const Sequence& tokens) {
    const PrefixHit hit = server.find(tokens);
    missed += oracle.check(tokens, hit) - hit.num_tokens;
    return hit;
  };
  const auto take = [&draws](std::vector<RequestId>& list) {
    const std::size_t i = draws() % list.size();
    const RequestId id = list[i];
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    return id;
  };
  for (int operation = 0; operation < 250; ++operation) {
    const unsigned what = draws() % 8;
    if (what < 2) {
      const Sequence prompt = random_prompt(draws);
      look(prompt);
      if (const auto id = server.start(prompt)) running.push_back(*id);
    } else if (what < 5 && !running.empty() && server.pool.num_free() > 0) {
      server.decode(running[draws() % running.size()], static_cast<std::int32_t>(draws() % 2));
    } else if (what == 5 && !running.empty()) {
      server.finish(take(running));
    } else if (what == 6 && !running.empty()) {
      preempted.push_back(take(running));
      server.preempt(preempted.back());
    } else if (what == 7 && !preempted.empty()) {
      const Sequence& tokens = server.of(preempted.back()).tokens;
      const PrefixHit hit = look(tokens);
      if (!server.cache.fits(hit, server.blocks_for(tokens.size()) - hit.blocks.size())) continue;
      server.resume(preempted.back());
      running.push_back(preempted.back());
      preempted.pop_back();
    }
    if (running.empty() && draws() % 8 == 0) CHECK(server.cache.reset());
  }
  return missed;
}

}  // namespace

TEST_CASE("whatever happens, the cache finds exactly what the oracle keeps") {
  const unsigned first = std::random_device{}();
  for (unsigned seed = first; seed < first + 6; ++seed) {
    CHECK(run(classic(), seed) == 0);
    CHECK(run(head_2026(), seed) == 0);
  }
}

TEST_CASE("with verification it finds only what is right, however short the hashes are") {
  const unsigned first = std::random_device{}();
  for (unsigned seed = first; seed < first + 6; ++seed) {
    run({{QueueOrder::head_2026, true}, 4}, seed);
    run({{QueueOrder::classic, true}, 1}, seed);
    CHECK(run({{QueueOrder::classic, true}, 128}, seed) == 0);
  }
}
