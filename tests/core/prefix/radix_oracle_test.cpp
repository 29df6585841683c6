// The radix tree against a set of sequences: the oracle knows no nodes, only which prefixes are kept, by which block,
// and where an earlier request ended or parted from another.

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "core/prefix/radix_cache.h"
#include "tests/core/prefix/prefix_support.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

using Sequence = std::vector<TokenId>;

/// Every prefix of whole pages, with all that is known of its last page. Looks through everything for every question.
class Oracle {
 public:
  explicit Oracle(std::size_t page_size) : page_size_(page_size) {}

  std::vector<BlockId> match(const Sequence& tokens) {
    std::vector<BlockId> found;
    Sequence prefix;
    while (prefix.size() + page_size_ <= tokens.size()) {
      const Sequence longer(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(prefix.size() + page_size_));
      if (pages_.count(longer) == 0) break;
      prefix = longer;
      found.push_back(pages_.at(prefix).block);
    }
    cut(prefix);
    use(prefix);
    return found;
  }
  std::size_t insert(const Sequence& tokens, const std::vector<BlockId>& row) {
    const std::size_t whole = tokens.size() / page_size_ * page_size_;
    std::size_t present = 0;
    while (present < whole && pages_.count(first(tokens, present + page_size_)) > 0) present += page_size_;
    cut(first(tokens, present));
    for (std::size_t size = present + page_size_; size <= whole; size += page_size_) {
      pages_[first(tokens, size)] = {row[size / page_size_ - 1], 0, 0, size == whole};
    }
    use(first(tokens, whole));
    return present;
  }
  void lock(const Sequence& tokens, int change) {
    for (std::size_t size = page_size_; size <= tokens.size(); size += page_size_) {
      pages_.at(first(tokens, size)).locks += change;
    }
    use(tokens);
  }
  /// The blocks of the node that must go next; empty: none may.
  std::vector<BlockId> evict_one() {
    const Sequence* victim = nullptr;
    for (const auto& [prefix, page] : pages_) {
      if (page.locks > 0 || !children(prefix).empty()) continue;
      if (victim == nullptr || page.used < pages_.at(*victim).used) victim = &prefix;
    }
    if (victim == nullptr) return {};
    std::vector<BlockId> row;
    Sequence at = *victim;
    do {
      row.insert(row.begin(), pages_.at(at).block);
      pages_.erase(at);
      at.resize(at.size() - page_size_);
    } while (!at.empty() && !pages_.at(at).is_end);
    return row;
  }
  std::uint64_t tokens(bool locked) const {
    std::uint64_t pages = 0;
    for (const auto& [prefix, page] : pages_) pages += (page.locks > 0) == locked ? 1 : 0;
    return pages * page_size_;
  }

 private:
  struct Page {
    BlockId block{};
    int locks = 0;
    std::uint64_t used = 0;
    bool is_end = false;  ///< a node ends here
  };
  static Sequence first(const Sequence& tokens, std::size_t count) {
    return {tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  std::vector<Sequence> children(const Sequence& prefix) const {
    std::vector<Sequence> longer;
    for (const auto& [other, page] : pages_) {
      if (other.size() == prefix.size() + page_size_ && std::equal(prefix.begin(), prefix.end(), other.begin())) {
        longer.push_back(other);
      }
    }
    return longer;
  }
  /// A node ends behind `prefix` from now on; what was behind it in the same node is used now.
  void cut(const Sequence& prefix) {
    if (prefix.empty() || pages_.at(prefix).is_end) return;
    pages_.at(prefix).is_end = true;
    ++clock_;
    for (Sequence at = prefix;;) {
      at = children(at).at(0);  // a page that ends no node has exactly one successor
      if (pages_.at(at).locks == 0) pages_.at(at).used = clock_;
      if (pages_.at(at).is_end) break;
    }
  }
  void use(const Sequence& prefix) {
    ++clock_;
    for (std::size_t size = page_size_; size <= prefix.size() / page_size_ * page_size_; size += page_size_) {
      Page& page = pages_.at(first(prefix, size));
      if (page.locks == 0) page.used = clock_;
    }
  }

  std::size_t page_size_;
  std::uint64_t clock_ = 0;
  std::map<Sequence, Page> pages_;
};

/// Two or three different tokens, so that prompts share and part all the time.
Sequence random_sequence(std::mt19937& draws, std::size_t page_size) {
  Sequence tokens(draws() % (6 * page_size + 3));
  for (TokenId& token : tokens) token = TokenId{static_cast<std::int32_t>(draws() % (page_size == 1 ? 3 : 2))};
  return tokens;
}

void run(std::uint32_t page_size, std::uint32_t seed) {
  INFO("page size " << page_size << ", seed " << seed);
  std::mt19937 draws(seed);
  RadixCache cache(page_size);
  Oracle oracle(page_size);
  std::vector<std::pair<NodeId, Sequence>> locked;
  std::uint32_t next_block = 0;
  for (int operation = 0; operation < 400; ++operation) {
    const Sequence tokens = random_sequence(draws, page_size);
    switch (draws() % 5) {
      case 0: {
        const RadixMatch match = cache.match(tokens);
        REQUIRE(match.blocks == oracle.match(tokens));
        REQUIRE(match.num_tokens == match.blocks.size() * page_size);
        if (draws() % 2 == 0) {
          cache.lock(match.node);
          locked.emplace_back(match.node, Sequence(tokens.begin(), tokens.begin() + match.num_tokens));
          oracle.lock(locked.back().second, +1);
        }
        break;
      }
      case 1:
      case 2: {
        const std::vector<BlockId> row = block_range(next_block, static_cast<std::uint32_t>(tokens.size() / page_size));
        next_block += static_cast<std::uint32_t>(row.size());
        REQUIRE(cache.insert(tokens, row).num_present == oracle.insert(tokens, row));
        break;
      }
      case 3:
        if (!locked.empty()) {
          const std::size_t i = draws() % locked.size();
          cache.unlock(locked[i].first);
          oracle.lock(locked[i].second, -1);
          locked.erase(locked.begin() + static_cast<std::ptrdiff_t>(i));
        }
        break;
      default:
        REQUIRE(cache.evict(1).blocks == oracle.evict_one());
    }
    REQUIRE(cache.violations() == std::vector<std::string>{});
    REQUIRE(cache.evictable_tokens() == oracle.tokens(false));
    REQUIRE(cache.protected_tokens() == oracle.tokens(true));
  }
}

}  // namespace

TEST_CASE("random matches, insertions, locks and evictions agree with a plain set of sequences") {
  const std::uint32_t first = std::random_device{}();
  for (std::uint32_t seed = first; seed < first + 20; ++seed) {
    run(1, seed);
    run(2, seed);
    run(4, seed);
  }
}
