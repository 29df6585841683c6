#include "core/prefix/extra_keys.h"

#include <charconv>
#include <string_view>

namespace kvarium {
namespace {

std::string part(std::string_view kind, const std::string& text) {
  return std::string(kind) + "=" + std::to_string(text.size()) + ":" + text;
}

std::string media_part(const MediaItem& item, std::int64_t starts_at) {
  return part("media", item.content_id) + "@" + std::to_string(starts_at) + "+" + std::to_string(item.count) + ",";
}

/// Reads digits from `at` on and goes behind them; nothing when there are none or too many.
std::optional<std::uint32_t> number_at(std::string_view text, std::size_t& at) {
  if (at > text.size()) return std::nullopt;
  std::uint32_t number = 0;
  const char* const begin = text.data() + at;
  const auto [end, problem] = std::from_chars(begin, text.data() + text.size(), number);
  if (problem != std::errc()) return std::nullopt;
  at += static_cast<std::size_t>(end - begin);
  return number;
}

/// The end of the part of a tagged text that begins at `from`, and where its medium starts; no part: nothing.
struct TaggedPart {
  std::size_t end = 0;
  std::optional<std::uint32_t> media_first;
};
std::optional<TaggedPart> part_at(std::string_view text, std::size_t from) {
  const std::size_t equals = text.find('=', from);
  if (equals == std::string_view::npos) return std::nullopt;
  std::size_t at = equals + 1;
  const auto length = number_at(text, at);
  if (!length || at >= text.size() || *length >= text.size() - at) return std::nullopt;
  at += 1 + *length;
  TaggedPart found;
  if (text.substr(from, equals - from) == "media") {
    found.media_first = number_at(text, ++at);
    if (!found.media_first) return std::nullopt;
  }
  const std::size_t comma = text.find(',', at);
  if (comma == std::string_view::npos) return std::nullopt;
  found.end = comma + 1;
  return found;
}

}  // namespace

std::string tagged_scope(const ExtraKeys& keys) {
  std::string text;
  if (keys.tenant_salt) text += part("salt", *keys.tenant_salt) + ",";
  if (keys.adapter) text += part("adapter", keys.adapter->name) + "#" + std::to_string(keys.adapter->content_id) + ",";
  return text;
}

std::string tagged_media(const ExtraKeys& keys, std::uint32_t first, std::uint32_t count) {
  std::string text;
  const std::int64_t start = first;
  for (const MediaItem& item : keys.media) {
    const std::int64_t item_first = item.first;
    const bool overlaps = item_first < start + count && start < item_first + item.count;
    if (overlaps) text += media_part(item, item_first - start);
  }
  return text;
}

std::string tagged(const ExtraKeys& keys) {
  std::string text = tagged_scope(keys);
  for (const MediaItem& item : keys.media) text += media_part(item, item.first);
  return text;
}

std::string tagged_until(const std::string& scope, std::uint32_t end) {
  std::string text;
  for (std::size_t from = 0; from < scope.size();) {
    const auto part = part_at(scope, from);
    if (!part) return scope;
    if (part->media_first.value_or(0) < end) text += scope.substr(from, part->end - from);
    from = part->end;
  }
  return text;
}

}  // namespace kvarium
