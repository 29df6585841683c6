#include "core/prefix/extra_keys.h"

#include <string_view>

namespace kvarium {
namespace {

std::string part(std::string_view kind, const std::string& text) {
  return std::string(kind) + "=" + std::to_string(text.size()) + ":" + text;
}

std::string media_part(const MediaItem& item, std::int64_t starts_at) {
  return part("media", item.content_id) + "@" + std::to_string(starts_at) + "+" + std::to_string(item.count) + ",";
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

}  // namespace kvarium
