#pragma once
// What two requests must share besides their tokens before one may use the K and V of the other.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kvarium {

/// Weights that are added to the model's (LoRA): other weights, other K and V. The name alone is not enough: a name may
/// be given to new weights while blocks of the old are still cached.
struct Adapter {
  std::string name;
  std::uint64_t content_id = 0;  ///< another number for other weights, and for another scale of the same
  bool operator==(const Adapter&) const = default;
};

/// An image or a sound in the prompt: positions [first, first + count) hold placeholders, the same for every image.
struct MediaItem {
  std::string content_id;  ///< a name of its content, all of it
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool operator==(const MediaItem&) const = default;
};

struct ExtraKeys {
  /// Chosen by whoever serves several tenants; only requests with the same salt share. "" is a salt as well.
  std::optional<std::string> tenant_salt;
  std::optional<Adapter> adapter;
  std::vector<MediaItem> media;
  bool operator==(const ExtraKeys&) const = default;
};

/// The salt and the adapter as text, "salt=2:s1,adapter=3:sql#7,"; empty when there is neither. Different keys give
/// different texts: each part says what it is and how long it is, so that salt "x" is not adapter "x", and "ab" with
/// "c" is not "a" with "bc".
std::string tagged_scope(const ExtraKeys& keys);
/// The media in positions [first, first + count), where each begins relative to `first`; empty when there is none.
std::string tagged_media(const ExtraKeys& keys, std::uint32_t first, std::uint32_t count);
/// Everything, media with their positions: the namespace of a radix tree.
std::string tagged(const ExtraKeys& keys);
/// Of such a text, what matters for positions [0, end): media that begin later are left out. A text that tagged() did
/// not write comes back as it is.
std::string tagged_until(const std::string& scope, std::uint32_t end);

}  // namespace kvarium
