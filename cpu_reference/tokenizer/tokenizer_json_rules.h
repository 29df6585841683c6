#pragma once
// What a tokenizer.json does to text before and after its pieces are merged.

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "cpu_reference/tokenizer/json_place.h"
#include "cpu_reference/tokenizer/pre_tokenizer.h"
#include "cpu_reference/tokenizer/spm_tokenizer.h"

namespace kvarium::cpu {

/// Of a byte-level tokenizer.
struct ByteLevelSteps {
  std::vector<SplitRule> splits;
  bool composes = false;
  bool space_before = false;
};

/// Which of the two kinds of tokenizer the file describes, by its parts "normalizer" and "pre_tokenizer". InputError
/// naming the first part that is not supported.
std::variant<ByteLevelSteps, SpmRules> steps_of(const JsonPlace& file);

/// Whether an added token with this text is another one, or found in other places, once the "normalizer" has changed
/// it and the text around it.
bool normalizer_touches(const JsonPlace& normalizer, std::string_view text);

/// The token that "post_processor" puts before every text; nothing: none. InputError when it adds anything else.
std::optional<TokenId> begin_of(const JsonPlace& post_processor, std::size_t vocab);

}  // namespace kvarium::cpu
