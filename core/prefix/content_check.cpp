#include "core/prefix/content_check.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace kvarium {

bool ContentCheck::Key::operator<(const Key& other) const {
  return std::tie(before, media, tokens) < std::tie(other.before, other.media, other.tokens);
}

std::optional<ContentId> ContentCheck::root(const std::string& scope) const {
  const auto found = contents_.find(Key{ContentId{}, scope, {}});
  if (found == contents_.end()) return std::nullopt;
  return found->second.id;
}

bool ContentCheck::matches(BlockId block, ContentId before, std::span<const TokenId> tokens,
                           std::string_view media) const {
  const Key& kept = of_block_[index(block)].value()->first;
  return kept.before == before && kept.media == media &&
         std::equal(tokens.begin(), tokens.end(), kept.tokens.begin(), kept.tokens.end());
}

void ContentCheck::remember_first(BlockId block, const std::string& scope, std::span<const TokenId> tokens,
                                  std::string media) {
  const Contents::iterator root = use(Key{ContentId{}, scope, {}}, std::nullopt);
  of_block_[index(block)] = use(Key{root->second.id, std::move(media), {tokens.begin(), tokens.end()}}, root);
  let_go(root);  // by now the block's content follows it
}

void ContentCheck::remember(BlockId block, BlockId before, std::span<const TokenId> tokens, std::string media) {
  const Contents::iterator parent = of_block_[index(before)].value();
  of_block_[index(block)] = use(Key{parent->second.id, std::move(media), {tokens.begin(), tokens.end()}}, parent);
}

void ContentCheck::forget(BlockId block) {
  let_go(of_block_[index(block)].value());
  of_block_[index(block)].reset();
}

void ContentCheck::clear() {
  std::fill(of_block_.begin(), of_block_.end(), std::nullopt);
  contents_.clear();
}

/// One more user of the content, which is new when nobody used it; then it is one more user of what stands before.
ContentCheck::Contents::iterator ContentCheck::use(Key key, std::optional<Contents::iterator> before) {
  const auto [content, is_new] = contents_.try_emplace(std::move(key));
  ++content->second.users;
  if (!is_new) return content;
  content->second.id = ContentId{++last_};
  content->second.before = before;
  if (before) ++(*before)->second.users;
  return content;
}

/// One user less. Without any the content goes, and lets go of what stands before it; not recursive, for chains are
/// long.
void ContentCheck::let_go(Contents::iterator content) {
  while (--content->second.users == 0) {
    const std::optional<Contents::iterator> before = content->second.before;
    contents_.erase(content);
    if (!before) return;
    content = *before;
  }
}

}  // namespace kvarium
