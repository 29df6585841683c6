#include "cpu_reference/tokenizer/tokenizer_json_rules.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"
#include "cpu_reference/tokenizer/unicode.h"

namespace kvarium::cpu {
namespace {

constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr std::array<std::pair<std::string_view, SplitRule>, 4> kPatterns = {{{kGpt2Pattern, SplitRule::gpt2},
                                                                              {kLlama3Pattern, SplitRule::llama3},
                                                                              {kQwen2Pattern, SplitRule::qwen2},
                                                                              {R"(\p{N})", SplitRule::digits}}};

/// All steps of a file, before it is known whether they go together.
struct Steps {
  ByteLevelSteps bytes;
  bool is_byte_level = false;
  bool marks_spaces = false;  ///< spaces become U+2581
  SpmRules spm;
};

/// A step, or the steps of a Sequence in order; `list` names their array.
template <class Read>
void for_each_step(const JsonPlace& step, std::string_view list, const Read& read) {
  if (step.is_null()) return;
  if (step.at("type").text() != "Sequence") return read(step);
  const JsonPlace steps = step.at(list);
  for (std::size_t i = 0; i < steps.size(); ++i) for_each_step(steps.at(i), list, read);
}

void read_normalizer(const JsonPlace& step, Steps& steps) {
  const std::string& type = step.at("type").text();
  if (type == "NFC") {
    steps.bytes.composes = true;
  } else if (type == "Prepend" && step.at("prepend").text() == kSpaceMark) {
    steps.spm.prefix = SpacePrefix::every_part;
    steps.spm.prefix_before_space = true;
  } else if (type == "Replace" && step.at("pattern").at("String").text() == " " &&
             step.at("content").text() == kSpaceMark) {
    steps.marks_spaces = true;
  } else {
    step.fail(
        tr_format("{} is not supported; NFC, and the Prepend and Replace of LLaMA's tokenizers, are", shown(type)));
  }
}

SplitRule split_rule(const JsonPlace& step) {
  const std::string& behavior = step.at("behavior").text();
  const bool inverted = step.at("invert").boolean_or(false);
  const bool keeps_matches = inverted ? behavior == "Removed" : behavior == "Isolated";
  if (!keeps_matches) step.fail(tr_format("the behavior {} is not supported; Isolated is", shown(behavior)));
  const std::string& pattern = step.at("pattern").at("Regex").text();
  for (const auto& [known, rule] : kPatterns) {
    if (pattern == known) return rule;
  }
  step.fail(tr_format("the pattern {} is not known; those of GPT-2, Llama 3 and Qwen2 are", shown(pattern)));
}

SpacePrefix metaspace_prefix(const JsonPlace& step) {
  const JsonPlace scheme = step.at("prepend_scheme");
  if (scheme.is_null()) {  // as files were written before the scheme had a name
    return step.at("add_prefix_space").boolean_or(true) ? SpacePrefix::every_part : SpacePrefix::nowhere;
  }
  if (scheme.text() == "always") return SpacePrefix::every_part;
  if (scheme.text() == "first") return SpacePrefix::start;
  if (scheme.text() == "never") return SpacePrefix::nowhere;
  scheme.fail(tr_format("{} is none of always, first, never", shown(scheme.text())));
}

void read_pre_tokenizer(const JsonPlace& step, Steps& steps) {
  const std::string& type = step.at("type").text();
  if (steps.is_byte_level) step.fail(tr("nothing is supported behind ByteLevel"));
  if (type == "ByteLevel") {
    steps.is_byte_level = true;
    steps.bytes.space_before = step.at("add_prefix_space").boolean_or(true);
    if (steps.bytes.space_before && !steps.bytes.splits.empty()) {
      step.fail(tr("add_prefix_space behind another step is not supported"));
    }
    if (step.at("use_regex").boolean_or(true)) steps.bytes.splits.push_back(SplitRule::gpt2);
  } else if (type == "Split") {
    steps.bytes.splits.push_back(split_rule(step));
  } else if (type == "Digits" && step.at("individual_digits").boolean_or(false)) {
    steps.bytes.splits.push_back(SplitRule::digits);
  } else if (type == "Metaspace" && step.at("replacement").text() == kSpaceMark) {
    if (steps.marks_spaces) step.fail(tr("Metaspace behind a normalizer that replaces spaces is not supported"));
    steps.marks_spaces = true;
    steps.spm.prefix = metaspace_prefix(step);
    steps.spm.prefix_before_space = false;
    steps.spm.within_words = step.at("split").boolean_or(true);
  } else {
    step.fail(
        tr_format("{} is not supported; ByteLevel, Split, Digits of single digits and Metaspace are", shown(type)));
  }
}

}  // namespace

std::variant<ByteLevelSteps, SpmRules> steps_of(const JsonPlace& file) {
  Steps steps;
  steps.spm.prefix = SpacePrefix::nowhere;
  const JsonPlace normalizer = file.at("normalizer");
  const JsonPlace pre_tokenizer = file.at("pre_tokenizer");
  for_each_step(normalizer, "normalizers", [&](const JsonPlace& step) { read_normalizer(step, steps); });
  for_each_step(pre_tokenizer, "pretokenizers", [&](const JsonPlace& step) { read_pre_tokenizer(step, steps); });
  if (steps.is_byte_level && steps.marks_spaces) {
    pre_tokenizer.fail(tr("ByteLevel with spaces that were replaced before is not supported"));
  }
  if (steps.is_byte_level) return steps.bytes;
  if (!steps.marks_spaces) {
    pre_tokenizer.fail(
        tr("neither bytes (ByteLevel) nor spaces (Metaspace, Replace) are written as symbols: such a "
           "tokenizer is not supported"));
  }
  if (steps.bytes.composes || !steps.bytes.splits.empty()) {
    pre_tokenizer.fail(tr("Metaspace or Replace together with NFC, Split or Digits is not supported"));
  }
  return steps.spm;
}

bool normalizer_touches(const JsonPlace& normalizer, std::string_view text) {
  bool touches = false;
  for_each_step(normalizer, "normalizers", [&](const JsonPlace& step) {
    const std::string& type = step.at("type").text();
    if (type == "NFC") {
      touches |= compose(text) != text;
    } else if (type == "Replace") {
      touches |= text.find(' ') != std::string_view::npos || text.find(kSpaceMark) != std::string_view::npos;
    } else {
      touches = true;
    }
  });
  return touches;
}

std::optional<TokenId> begin_of(const JsonPlace& post_processor, std::size_t vocab) {
  std::optional<TokenId> begin;
  for_each_step(post_processor, "processors", [&](const JsonPlace& step) {
    const std::string& type = step.at("type").text();
    if (type == "ByteLevel") return;  // it trims the places of tokens, not the tokens
    if (type != "TemplateProcessing") {
      step.fail(tr_format("{} is not supported; ByteLevel and TemplateProcessing are", shown(type)));
    }
    const JsonPlace parts = step.at("single");
    const std::size_t count = parts.size();
    const bool is_text_last = count > 0 && !parts.at(count - 1).at("Sequence").is_null();
    if (!is_text_last || count > 2) parts.fail(tr("only one token before the text is supported, and none behind it"));
    if (count == 1) return;
    const std::string& name = parts.at(std::size_t{0}).at("SpecialToken").at("id").text();
    const JsonPlace ids = step.at("special_tokens").at(name).at("ids");
    if (ids.size() != 1 || begin) ids.fail(tr("one token is expected"));
    begin = TokenId{ids.at(std::size_t{0}).whole(static_cast<std::int32_t>(vocab) - 1)};
  });
  return begin;
}

}  // namespace kvarium::cpu
