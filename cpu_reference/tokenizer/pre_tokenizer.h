#pragma once
// Text is cut into words before its bytes are merged: no token reaches over a cut.

#include <string_view>
#include <vector>

namespace kvarium::cpu {

/// Each rule is a regular expression in the files. In words, of these the first that matches, as far as it goes:
enum class SplitRule {
  /// 's 't 're 've 'm 'll 'd | letters | numbers | neither, nor white space (each of the three with a space before it)
  /// | white space, but its last character where something follows | white space.
  gpt2,
  /// The same contractions in capitals too | letters with one character before them that is no line break, letter or
  /// number | one to three numbers | neither letters nor numbers nor white space, with a space before them and the
  /// line breaks behind them | white space up to its last line break | white space as with gpt2.
  llama3,
  qwen2,   ///< as llama3, but each number alone
  digits,  ///< each number alone, all else together; SmolLM cuts by this first and by gpt2 then
};

/// The words of the text, in order; together they are the text. Each rule cuts what the rule before it left whole.
/// A byte that is no valid UTF-8 counts as neither letter nor number nor white space.
std::vector<std::string_view> pre_tokenize(std::string_view text, const std::vector<SplitRule>& rules);

}  // namespace kvarium::cpu
