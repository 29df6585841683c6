#include "core/speculation/draft_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace kvarium {

DraftModel::DraftModel(ModelRunner& runner, std::uint32_t num_blocks, std::uint32_t block_size)
    : runner_(runner), pool_(block_size, ascending_order(num_blocks), silent_) {
  runner_.create_cache(num_blocks, block_size);
}

void DraftModel::expect_fits(const ModelShape& target) const {
  if (runner_.shape().vocab == target.vocab) return;
  throw InputError(fmt::format("the draft model knows {} tokens, the target {}: both must read the same ones",
                               runner_.shape().vocab, target.vocab));
}

/// Takes back what is not the beginning of `tokens`, and leaves at least the last of them to be read.
void DraftModel::keep_common(Reader& reader, std::span<const TokenId> tokens) {
  const std::size_t most = std::min(reader.read.size(), tokens.size() - 1);
  std::size_t same = 0;
  while (same < most && reader.read[same] == tokens[same]) ++same;
  reader.table.rollback_to(static_cast<std::uint32_t>(same));
  reader.read.resize(same);
}

/// Gives the reader slots for all that it is to read in this round.
DraftModel::Drafting DraftModel::begin(const DraftRequest& request, Draft& draft) {
  Reader& reader = readers_.try_emplace(request.id, Reader{BlockTable(pool_, request.id), {}}).first->second;
  keep_common(reader, request.tokens);
  const std::uint64_t context = runner_.shape().context, tokens = request.tokens.size();
  const std::uint64_t room = context + 1 - std::min(context + 1, tokens);  // the last draft is not read
  auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(request.most, room));
  const auto unread = static_cast<std::uint32_t>(tokens - reader.read.size());
  while (most > 0 && !reader.table.append(unread + most - 1)) --most;
  return {&request, &reader, &draft, most};
}

/// One pass over all that still draft: what they have not read yet, then one draft each.
void DraftModel::read_once(std::vector<Drafting>& all) {
  std::vector<ScheduledSequence> batch;
  for (const Drafting& one : all) {
    const auto first = static_cast<std::uint32_t>(one.reader->read.size());
    const bool begins = one.draft->tokens.empty();
    const auto unread =
        begins ? one.request->tokens.subspan(first) : std::span<const TokenId>(one.draft->tokens).last(1);
    batch.push_back({one.request->id, unread, first, one.reader->table.blocks()});
  }
  const ForwardResult result = runner_.forward(batch);
  const std::size_t vocab = runner_.shape().vocab;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Draft& draft = *all[i].draft;
    Sampler& sampler = *all[i].request->sampler;
    const auto logits = std::span<const float>(result.logits).subspan(i * vocab, vocab);
    all[i].reader->read.insert(all[i].reader->read.end(), batch[i].tokens.begin(), batch[i].tokens.end());
    if (sampler.params().temperature == 0.0F) {
      draft.tokens.push_back(argmax(logits));
    } else {
      draft.probabilities.push_back(distribution(logits, sampler.params()));
      draft.tokens.push_back(draw(draft.probabilities.back(), sampler.uniform()));
    }
    draft.work += result.work[i];
  }
}

std::vector<Draft> DraftModel::propose(std::span<const DraftRequest> requests) {
  std::vector<Draft> drafts(requests.size());
  std::vector<Drafting> drafting;
  for (std::size_t i = 0; i < requests.size(); ++i) drafting.push_back(begin(requests[i], drafts[i]));
  while (true) {
    drafting.erase(std::remove_if(drafting.begin(), drafting.end(),
                                  [](const Drafting& one) { return one.draft->tokens.size() >= one.most; }),
                   drafting.end());
    if (drafting.empty()) return drafts;
    read_once(drafting);
  }
}

void DraftModel::settle(RequestId id, std::span<const TokenId> tokens, std::span<const float>) {
  const auto found = readers_.find(id);
  if (found != readers_.end()) keep_common(found->second, tokens);
}

void DraftModel::forget(RequestId id) {
  const auto found = readers_.find(id);
  if (found == readers_.end()) return;
  found->second.table.release();
  readers_.erase(found);
}

std::uint32_t DraftModel::cached_tokens(RequestId id) const {
  const auto found = readers_.find(id);
  return found == readers_.end() ? 0 : static_cast<std::uint32_t>(found->second.read.size());
}

}  // namespace kvarium
