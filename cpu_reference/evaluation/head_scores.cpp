#include "cpu_reference/evaluation/head_scores.h"

#include <algorithm>
#include <random>
#include <set>

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/kv_store/contiguous.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/model/workspace.h"

namespace kvarium::cpu {
namespace {

/// The attention of one layer over a whole text: [query_heads][tokens][tokens].
struct LayerAttention {
  std::vector<float> weights;
  std::size_t tokens = 0;
  double at(std::size_t head, std::size_t from, std::size_t to) const {
    return static_cast<double>(weights[(head * tokens + from) * tokens + to]);
  }
};

LayerAttention attention_of(const Transformer& transformer, const ModelShape& shape, Workspace& workspace,
                            std::uint32_t layer, std::span<const TokenId> text) {
  ContiguousKvCache cache(shape, static_cast<std::uint32_t>(text.size()));
  Work work;
  StepProbe probe;
  probe.layer = layer;
  probe.sequences.resize(1);
  const SequenceInput input{text, &cache};
  transformer.forward(std::span(&input, 1), workspace, std::span(&work, 1), &probe);
  return {std::move(probe.sequences[0].attention), text.size()};
}

/// The mean over tokens [first, tokens) of the attention from t to target(t).
template <class Target>
double mean_attention(const LayerAttention& attention, std::size_t head, std::size_t first, const Target& target) {
  double sum = 0;
  for (std::size_t t = first; t < attention.tokens; ++t) sum += attention.at(head, t, target(t));
  return sum / static_cast<double>(attention.tokens - first);
}

/// The tokens of all texts, each once, without those that the texts begin with.
std::vector<TokenId> different_tokens(std::span<const std::vector<TokenId>> texts) {
  std::set<TokenId> found;
  for (const auto& text : texts) found.insert(text.begin() + 1, text.end());
  return {found.begin(), found.end()};
}

/// `begin`, then `repeated` of the tokens in random order, twice.
std::vector<TokenId> written_twice(TokenId begin, std::vector<TokenId> tokens, std::uint32_t repeated,
                                   std::mt19937_64& draws) {
  std::vector<TokenId> twice = {begin};
  for (std::size_t i = 0; i < repeated; ++i) {
    std::swap(tokens[i], tokens[i + draws() % (tokens.size() - i)]);
    twice.push_back(tokens[i]);
  }
  twice.insert(twice.end(), tokens.begin(), tokens.begin() + repeated);
  return twice;
}

/// The shares of one head in one of `texts` texts.
void add(HeadScore& score, const LayerAttention& plain, const LayerAttention& doubled, std::uint32_t repeated,
         double texts) {
  const std::size_t head = score.head;
  score.previous += mean_attention(plain, head, 1, [](std::size_t t) { return t - 1; }) / texts;
  score.sink += mean_attention(plain, head, kSinkFrom, [](std::size_t) { return std::size_t{0}; }) / texts;
  score.induction +=
      mean_attention(doubled, head, 1 + repeated, [repeated](std::size_t t) { return t - repeated + 1; }) / texts;
}

void expect_fits(const Model& model, std::size_t text, std::uint32_t repeated) {
  if (text <= kSinkFrom) {
    throw InputError(
        tr_format("a text of {} tokens is too short to tell heads apart: give at least {}", text, kSinkFrom + 1));
  }
  const std::size_t longest = std::max<std::size_t>(text, 1 + std::size_t{2} * repeated);
  if (repeated == 0 || longest > model.config.shape.context) {
    throw InputError(tr_format("{} tokens do not fit into the context of {}: shorten the text or the repeated sequence",
                               longest, model.config.shape.context));
  }
}

}  // namespace

std::optional<std::vector<HeadScore>> head_scores(const Model& model, std::span<const std::vector<TokenId>> texts,
                                                  std::uint32_t repeated, std::uint64_t seed,
                                                  const OnProgress& on_progress, const CancelToken& cancel) {
  if (texts.empty()) throw InputError(std::string(tr("heads are told apart by texts: give at least one")));
  for (const auto& text : texts) expect_fits(model, text.size(), repeated);
  const std::uint32_t layers = model.config.shape.layers, heads = model.config.shape.query_heads;
  std::vector<HeadScore> scores;
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    for (std::uint32_t head = 0; head < heads; ++head) scores.push_back({layer, head});
  }
  const std::vector<TokenId> tokens = different_tokens(texts);
  if (tokens.size() < repeated) {
    throw InputError(
        tr_format("the texts have {} different tokens, and {} are to be repeated: give more text or "
                  "repeat fewer",
                  tokens.size(), repeated));
  }
  const Transformer transformer(model);
  Workspace workspace;
  std::mt19937_64 draws(seed);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::vector<TokenId> twice = written_twice(texts[i][0], tokens, repeated, draws);
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      if (cancel.cancelled()) return std::nullopt;
      const auto look = [&](std::span<const TokenId> text) {
        return attention_of(transformer, model.config.shape, workspace, layer, text);
      };
      const LayerAttention plain = look(texts[i]), doubled = look(twice);
      for (std::uint32_t head = 0; head < heads; ++head) {
        add(scores[layer * heads + head], plain, doubled, repeated, static_cast<double>(texts.size()));
      }
    }
    if (on_progress) on_progress({i + 1, texts.size()});
  }
  return scores;
}

}  // namespace kvarium::cpu
