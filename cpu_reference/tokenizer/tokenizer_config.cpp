#include "cpu_reference/tokenizer/tokenizer_config.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"
#include "cpu_reference/loaders/json_file.h"
#include "cpu_reference/loaders/mapped_file.h"
#include "cpu_reference/tokenizer/json_place.h"

namespace kvarium::cpu {
namespace {

constexpr int kDeepest = 16;
constexpr std::uintmax_t kLargestTemplate = 1U << 20U;  // bytes; what is larger is no template

/// "eos_token": its text, or an object whose "content" is the text; null: none.
std::optional<TokenId> token_at(const JsonPlace& place, const PieceIds& ids) {
  if (place.is_null()) return {};
  const std::string& text = place.is_object() ? place.at("content").text() : place.text();
  const auto found = ids.find(text);
  if (found == ids.end()) place.fail(tr_format("{} is no piece of the vocabulary", shown(text)));
  return found->second;
}

void add_end(TokenId token, std::vector<TokenId>& ends) {
  if (std::find(ends.begin(), ends.end(), token) == ends.end()) ends.push_back(token);
}

/// The template itself, or of several with names the one called default.
std::string template_at(const JsonPlace& place) {
  if (place.is_null()) return {};
  if (place.is_text()) return place.text();
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (place.at(i).at("name").text() == "default") return place.at(i).at("template").text();
  }
  return {};
}

void read_config(const std::filesystem::path& path, const PieceIds& ids, SpecialTokens& specials) {
  const nlohmann::json json = read_json_file(path, kDeepest);
  const JsonPlace config(json, path.string());
  if (const auto begin = token_at(config.at("bos_token"), ids); begin && !specials.begin) specials.begin = begin;
  if (const auto end = token_at(config.at("eos_token"), ids)) add_end(*end, specials.ends);
  specials.add_begin = specials.begin && config.at("add_bos_token").boolean_or(specials.add_begin);
  specials.chat_template = template_at(config.at("chat_template"));
}

/// "eos_token_id": a number, or several.
void read_ends(const std::filesystem::path& path, std::size_t vocab, SpecialTokens& specials) {
  const nlohmann::json json = read_json_file(path, kDeepest);
  const JsonPlace ends = JsonPlace(json, path.string()).at("eos_token_id");
  const auto most = static_cast<std::int32_t>(vocab) - 1;
  if (ends.is_null()) return;
  if (!ends.is_array()) return add_end(TokenId{ends.whole(most)}, specials.ends);
  for (std::size_t i = 0; i < ends.size(); ++i) add_end(TokenId{ends.at(i).whole(most)}, specials.ends);
}

/// The template in a file of its own; nothing: the file is empty.
std::optional<std::string> read_template(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size == 0) return {};
  if (!error && size > kLargestTemplate) {
    fail_file(path.string(), tr_format("with {} bytes it is too large to be a chat template", size));
  }
  const MappedFile text(path);
  return std::string(reinterpret_cast<const char*>(text.bytes().data()), text.bytes().size());
}

}  // namespace

void read_tokenizer_config(const std::filesystem::path& folder, const std::vector<Piece>& pieces,
                           SpecialTokens& specials) {
  const auto file = [&](const char* name) -> std::optional<std::filesystem::path> {
    std::error_code error;
    return std::filesystem::exists(folder / name, error) ? std::optional(folder / name) : std::nullopt;
  };
  if (const auto path = file("tokenizer_config.json")) read_config(*path, piece_ids(pieces), specials);
  if (const auto path = file("generation_config.json")) read_ends(*path, pieces.size(), specials);
  if (const auto path = file("chat_template.jinja")) {
    if (std::optional<std::string> text = read_template(*path)) specials.chat_template = *std::move(text);
  }
  add_ends_by_name(pieces, specials.ends);
}

}  // namespace kvarium::cpu
