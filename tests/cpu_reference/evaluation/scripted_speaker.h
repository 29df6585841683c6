#pragma once
// A speaker without a model: a function says which letter comes next. Token 0 is "a", 1 is "b", ... 25 is "z".

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cpu_reference/evaluation/speaker.h"

namespace kvarium_test {

inline std::vector<kvarium::TokenId> letters(const std::string& text) {
  std::vector<kvarium::TokenId> tokens;
  for (const char letter : text) tokens.push_back(kvarium::TokenId{letter - 'a'});
  return tokens;
}

class ScriptedSpeaker final : public kvarium::cpu::Speaker {
 public:
  static constexpr std::uint32_t kVocab = 26;

  /// `next` is told all that was heard and returns the likeliest letter; '?' makes its logit NaN.
  explicit ScriptedSpeaker(std::function<char(const std::string& heard)> next) : next_(std::move(next)) {
    shape_.name = "scripted";
    shape_.vocab = kVocab;
  }

  const kvarium::ModelShape& shape() const override { return shape_; }
  void begin() override {
    heard_.clear();
    calls += "|";
  }

  std::string calls;     ///< "|abc+d": a text of abc, heard at once, and then d
  float height = 1.0F;   ///< logit of the likeliest letter; all others have 0
  std::size_t lost = 0;  ///< logits too few

 private:
  std::span<const float> compute(std::span<const kvarium::TokenId> tokens, std::uint32_t rows) override {
    if (!heard_.empty()) calls += "+";
    logits_.assign(std::size_t{rows} * kVocab, 0.0F);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      heard_ += static_cast<char>('a' + value(tokens[t]));
      calls += heard_.back();
      if (t + rows < tokens.size()) continue;
      const std::size_t row = t + rows - tokens.size();
      const char next = next_(heard_);
      if (next == '?')
        logits_[row * kVocab] = std::numeric_limits<float>::quiet_NaN();
      else
        logits_[row * kVocab + static_cast<std::size_t>(next - 'a')] = height;
    }
    logits_.resize(logits_.size() - lost);
    return logits_;
  }

  kvarium::ModelShape shape_;
  std::function<char(const std::string& heard)> next_;
  std::string heard_;
  std::vector<float> logits_;
};

/// Writes `text` over and over: what comes next is what stands at this place in it.
inline std::function<char(const std::string&)> writer_of(const std::string& text) {
  return [text](const std::string& heard) { return text[heard.size() % text.size()]; };
}

}  // namespace kvarium_test
