#pragma once
// What a tokenizer.json does to text before and after its pieces are merged.

#include <optional>
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

/// The token that "post_processor" puts before every text; nothing: none. InputError when it adds anything else.
std::optional<TokenId> begin_of(const JsonPlace& post_processor, std::size_t vocab);

}  // namespace kvarium::cpu
