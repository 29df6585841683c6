#include "cpu_reference/tokenizer/tokenizer_json.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"
#include "cpu_reference/loaders/json_file.h"
#include "cpu_reference/tokenizer/byte_level_bpe.h"
#include "cpu_reference/tokenizer/json_place.h"
#include "cpu_reference/tokenizer/spm_tokenizer.h"
#include "cpu_reference/tokenizer/tokenizer_config.h"
#include "cpu_reference/tokenizer/tokenizer_json_rules.h"

namespace kvarium::cpu {
namespace {

constexpr int kDeepest = 16;
constexpr std::int32_t kLargestId = 1 << 22;
constexpr std::size_t kMostGaps = 1U << 16U;

/// Puts a piece at its id.
class Rows {
 public:
  void put(const JsonPlace& place, TokenId id, const std::string& text, TokenKind kind) {
    if (index(id) > pieces_.size() + kMostGaps) {
      place.fail(tr_format("the id {} leaves too many ids before it without a piece", value(id)));
    }
    if (index(id) >= pieces_.size()) pieces_.resize(index(id) + 1, {"", 0, TokenKind::unused});
    Piece& piece = pieces_[index(id)];
    if (piece.kind != TokenKind::unused && piece.bytes != text) {
      place.fail(tr_format("the id {} is given to {} and to {}", value(id), shown(piece.bytes), shown(text)));
    }
    piece = {text, 0, kind};
  }
  std::vector<Piece> take() {
    for (std::size_t id = 0; id < pieces_.size(); ++id) {
      if (pieces_[id].kind == TokenKind::unused) pieces_[id] = unused_piece(id);
    }
    return std::move(pieces_);
  }

 private:
  std::vector<Piece> pieces_;
};

bool is_byte_piece(std::string_view text) {
  return text.size() == 6 && text.substr(0, 3) == "<0x" && text[5] == '>' &&
         text.find_first_not_of("0123456789ABCDEF", 3) == 5;
}

void check_model(const JsonPlace& model) {
  const JsonPlace type = model.object().at("type");
  if (!type.is_null() && type.text() != "BPE") {
    type.fail(tr_format("{} is not supported; BPE is", shown(type.text())));
  }
  for (const std::string_view name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const JsonPlace affix = model.at(name);
    if (!affix.is_null() && !affix.text().empty()) affix.fail(tr("such a mark on pieces is not supported"));
  }
  const JsonPlace dropout = model.at("dropout");
  const bool drops = !dropout.is_null() && dropout.value() != 0;
  if (drops) dropout.fail(tr("merges that are left out by chance are not supported"));
}

void read_vocabulary(const JsonPlace& model, Rows& rows) {
  const JsonPlace vocab = model.at("vocab").object();
  const bool has_bytes = model.at("byte_fallback").boolean_or(false);
  std::vector<std::pair<std::int32_t, std::string>> sorted;
  for (const auto& [text, id] : vocab.value().items()) {
    const bool is_id = id.is_number_unsigned() && id.get<std::uint64_t>() <= std::uint64_t{kLargestId};
    // Only a wrong id needs the way to it: there are 100,000 of them.
    sorted.emplace_back(is_id ? id.get<std::int32_t>() : vocab.at(text).whole(kLargestId), text);
  }
  if (sorted.empty()) vocab.fail(tr("it is empty"));
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [id, text] : sorted) {
    rows.put(vocab, TokenId{id}, text, has_bytes && is_byte_piece(text) ? TokenKind::byte : TokenKind::normal);
  }
}

std::vector<AddedToken> read_added(const JsonPlace& list, const JsonPlace& normalizer, Rows& rows) {
  std::vector<AddedToken> added;
  if (list.is_null()) return added;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonPlace token = list.at(i).object();
    const std::string& text = token.at("content").text();
    if (text.empty()) token.fail(tr("it has no text"));
    if (token.at("single_word").boolean_or(false)) token.fail(tr("single_word is not supported"));
    if (token.at("normalized").boolean_or(false) && normalizer_touches(normalizer, text)) {
      token.fail(tr("it is to be found in text that the normalizer has changed (normalized), which is not supported"));
    }
    const bool is_control = token.at("special").boolean_or(false);
    const TokenId id{token.at("id").whole(kLargestId)};
    rows.put(token, id, text, is_control ? TokenKind::control : TokenKind::user_defined);
    added.push_back({text, id, is_control, token.at("lstrip").boolean_or(false), token.at("rstrip").boolean_or(false)});
  }
  return added;
}

MergeRanks read_merges(const JsonPlace& merges, const std::vector<Piece>& pieces) {
  std::vector<std::pair<std::string_view, std::string_view>> sides;
  sides.reserve(merges.size());
  try {
    for (const nlohmann::json& merge : merges.value()) {
      if (merge.is_string()) {
        sides.push_back(merge_sides(merge.get_ref<const std::string&>()));
      } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        sides.emplace_back(merge[0].get_ref<const std::string&>(), merge[1].get_ref<const std::string&>());
      } else {
        throw InputError(tr_format("merge {} is neither a text nor a pair of texts", sides.size()));
      }
    }
    return merge_ranks(sides, pieces);
  } catch (const InputError& error) {
    merges.fail(error.what());
  }
}

std::variant<ByteLevelRules, SpmRules> rules_of(const JsonPlace& file, MergeRanks merges) {
  const JsonPlace ignores_merges = file.at("model").at("ignore_merges");
  std::variant<ByteLevelSteps, SpmRules> steps = steps_of(file);
  if (auto* bytes = std::get_if<ByteLevelSteps>(&steps)) {
    return ByteLevelRules{std::move(bytes->splits), std::move(merges), ignores_merges.boolean_or(false),
                          bytes->composes, bytes->space_before};
  }
  if (ignores_merges.boolean_or(false)) ignores_merges.fail(tr("it is not supported here"));
  auto& rules = std::get<SpmRules>(steps);
  rules.merges = std::move(merges);
  return std::move(rules);
}

}  // namespace

std::shared_ptr<const Tokenizer> tokenizer_from_json(const std::filesystem::path& path,
                                                     std::optional<std::size_t> vocab) {
  const nlohmann::json json = read_json_file(path, kDeepest);
  const JsonPlace file(json, path.string());
  const JsonPlace model = file.object().at("model");
  check_model(model);
  Rows rows;
  read_vocabulary(model, rows);
  AddedTokens added(read_added(file.at("added_tokens"), file.at("normalizer"), rows));
  std::vector<Piece> pieces = rows.take();
  std::variant<ByteLevelRules, SpmRules> rules = rules_of(file, read_merges(model.at("merges"), pieces));

  SpecialTokens specials;
  specials.begin = begin_of(file.at("post_processor"), pieces.size());
  specials.add_begin = specials.begin.has_value();
  read_tokenizer_config(path.parent_path(), pieces, specials);
  try {
    pad_vocabulary(pieces, vocab);
    if (auto* bytes = std::get_if<ByteLevelRules>(&rules)) {
      return std::make_shared<ByteLevelBpe>(std::move(pieces), std::move(specials), std::move(added),
                                            std::move(*bytes));
    }
    return std::make_shared<SpmTokenizer>(std::move(pieces), std::move(specials), std::move(added),
                                          std::move(std::get<SpmRules>(rules)));
  } catch (const InputError& error) {
    file.fail(error.what());
  }
}

}  // namespace kvarium::cpu
