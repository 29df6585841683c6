#pragma once
// Names as people type them: "Llama-2 70B" means llama-2-70b.

#include <string>
#include <string_view>

namespace kvarium {

/// The ASCII letters and digits of a name, in lower case.
inline std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') plain += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) plain += c;
  }
  return plain;
}

}  // namespace kvarium
