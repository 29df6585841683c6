#include "cpu_reference/tokenizer/bpe_merge.h"

#include <cstddef>
#include <optional>
#include <queue>

namespace kvarium::cpu {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// A link of the list of tokens that are left. A merge keeps the left link, with the joined token, and drops the right.
struct Link {
  TokenId token{};
  std::size_t previous = kNone;
  std::size_t next = kNone;
};

// A pair as it was when it entered the queue. It no longer holds once either side was joined with another: then the
// left one has another neighbour (a dropped link has none), or the right one is another token.
struct Pair {
  double score = 0;
  std::size_t left = 0;
  std::size_t right = 0;
  TokenId right_token{};
  TokenId joined{};

  // std::priority_queue serves the largest first.
  bool operator<(const Pair& other) const { return score != other.score ? score < other.score : left > other.left; }
};

class Merger {
 public:
  Merger(const JoinRule& rule, const std::vector<TokenId>& tokens) : rule_(rule), links_(tokens.size()) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      links_[i] = {tokens[i], i == 0 ? kNone : i - 1, i + 1 == tokens.size() ? kNone : i + 1};
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) offer(i);
  }

  Merged run() {
    while (!pairs_.empty()) {
      const Pair best = pairs_.top();
      pairs_.pop();
      if (holds(best)) join(best);
    }
    Merged merged;
    merged.pairs_looked_up = looked_up_;
    for (std::size_t i = links_.empty() ? kNone : 0; i != kNone; i = links_[i].next) {
      merged.tokens.push_back(links_[i].token);
    }
    return merged;
  }

 private:
  // Puts the pair that starts at `left` into the queue, if its two sides can be joined.
  void offer(std::size_t left) {
    if (left == kNone || links_[left].next == kNone) return;
    const std::size_t right = links_[left].next;
    ++looked_up_;
    if (const std::optional<Join> join = rule_(links_[left].token, links_[right].token)) {
      pairs_.push({join->score, left, right, links_[right].token, join->token});
    }
  }
  bool holds(const Pair& pair) const {
    return links_[pair.left].next == pair.right && links_[pair.right].token == pair.right_token;
  }
  void join(const Pair& pair) {
    Link& left = links_[pair.left];
    Link& right = links_[pair.right];
    left.token = pair.joined;
    left.next = right.next;
    if (right.next != kNone) links_[right.next].previous = pair.left;
    right.next = kNone;
    offer(left.previous);
    offer(pair.left);
  }

  const JoinRule& rule_;
  std::vector<Link> links_;
  std::priority_queue<Pair> pairs_;
  std::uint64_t looked_up_ = 0;
};

}  // namespace

Merged merge_pairs(const JoinRule& rule, const std::vector<TokenId>& tokens) { return Merger(rule, tokens).run(); }

}  // namespace kvarium::cpu
