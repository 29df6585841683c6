#include "core/trace/describe.h"

#include "core/error.h"
#include "core/token_text.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

std::string reason_in_words(FinishReason reason) {
  switch (reason) {
    case FinishReason::end_of_sequence:
      return std::string(tr("the model ended the text"));
    case FinishReason::max_tokens:
      return std::string(tr("it has as many new tokens as were asked for"));
    case FinishReason::stop_string:
      return std::string(tr("a stop string appeared"));
    case FinishReason::context_full:
      return std::string(tr("the model's context is full"));
  }
  throw MisuseError("a finish reason of number " + std::to_string(static_cast<int>(reason)));
}

/// Has a case for every event: what is missing here does not compile.
class Describer {
 public:
  explicit Describer(const World& before) : world_(before) {}

  std::string operator()(const ModelDescribed& e) const {
    if (e.shape.layers == 0) return tr_format("The model is {}.", printable(e.shape.name));
    return tr_format("The model is {}: {} layers, {} query heads, {} KV heads of {} numbers each.",
                     printable(e.shape.name), e.shape.layers, e.shape.query_heads, e.shape.kv_heads, e.shape.head_dim);
  }
  std::string operator()(const PoolCreated& e) const {
    return tr_format("A pool of {} blocks of {} tokens each is made.", e.hand_out_order.size(), e.block_size);
  }
  std::string operator()(const ArenaCreated& e) const {
    return tr_format("A contiguous pool of {} slots is made.", e.num_slots);
  }
  std::string operator()(const SchedulerDescribed& e) const {
    return tr_format("Who is served when: {}.", printable(e.name));
  }
  std::string operator()(const TokenNamed& e) const {
    return tr_format("Token {} is written \"{}\".", value(e.token), printable(e.text));
  }

  std::string operator()(const RequestArrived& e) const {
    return tr_format("Request {} arrives: a prompt of {} tokens, at most {} new ones.", letter(e.request),
                     e.prompt.size(), e.max_new_tokens);
  }
  std::string operator()(const RequestForked& e) const {
    return tr_format("Request {} is forked from {}: it has the same tokens and shares all blocks.", letter(e.request),
                     letter(e.parent));
  }
  std::string operator()(const RequestAdmitted& e) const {
    return tr_format("Request {} is admitted: it runs from now on.", letter(e.request));
  }
  std::string operator()(const RequestPreempted& e) const {
    if (e.lost_tokens == 0) return tr_format("Request {} is preempted: it waits again.", letter(e.request));
    return tr_format("Request {} is preempted: it waits again, and {} tokens must be computed again.",
                     letter(e.request), e.lost_tokens);
  }
  std::string operator()(const KvSwappedOut& e) const {
    return tr_format("K and V of {} tokens of request {}, {} bytes, are copied to the memory of the host.", e.tokens,
                     letter(e.request), e.bytes);
  }
  std::string operator()(const KvSwappedIn& e) const {
    return tr_format("K and V of {} tokens of request {}, {} bytes, are copied back from the memory of the host.",
                     e.tokens, letter(e.request), e.bytes);
  }
  std::string operator()(const RequestFinished& e) const {
    return tr_format("Request {} is finished: {}.", letter(e.request), reason_in_words(e.reason));
  }
  std::string operator()(const RequestAborted& e) const {
    return tr_format("Request {} is aborted.", letter(e.request));
  }

  std::string operator()(const BlockAllocated& e) const {
    return tr_format("Request {} takes block {} as its logical block {}.", letter(e.request), value(e.block),
                     table_size(e.request));
  }
  std::string operator()(const BlockShared& e) const {
    return tr_format("Request {} shares block {} as its logical block {}: its ref count is {} now.", letter(e.request),
                     value(e.block), table_size(e.request), e.ref_count);
  }
  std::string operator()(const BlockReused& e) const {
    return tr_format(
        "Request {} takes block {} out of the free queue as its logical block {}: what it needs is still in it.",
        letter(e.request), value(e.block), table_size(e.request));
  }
  std::string operator()(const BlockCopied& e) const {
    return tr_format(
        "Request {} is about to write into block {}, which others hold too: its {} tokens are copied into block {}.",
        letter(e.request), value(e.from), e.tokens, value(e.to));
  }
  std::string operator()(const BlockReplaced& e) const {
    return tr_format("Block {} of the tree takes the place of block {} in the table of request {}: both hold the same.",
                     value(e.to), value(e.from), letter(e.request));
  }
  std::string operator()(const BlockReleased& e) const {
    if (e.ref_count == 0 && e.place != QueuePlace::tail) {
      return tr_format(e.place == QueuePlace::head
                           ? "Request {} gives back block {}: it joins the head of the free queue."
                           : "Request {} gives back block {}: it joins the free queue behind the block before.",
                       letter(e.request), value(e.block));
    }
    if (e.ref_count == 0) {
      return tr_format("Request {} gives back block {}: it joins the end of the free queue.", letter(e.request),
                       value(e.block));
    }
    return tr_format("Request {} lets go of block {}: its ref count is {} now.", letter(e.request), value(e.block),
                     e.ref_count);
  }
  std::string operator()(const RegionReserved& e) const {
    return tr_format("Request {} reserves {} slots from slot {} on.", letter(e.request), e.num_slots, e.first_slot);
  }
  std::string operator()(const RegionReleased& e) const {
    return tr_format("Request {} gives back its slots.", letter(e.request));
  }

  std::string operator()(const BlockCached& e) const {
    return tr_format("Block {}, logical block {} of request {}, is full: from now on it is found by its hash {}.",
                     value(e.block), e.logical, letter(e.request), short_name(e.hash));
  }
  std::string operator()(const BlockEvicted& e) const {
    return tr_format("Block {} is evicted from the prefix cache to make room for request {}: hash {} is forgotten.",
                     value(e.block), letter(e.request), short_name(e.hash));
  }
  std::string operator()(const BlockExpired& e) const {
    return tr_format("Nobody used block {} for too long: its hash {} is forgotten.", value(e.block),
                     short_name(e.hash));
  }
  std::string operator()(const PrefixMatched& e) const {
    return tr_format("Of the {} tokens of request {}, K and V of the first {} are in the cache already.", e.num_tokens,
                     letter(e.request), e.hit_tokens);
  }
  std::string operator()(const PrefixCacheReset&) const {
    return std::string(tr("The prefix cache is emptied: no block is found any more."));
  }

  std::string operator()(const RadixTreeCreated&) const {
    return std::string(tr("A radix tree is made to keep prefixes in; it is empty."));
  }
  std::string operator()(const RadixNodeInserted& e) const {
    return tr_format("Node {} of {} tokens joins the radix tree below node {}.", value(e.node), e.tokens.size(),
                     value(e.parent));
  }
  std::string operator()(const RadixNodeSplit& e) const {
    return tr_format("Node {} is cut in two: its first {} tokens are node {} now.", value(e.lower), e.tokens,
                     value(e.upper));
  }
  std::string operator()(const RadixNodeRemoved& e) const {
    return tr_format("Node {} is evicted from the radix tree.", value(e.node));
  }
  std::string operator()(const RadixPathUsed& e) const {
    return tr_format("Node {} and all above it were used.", value(e.node));
  }
  std::string operator()(const RadixPathLocked& e) const {
    return tr_format("Node {} and all above it are locked: they cannot be evicted.", value(e.node));
  }
  std::string operator()(const RadixPathUnlocked& e) const {
    return tr_format("Node {} and all above it lose a lock.", value(e.node));
  }

  std::string operator()(const SpeculationDescribed& e) const {
    return tr_format("Tokens are guessed ahead, at most {} a round: {}.", e.most, printable(e.proposer));
  }
  std::string operator()(const DraftProposed& e) const {
    if (!e.parents.empty()) {
      return tr_format("A tree of {} candidates for request {}, from position {} on: {}.", e.tokens.size(),
                       letter(e.request), e.position, quoted(e.tokens));
    }
    return tr_format("A draft for request {}: {} may come next, from position {} on.", letter(e.request),
                     quoted(e.tokens), e.position);
  }
  std::string operator()(const DraftKvComputed& e) const {
    return tr_format(
        "The draft model computes K and V of {} tokens of request {}, from position {} on, for its own cache.", e.count,
        letter(e.request), e.first);
  }
  std::string operator()(const DraftKvRolledBack& e) const {
    return tr_format("The draft model's own cache of request {} is rolled back to {} tokens.", letter(e.request),
                     e.kept_tokens);
  }
  std::string operator()(const DraftVerified& e) const {
    if (in_tree(e.request)) {
      const char* const what =
          e.accepted ? "Candidate {} at position {} of request {} is what the target says: p {:.3f}, drawn "
                       "by u {:.3f}."
                     : "Candidate {} at position {} of request {} is not what the target says, nor is any "
                       "other there: p {:.3f}, drawn by u {:.3f}.";
      return tr_format(what, quoted({e.token}), e.position, letter(e.request), e.p, e.u);
    }
    const char* const what = e.accepted
                                 ? "Draft {} at position {} of request {} is accepted: p {:.3f}, q {:.3f}, u {:.3f}."
                                 : "Draft {} at position {} of request {} is rejected: p {:.3f}, q {:.3f}, u {:.3f}.";
    return tr_format(what, quoted({e.token}), e.position, letter(e.request), e.p, drawn_with(e), e.u);
  }
  std::string operator()(const DraftPathMoved& e) const {
    std::string places;
    for (const std::uint32_t node : e.path) places += (places.empty() ? "" : ", ") + std::to_string(node);
    return tr_format("K and V of the accepted candidates of request {} move to the front, from places {} of the tree.",
                     letter(e.request), places);
  }
  std::string operator()(const TokenRecovered& e) const {
    if (in_tree(e.request)) {
      return tr_format("The target says none of the candidates there, but {}, with probability {:.3f}.",
                       quoted({e.token}), e.probability);
    }
    return tr_format("In its place comes {}, drawn with probability {:.3f} from what the target has more of.",
                     quoted({e.token}), e.probability);
  }
  std::string operator()(const BonusSampled& e) const {
    if (in_tree(e.request)) {
      return tr_format("The path ends there: {} comes on top, with probability {:.3f}.", quoted({e.token}),
                       e.probability);
    }
    return tr_format("Every draft was accepted: {} comes on top, with probability {:.3f}.", quoted({e.token}),
                     e.probability);
  }

  std::string operator()(const StepStarted& e) const { return tr_format("Step {} starts.", e.step); }
  std::string operator()(const KvComputed& e) const {
    const std::string who = letter(e.request);
    const std::uint64_t last = std::uint64_t{e.first} + e.count - 1;
    if (!e.kept) {
      return tr_format("K and V of positions {} to {} of request {} are computed and thrown away.", e.first, last, who);
    }
    if (e.phase == Phase::prefill) {
      return tr_format("Prefill: K and V of positions {} to {} of request {} are computed and kept.", e.first, last,
                       who);
    }
    if (in_tree(e.request)) {
      return tr_format(
          "Decode: K and V of the newest token of request {} and of {} candidates are computed and kept, in the "
          "places of positions {} to {}.",
          who, e.count - 1, e.first, last);
    }
    if (e.count == 1)
      return tr_format("Decode: K and V of position {} of request {} are computed and kept.", last, who);
    return tr_format("Decode: K and V of positions {} to {} of request {} are computed and kept.", e.first, last, who);
  }
  std::string operator()(const KvRead& e) const {
    return tr_format("The newest token of request {} reads K and V of {} positions.", letter(e.request), e.count);
  }
  std::string operator()(const TokenSampled& e) const {
    return tr_format("Request {} gets its next token, \"{}\", at position {}.", letter(e.request),
                     printable(world_.text_of(e.token)), e.position);
  }
  std::string operator()(const RolledBack& e) const {
    const std::uint32_t computed = world_.request(e.request).computed_tokens;
    if (computed <= e.kept_tokens) {
      return tr_format("Request {} is rolled back to {} tokens.", letter(e.request), e.kept_tokens);
    }
    return tr_format("Request {} is rolled back to {} tokens: K and V of {} positions are stale.", letter(e.request),
                     e.kept_tokens, computed - e.kept_tokens);
  }
  std::string operator()(const WorkCounted& e) const {
    return tr_format("That cost {} K/V projections, {} score products, {} bytes read and {} FLOP for request {}.",
                     e.work.kv_projections, e.work.score_products, e.work.bytes_read, e.work.flops, letter(e.request));
  }
  std::string operator()(const StepTimed& e) const {
    const double milliseconds = static_cast<double>(e.nanoseconds) / 1e6;
    if (e.simulated) return tr_format("The step takes {:.3f} ms, says the cost model.", milliseconds);
    return tr_format("The step took {:.3f} ms.", milliseconds);
  }
  std::string operator()(const TimePassed& e) const {
    return tr_format("Nothing is to be done for {:.3f} ms.", static_cast<double>(e.nanoseconds) / 1e6);
  }

  std::string operator()(const LessonStarted& e) const { return tr_format("Lesson: {}", printable(e.title)); }
  std::string operator()(const Said& e) const { return printable(e.text); }
  std::string operator()(const Asked& e) const { return printable(e.question); }

 private:
  /// Enough of a hash to tell blocks apart by eye.
  static std::string short_name(const BlockHash& hash) { return tr_format("{:08x}", hash.low & 0xFFFFFFFFU); }
  std::string quoted(const std::vector<TokenId>& tokens) const {
    std::string text;
    for (const TokenId token : tokens) text += (text.empty() ? "\"" : " \"") + printable(world_.text_of(token)) + "\"";
    return text;
  }
  /// Does the request guess a tree in this step?
  bool in_tree(RequestId request) const {
    const std::optional<DraftRound>& round = world_.request(request).round;
    return round && !round->parents.empty();
  }
  /// q of the draft that is judged, in a chain.
  double drawn_with(const DraftVerified& e) const {
    const std::optional<DraftRound>& round = world_.request(e.request).round;
    const std::size_t draft = round ? round->trials.size() : 0;
    return round && draft < round->q.size() ? round->q[draft] : 0;
  }
  std::size_t table_size(RequestId request) const { return world_.request(request).table.size(); }

  const World& world_;
};

}  // namespace

std::string describe(const Event& event, const World& before) { return std::visit(Describer(before), event); }

std::vector<std::string> describe(const Trace& trace, std::size_t first, std::size_t last) {
  if (first > last || last > trace.size()) {
    throw MisuseError("events " + std::to_string(first) + " to " + std::to_string(last) + " of a trace of " +
                      std::to_string(trace.size()));
  }
  std::vector<std::string> sentences;
  World world = trace.world_at(first);
  for (std::size_t n = first; n < last; ++n) {
    sentences.push_back(describe(trace[n], world));
    fold(world, trace[n]);
  }
  return sentences;
}

}  // namespace kvarium
