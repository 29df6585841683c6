#include "core/words/words.h"

namespace kvarium {
namespace {

Catalogue& current() {
  static Catalogue catalogue;
  return catalogue;
}

}  // namespace

void set_catalogue(Catalogue catalogue) { current() = std::move(catalogue); }

std::string_view tr(std::string_view english) {
  const auto found = current().find(std::string(english));
  return found == current().end() ? english : std::string_view(found->second);
}

}  // namespace kvarium
