#include "cpu_reference/tokenizer/pre_tokenizer.h"

#include <array>
#include <cstddef>

#include "cpu_reference/tokenizer/unicode.h"

namespace kvarium::cpu {
namespace {

/// The characters of a text; places are counted in characters.
class Characters {
 public:
  explicit Characters(std::string_view text) : text_(text) {
    for (std::size_t at = 0; at < text.size();) {
      const Character character = character_at(text, at);
      kinds_.push_back(character.kind);
      starts_.push_back(at);
      at += character.length;
    }
    starts_.push_back(text.size());
  }
  std::size_t size() const { return kinds_.size(); }
  CharacterKind kind(std::size_t at) const { return kinds_[at]; }
  std::string_view text(std::size_t begin, std::size_t end) const {
    return text_.substr(starts_[begin], starts_[end] - starts_[begin]);
  }

 private:
  std::string_view text_;
  std::vector<CharacterKind> kinds_;
  std::vector<std::size_t> starts_;  ///< bytes; one more than characters
};

/// The part of a text that a rule may look at: a word that the rule before it left.
struct Range {
  const Characters& characters;
  std::size_t begin;
  std::size_t end;

  bool is(std::size_t at, CharacterKind kind) const { return at < end && characters.kind(at) == kind; }
  bool is_white(std::size_t at) const { return is(at, CharacterKind::space) || is(at, CharacterKind::line_break); }
  bool is_text(std::size_t at, std::string_view text) const { return at < end && characters.text(at, at + 1) == text; }
  std::size_t run(std::size_t from, CharacterKind kind) const {
    while (is(from, kind)) ++from;
    return from;
  }
  std::size_t white_run(std::size_t from) const {
    while (is_white(from)) ++from;
    return from;
  }
};

// 's|'t|'re|'ve|'m|'ll|'d; `from` when there is none. Where capitals count too, so does the long s, a small letter
// that shares its capital with s.
std::size_t contraction(const Range& range, std::size_t from, bool any_case) {
  if (!range.is_text(from, "'")) return from;
  const auto matches = [&](std::size_t at, char letter) {
    if (at >= range.end) return false;
    const std::string_view text = range.characters.text(at, at + 1);
    if (any_case && letter == 's' && text == "\u017F") return true;
    const char capital = static_cast<char>(letter - 'a' + 'A');
    return text.size() == 1 && (text[0] == letter || (any_case && text[0] == capital));
  };
  for (const std::string_view letters : {"s", "t", "re", "ve", "m", "ll", "d"}) {
    bool all = true;
    for (std::size_t i = 0; i < letters.size(); ++i) all = all && matches(from + 1 + i, letters[i]);
    if (all) return from + 1 + letters.size();
  }
  return from;
}

// \s+(?!\S)|\s+: the last white character stays with the word behind it.
std::size_t white_space(const Range& range, std::size_t from) {
  const std::size_t end = range.white_run(from);
  return end == range.end || end == from + 1 ? end : end - 1;
}

// '(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t gpt2_word(const Range& range, std::size_t from) {
  const std::size_t behind = contraction(range, from, false);
  if (behind > from) return behind;
  const std::size_t start = range.is_text(from, " ") ? from + 1 : from;
  for (const CharacterKind kind : {CharacterKind::letter, CharacterKind::number, CharacterKind::other}) {
    if (range.is(start, kind)) return range.run(start, kind);
  }
  return white_space(range, from);
}

// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,most_numbers}
// | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
std::size_t llama3_word(const Range& range, std::size_t from, std::size_t most_numbers) {
  const std::size_t behind = contraction(range, from, true);
  if (behind > from) return behind;
  const bool may_lead = range.is(from, CharacterKind::space) || range.is(from, CharacterKind::other);
  const std::size_t letters = may_lead ? from + 1 : from;
  if (range.is(letters, CharacterKind::letter)) return range.run(letters, CharacterKind::letter);
  if (range.is(from, CharacterKind::number)) {
    std::size_t end = from + 1;
    while (end < from + most_numbers && range.is(end, CharacterKind::number)) ++end;
    return end;
  }
  const std::size_t start = range.is_text(from, " ") ? from + 1 : from;
  if (range.is(start, CharacterKind::other)) {
    return range.run(range.run(start, CharacterKind::other), CharacterKind::line_break);
  }
  for (std::size_t end = range.white_run(from); end > from; --end) {
    if (range.is(end - 1, CharacterKind::line_break)) return end;
  }
  return white_space(range, from);
}

std::size_t digits_word(const Range& range, std::size_t from) {
  if (range.is(from, CharacterKind::number)) return from + 1;
  while (from < range.end && !range.is(from, CharacterKind::number)) ++from;
  return from;
}

/// Where the word that starts at `from` ends: always behind `from`, at most at range.end.
std::size_t word_end(SplitRule rule, const Range& range, std::size_t from) {
  switch (rule) {
    case SplitRule::gpt2:
      return gpt2_word(range, from);
    case SplitRule::llama3:
      return llama3_word(range, from, 3);
    case SplitRule::qwen2:
      return llama3_word(range, from, 1);
    case SplitRule::digits:
      return digits_word(range, from);
  }
  return range.end;
}

}  // namespace

std::vector<std::string_view> pre_tokenize(std::string_view text, const std::vector<SplitRule>& rules) {
  if (text.empty()) return {};
  const Characters characters(text);
  std::vector<std::size_t> ends{characters.size()};
  for (const SplitRule rule : rules) {
    std::vector<std::size_t> finer;
    std::size_t at = 0;
    for (const std::size_t end : ends) {
      const Range range{characters, at, end};
      for (; at < end; finer.push_back(at)) at = word_end(rule, range, at);
    }
    ends = finer;
  }
  std::vector<std::string_view> words;
  words.reserve(ends.size());
  for (std::size_t i = 0; i < ends.size(); ++i) words.push_back(characters.text(i == 0 ? 0 : ends[i - 1], ends[i]));
  return words;
}

}  // namespace kvarium::cpu
