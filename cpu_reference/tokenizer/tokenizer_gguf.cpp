#include "cpu_reference/tokenizer/tokenizer_gguf.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"
#include "cpu_reference/tokenizer/byte_level_bpe.h"
#include "cpu_reference/tokenizer/spm_tokenizer.h"

namespace kvarium::cpu {
namespace {

constexpr std::string_view kTokens = "tokenizer.ggml.tokens";

/// A named split rule of a byte-level vocabulary, and what goes with it.
struct PreRule {
  std::string_view name;
  std::vector<SplitRule> splits;
  bool whole_words = false;
  bool add_begin = false;  ///< unless the file says otherwise
};

const std::vector<PreRule>& pre_rules() {
  static const std::vector<PreRule> kRules = {
      {"gpt-2", {SplitRule::gpt2}},
      {"llama-bpe", {SplitRule::llama3}, true, true},
      {"llama3", {SplitRule::llama3}, true, true},
      {"llama-v3", {SplitRule::llama3}, true, true},
      {"qwen2", {SplitRule::qwen2}},
      {"smollm", {SplitRule::digits, SplitRule::gpt2}},
  };
  return kRules;
}

std::optional<TokenId> id_at(const GgufMetadata& metadata, std::string_view key, std::size_t vocab) {
  const std::optional<std::uint64_t> id = metadata.whole(key);
  if (!id) return {};
  if (*id >= vocab) throw InputError(tr_format("{} is {}, outside the vocabulary of {}", key, *id, vocab));
  return TokenId{static_cast<std::int32_t>(*id)};
}

void check_count(std::string_view key, std::size_t count, std::size_t tokens) {
  if (count != tokens) throw InputError(tr_format("{} has {} rows, {} has {}", key, count, kTokens, tokens));
}

std::vector<Piece> read_pieces(const GgufMetadata& metadata) {
  constexpr std::string_view kTypes = "tokenizer.ggml.token_type", kScores = "tokenizer.ggml.scores";
  const std::vector<std::string_view> texts = metadata.needed_texts(kTokens);
  if (texts.empty()) throw InputError(tr_format("{} is empty", kTokens));
  std::vector<Piece> pieces;
  pieces.reserve(texts.size());
  for (const std::string_view text : texts) pieces.push_back({std::string(text), 0, TokenKind::normal});
  if (const auto types = metadata.integers(kTypes)) {
    check_count(kTypes, types->size(), pieces.size());
    for (std::size_t id = 0; id < pieces.size(); ++id) {
      const std::int64_t type = (*types)[id];
      if (type < 1 || type > 6) throw InputError(tr_format("{}: row {} is {}, outside 1..6", kTypes, id, type));
      pieces[id].kind = static_cast<TokenKind>(type);
    }
  }
  if (const auto scores = metadata.reals(kScores)) {
    check_count(kScores, scores->size(), pieces.size());
    for (std::size_t id = 0; id < pieces.size(); ++id) pieces[id].score = (*scores)[id];
  }
  return pieces;
}

SpecialTokens read_specials(const GgufMetadata& metadata, const std::vector<Piece>& pieces, bool add_begin) {
  SpecialTokens specials;
  specials.begin = id_at(metadata, "tokenizer.ggml.bos_token_id", pieces.size());
  specials.add_begin = metadata.boolean("tokenizer.ggml.add_bos_token").value_or(add_begin);
  for (const std::string_view key :
       {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
    const std::optional<TokenId> end = id_at(metadata, key, pieces.size());
    const auto& ends = specials.ends;
    if (end && std::find(ends.begin(), ends.end(), *end) == ends.end()) specials.ends.push_back(*end);
  }
  add_ends_by_name(pieces, specials.ends);
  specials.chat_template = std::string(metadata.text("tokenizer.chat_template").value_or(""));
  return specials;
}

std::shared_ptr<const Tokenizer> read_spm(const GgufMetadata& metadata, std::optional<std::size_t> vocab) {
  std::vector<Piece> pieces = read_pieces(metadata);
  if (!metadata.has("tokenizer.ggml.scores")) throw InputError(std::string(tr("tokenizer.ggml.scores is missing")));
  SpecialTokens specials = read_specials(metadata, pieces, true);
  SpmRules rules;
  if (!metadata.boolean("tokenizer.ggml.add_space_prefix").value_or(true)) rules.prefix = SpacePrefix::nowhere;
  pad_vocabulary(pieces, vocab);
  AddedTokens added(added_tokens_of(pieces));
  return std::make_shared<SpmTokenizer>(std::move(pieces), std::move(specials), std::move(added), std::move(rules));
}

const PreRule& pre_rule(const GgufMetadata& metadata) {
  const std::string_view name = metadata.needed_text("tokenizer.ggml.pre");
  for (const PreRule& rule : pre_rules()) {
    if (rule.name == name) return rule;
  }
  std::string known;
  for (const PreRule& rule : pre_rules()) known.append(known.empty() ? "" : ", ").append(rule.name);
  throw InputError(tr_format("tokenizer.ggml.pre: {} is not supported; {} are", shown(name), known));
}

std::shared_ptr<const Tokenizer> read_byte_level(const GgufMetadata& metadata, std::optional<std::size_t> vocab) {
  const PreRule& rule = pre_rule(metadata);
  std::vector<Piece> pieces = read_pieces(metadata);
  std::vector<std::pair<std::string_view, std::string_view>> sides;
  for (const std::string_view merge : metadata.needed_texts("tokenizer.ggml.merges")) {
    sides.push_back(merge_sides(merge));
  }
  ByteLevelRules rules;
  rules.splits = rule.splits;
  rules.merges = merge_ranks(sides, pieces);
  rules.whole_words = rule.whole_words;
  SpecialTokens specials = read_specials(metadata, pieces, rule.add_begin);
  pad_vocabulary(pieces, vocab);
  AddedTokens added(added_tokens_of(pieces));
  return std::make_shared<ByteLevelBpe>(std::move(pieces), std::move(specials), std::move(added), std::move(rules));
}

}  // namespace

std::shared_ptr<const Tokenizer> tokenizer_from_gguf(const GgufMetadata& metadata, std::optional<std::size_t> vocab) {
  const std::string_view model = metadata.needed_text("tokenizer.ggml.model");
  try {
    if (model == "llama") return read_spm(metadata, vocab);
    if (model == "gpt2") return read_byte_level(metadata, vocab);
    throw InputError(tr_format("tokenizer.ggml.model: {} is not supported; llama and gpt2 are", shown(model)));
  } catch (const FileError&) {
    throw;
  } catch (const InputError& error) {
    fail_file(metadata.file(), error.what());
  }
}

}  // namespace kvarium::cpu
