#include "cpu_reference/evaluation/recitation.h"

#include <map>

#include "core/sampling/sampling.h"
#include "cpu_reference/evaluation/speaker.h"

namespace kvarium::cpu {
namespace {

/// One group under way.
struct Tally {
  RecitedGroup result;
  std::uint64_t distances = 0;  ///< tokens, the sum
  std::uint64_t measured = 0;   ///< recitations that have a distance

  void add(const Recitation& recitation, std::uint32_t said) {
    result.group = recitation.group;
    ++result.asked;
    if (said == recitation.answer.size()) ++result.right;
    result.answer_tokens += recitation.answer.size();
    result.said_tokens += said;
    if (!recitation.distance) return;
    distances += *recitation.distance;
    ++measured;
  }
  RecitedGroup finish() {
    if (measured > 0) result.distance = static_cast<double>(distances) / static_cast<double>(measured);
    return result;
  }
};

}  // namespace

std::uint32_t recite(Speaker& speaker, std::span<const TokenId> prompt, std::span<const TokenId> answer) {
  speaker.begin();
  std::span<const float> logits = speaker.hear(prompt);
  for (std::uint32_t said = 0; said < answer.size(); ++said) {
    if (argmax(logits) != answer[said]) return said;
    if (said + 1 < answer.size()) logits = speaker.hear(answer.subspan(said, 1));
  }
  return static_cast<std::uint32_t>(answer.size());
}

std::optional<std::vector<RecitedGroup>> measure_recitation(Speaker& speaker, std::span<const Recitation> recitations,
                                                            const OnProgress& on_progress, const CancelToken& cancel) {
  std::map<std::uint32_t, Tally> tallies;
  Progress progress{0, recitations.size()};
  for (const Recitation& recitation : recitations) {
    if (cancel.cancelled()) return std::nullopt;
    tallies[recitation.group].add(recitation, recite(speaker, recitation.prompt, recitation.answer));
    ++progress.done;
    if (on_progress) on_progress(progress);
  }
  std::vector<RecitedGroup> groups;
  for (auto& [group, tally] : tallies) groups.push_back(tally.finish());
  return groups;
}

}  // namespace kvarium::cpu
