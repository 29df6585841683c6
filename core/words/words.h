#pragma once
// All words that a person reads go through tr(): the English text is the key, a catalogue may hold another language.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace kvarium {

/// English text -> text in the chosen language.
using Catalogue = std::unordered_map<std::string, std::string>;

/// Chooses the language of all later tr() calls; an empty catalogue is English. Call it before threads start.
void set_catalogue(Catalogue catalogue);

/// The text in the chosen language; the English text itself where the catalogue lacks it.
std::string_view tr(std::string_view english);

/// tr() with {} places filled in, as fmt::format does.
template <typename... Args>
std::string tr_format(std::string_view english, const Args&... args) {
  return fmt::format(fmt::runtime(tr(english)), args...);
}

}  // namespace kvarium
