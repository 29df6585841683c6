#include "core/explain/miss_explainer.h"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "core/explain/prefix_history.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

/// The events of one admission: RequestAdmitted, and what it found.
struct Admission {
  std::size_t event = 0;  ///< of RequestAdmitted
  std::size_t end = 0;    ///< just after the look-up, before anything is computed
  bool looked_up = false, swapped = false;
  std::uint32_t hit_tokens = 0;
};

std::optional<Admission> last_admission(const Trace& trace, RequestId request, std::size_t end) {
  std::optional<Admission> found;
  for (std::size_t i = 0; i < std::min(end, trace.size()); ++i) {
    if (const auto* admitted = std::get_if<RequestAdmitted>(&trace[i]); admitted && admitted->request == request) {
      found = Admission{i, i + 1};
    }
  }
  if (!found) return found;
  for (std::size_t i = found->event + 1; i < trace.size(); ++i) {
    if (std::holds_alternative<KvComputed>(trace[i]) || std::holds_alternative<StepTimed>(trace[i])) break;
    if (const auto* back = std::get_if<KvSwappedIn>(&trace[i]); back && back->request == request) found->swapped = true;
    const auto* matched = std::get_if<PrefixMatched>(&trace[i]);
    if (matched == nullptr || matched->request != request) continue;
    found->end = i + 1;
    found->looked_up = true;
    found->hit_tokens = matched->hit_tokens;
    break;
  }
  return found;
}

/// Finds the reason of each block; the history stands just after the look-up.
class Explainer {
 public:
  Explainer(const Trace& trace, const Admission& admission, RequestId request, std::span<const TokenId> tokens,
            const PrefixHistory& history)
      : trace_(trace), admission_(admission), request_(request), tokens_(tokens), history_(history) {}

  BlockReason reason(std::size_t i) const {
    BlockReason why;
    const std::uint32_t block_size = history_.world().block_size;
    why.first = static_cast<std::uint32_t>(i) * block_size;
    why.count = std::min(block_size, static_cast<std::uint32_t>(tokens_.size()) - why.first);
    if (admission_.swapped) return with(why, BlockFate::swapped);
    if (!admission_.looked_up) return with(why, BlockFate::no_cache);
    if (why.count < block_size) return with(why, BlockFate::partial);
    if (why.first < admission_.hit_tokens) return hit(why, i);
    if (why.first + why.count == tokens_.size()) return with(why, BlockFate::last_token);
    return miss(why, i);
  }

 private:
  static BlockReason with(BlockReason why, BlockFate fate, std::optional<RequestId> by = {}, std::uint64_t step = 0) {
    why.fate = fate;
    why.by = by;
    why.step = step;
    return why;
  }

  BlockReason hit(BlockReason why, std::size_t i) const {
    const World& world = history_.world();
    const BlockId block = world.request(request_).table[i];
    const BlockState& state = world.blocks[index(block)];
    why.block = block;
    return with(why, history_.holds(i, block) ? BlockFate::hit : BlockFate::wrong_hit, state.writer,
                state.written_step);
  }

  BlockReason miss(BlockReason why, std::size_t i) const {
    if ((why.block = history_.findable(i))) return with(why, BlockFate::behind_a_miss);
    if (const auto loss = history_.loss(i)) return lost_from_cache(why, *loss);
    if (const auto block = history_.findable_elsewhere(i)) {
      return with(why, BlockFate::other_scope, history_.world().blocks[index(*block)].writer);
    }
    const std::uint32_t end = why.first + why.count;
    if (const auto other = computes_now(end)) return with(why, BlockFate::same_step, other);
    return never_kept(why, end);
  }

  static BlockReason lost_from_cache(BlockReason why, const PrefixLoss& loss) {
    switch (loss.kind) {
      case PrefixLoss::Kind::evicted:
        return with(why, BlockFate::evicted, loss.by, loss.step);
      case PrefixLoss::Kind::expired:
        return with(why, BlockFate::expired, {}, loss.step);
      case PrefixLoss::Kind::emptied:
        break;
    }
    return with(why, BlockFate::emptied, {}, loss.step);
  }

  /// Another request whose chunk of this step reaches over the block.
  std::optional<RequestId> computes_now(std::uint32_t end) const {
    for (std::size_t i = admission_.end; i < trace_.size(); ++i) {
      if (std::holds_alternative<StepTimed>(trace_[i]) || std::holds_alternative<StepStarted>(trace_[i])) break;
      const auto* computed = std::get_if<KvComputed>(&trace_[i]);
      if (computed == nullptr || computed->request == request_) continue;
      const bool reaches = computed->first < end && computed->first + computed->count >= end;
      if (reaches && history_.shares(computed->request, end)) return computed->request;
    }
    return std::nullopt;
  }

  /// Somebody may have computed it without it ever having been found; perhaps this request itself, before a preemption.
  BlockReason never_kept(BlockReason why, std::uint32_t end) const {
    for (const auto& other : history_.world().requests) {
      if (history_.computed(other->id) < end || !history_.shares(other->id, end)) continue;
      if (other->id != request_ && other->status == RequestStatus::running) {
        return with(why, BlockFate::not_kept_yet, other->id);
      }
      return with(why, BlockFate::lost, other->id);
    }
    return parts_within(why);
  }

  /// The request that computed most of this block's beginning.
  BlockReason parts_within(BlockReason why) const {
    for (const auto& other : history_.world().requests) {
      if (other->id == request_) continue;
      const std::uint32_t common = std::min(history_.common_beginning(other->id), history_.computed(other->id));
      if (common <= why.first + why.equal || !history_.shares(other->id, common)) continue;
      why = with(why, BlockFate::parts_within, other->id);
      why.equal = common - why.first;
    }
    return why.equal > 0 ? why : with(why, BlockFate::never_computed);
  }

  const Trace& trace_;
  const Admission& admission_;
  RequestId request_;
  std::span<const TokenId> tokens_;
  const PrefixHistory& history_;
};

}  // namespace

std::optional<MissExplanation> explain_misses(const Trace& trace, RequestId request, std::size_t end) {
  const RequestState& newest = trace.newest().request(request);
  const std::optional<Admission> admission = last_admission(trace, request, end);
  if (!admission) return std::nullopt;
  const World then = trace.world_at(admission->event);
  const std::uint32_t block_size = then.block_size;  // of the trace: a pool made later has the same, or none is there
  if (block_size == 0) return std::nullopt;
  const RequestState& admitted = then.request(request);
  const std::span<const TokenId> tokens = std::span(newest.tokens).first(admitted.tokens.size());

  PrefixHistory history(trace, tokens, newest.scope, block_size);
  history.follow(admission->end);
  MissExplanation explanation;
  explanation.request = request;
  explanation.step = then.step;
  explanation.resumed = admitted.preemptions;
  explanation.hit_tokens = admission->hit_tokens;
  const Explainer explainer(trace, *admission, request, tokens, history);
  for (std::size_t i = 0; i * block_size < tokens.size(); ++i) explanation.blocks.push_back(explainer.reason(i));
  return explanation;
}

std::string sentence(const BlockReason& reason, RequestId request) {
  const std::string by = reason.by ? letter(*reason.by) : std::string("?");
  switch (reason.fate) {
    case BlockFate::hit:
      return tr_format("Found in block {}: request {} computed it in step {}.", value(*reason.block), by, reason.step);
    case BlockFate::wrong_hit:
      return tr_format(
          "Found in block {}, which has the same hash but holds other tokens, those of request {}: a hash "
          "collision.",
          value(*reason.block), by);
    case BlockFate::no_cache:
      return std::string(tr("This engine has no prefix cache."));
    case BlockFate::swapped:
      return std::string(tr("It came back from the memory of the host: nothing was looked up."));
    case BlockFate::partial:
      return std::string(tr("Below the block floor: only full blocks are kept."));
    case BlockFate::last_token:
      return std::string(tr("At least one token must be computed to get logits, and a hit ends at a block's end."));
    case BlockFate::behind_a_miss:
      return tr_format("It is cached in block {}, but something before it is not: a hit has no gaps.",
                       value(*reason.block));
    case BlockFate::evicted:
      if (!reason.by) return tr_format("It was evicted in step {}.", reason.step);
      return tr_format("It was evicted in step {} to make room for request {}.", reason.step, by);
    case BlockFate::expired:
      return tr_format("It expired after step {}: nobody used it for as long as cached blocks live.", reason.step);
    case BlockFate::emptied:
      return tr_format("The whole cache was emptied after step {}.", reason.step);
    case BlockFate::other_scope:
      return tr_format("The same tokens are cached, but for another salt or adapter: request {} computed them.", by);
    case BlockFate::same_step:
      return tr_format("Request {} computes it in the same step: it can be found from the next one on.", by);
    case BlockFate::not_kept_yet:
      return tr_format("Request {} has computed it and still runs: an answer is kept when its request ends.", by);
    case BlockFate::lost:
      if (reason.by == request) return std::string(tr("It computed this itself, and lost it when it was preempted."));
      return tr_format("Request {} computed it, but was preempted or aborted before it was kept.", by);
    case BlockFate::parts_within:
      return tr_format(
          "Request {} computed the first {} of these tokens; then the texts part, and a block is found whole or not at "
          "all.",
          by, reason.equal);
    case BlockFate::never_computed:
      return std::string(tr("Nobody had computed it yet."));
  }
  return {};
}

}  // namespace kvarium
