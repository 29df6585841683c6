#include "core/speculation/ngram.h"

#include <algorithm>
#include <cstddef>

#include "core/error.h"

namespace kvarium {
namespace {

/// The end of an occurrence of the last n tokens that is followed by something; 0: there is none.
std::size_t end_of_match(std::span<const TokenId> tokens, std::size_t n, NgramMatch which) {
  const auto suffix = tokens.last(n);
  const auto found = which == NgramMatch::earliest
                         ? std::search(tokens.begin(), tokens.end() - 1, suffix.begin(), suffix.end())
                         : std::find_end(tokens.begin(), tokens.end() - 1, suffix.begin(), suffix.end());
  return found == tokens.end() - 1 ? 0 : static_cast<std::size_t>(found - tokens.begin()) + n;
}

}  // namespace

std::vector<TokenId> ngram_draft(std::span<const TokenId> tokens, const NgramOptions& options, std::uint32_t most) {
  if (tokens.empty()) return {};
  for (std::size_t n = std::min<std::size_t>(options.longest, tokens.size() - 1); n >= options.shortest && n > 0; --n) {
    const std::size_t end = end_of_match(tokens, n, options.match);
    if (end == 0) continue;
    const auto followed = tokens.subspan(end, std::min<std::size_t>(most, tokens.size() - end));
    return {followed.begin(), followed.end()};
  }
  return {};
}

NgramProposer::NgramProposer(const NgramOptions& options) : options_(options) {
  if (options.shortest == 0) throw InputError("an n-gram of 0 tokens matches everywhere: ask for at least 1");
  if (options.longest < options.shortest) throw InputError("the longest n-gram is shorter than the shortest");
}

std::vector<Draft> NgramProposer::propose(std::span<const DraftRequest> requests) {
  std::vector<Draft> drafts;
  for (const DraftRequest& request : requests) drafts.push_back({ngram_draft(request.tokens, options_, request.most)});
  return drafts;
}

}  // namespace kvarium
