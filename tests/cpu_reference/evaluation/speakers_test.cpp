#include "cpu_reference/evaluation/speakers.h"

#include <memory>
#include <string>

#include "core/error.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/model/transformer.h"
#include "tests/cpu_reference/model/random_model.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::difference;
using kvarium_test::random_model;
using kvarium_test::random_tokens;
using kvarium_test::reordering_tolerance;
using kvarium_test::small_llama;

namespace {

std::shared_ptr<const Model> any_model() { return std::make_shared<const Model>(random_model(small_llama(), 3)); }

struct Named {
  std::string name;
  std::unique_ptr<Speaker> speaker;
};

std::vector<Named> all_speakers(const std::shared_ptr<const Model>& model, std::uint32_t longest) {
  std::vector<Named> speakers;
  speakers.push_back({"uncached", uncached_speaker(model)});
  speakers.push_back({"contiguous", contiguous_speaker(model, longest, 1)});
  speakers.push_back({"paged", paged_speaker(std::make_unique<CpuRunner>(model, 1), longest, 4)});
  return speakers;
}

}  // namespace

TEST_CASE("whatever is kept, a speaker says the same of each token of a text, at once or in parts") {
  const auto model = any_model();
  const std::size_t vocab = model->config.shape.vocab;
  const std::vector<TokenId> text = random_tokens(11, 53, 1), other = random_tokens(7, 53, 2);
  Work work;
  const std::vector<float> all = Transformer(*model).forward_uncached_all(text, work);
  const float tolerance = reordering_tolerance(model->config, all);
  for (const auto& [name, speaker] : all_speakers(model, 11)) {
    CAPTURE(name);
    speaker->hear(other);  // forgotten at the next begin()
    speaker->begin();
    CHECK(difference(speaker->hear(text, 11), all) <= tolerance);
    speaker->begin();
    CHECK(difference(speaker->hear(std::span(text).first(5)), std::span(all).subspan(4 * vocab, vocab)) <= tolerance);
    CHECK(difference(speaker->hear(std::span(text).subspan(5, 5), 3), std::span(all).subspan(7 * vocab, 3 * vocab)) <=
          tolerance);
    CHECK(difference(speaker->hear(std::span(text).last(1)), std::span(all).last(vocab)) <= tolerance);
  }
}

TEST_CASE("a text that is too long is refused, and the next one begins as ever") {
  const auto model = any_model();
  const std::vector<TokenId> text = random_tokens(13, 53, 1), longest = random_tokens(41, 53, 1);
  Work work;
  const std::vector<float> expected = Transformer(*model).forward_uncached(std::span(text).first(12), work);
  for (const auto& [name, speaker] : all_speakers(model, 12)) {
    CAPTURE(name);
    CHECK_THROWS_AS(speaker->hear(longest), MisuseError);  // the context is 40 tokens
    speaker->begin();
    if (name != "uncached") CHECK_THROWS_AS(speaker->hear(text), MisuseError);
    speaker->begin();
    CHECK(difference(speaker->hear(std::span(text).first(12)), expected) <=
          reordering_tolerance(model->config, expected));
    CHECK_THROWS_AS(speaker->hear(std::vector{TokenId{53}}), MisuseError);
  }
}

TEST_CASE("blocks of no tokens are refused") {
  CHECK_THROWS_AS(paged_speaker(std::make_unique<CpuRunner>(any_model(), 1), 12, 0), InputError);
  CHECK_THROWS_AS(paged_speaker(std::make_unique<CpuRunner>(any_model(), 1), 0, 4), InputError);
}
