#include "lessons/lessons.h"

#include "core/error.h"
#include "core/words/words.h"
#include "lessons/kit/lesson.h"
#include "lessons/kit/lesson_kit.h"

namespace kvarium {

const std::vector<Lesson>& lessons() {
  static const std::vector<Lesson> kAll{
      {"01_why_a_cache", "Why a cache?", "docs/lessons/01_why_a_cache.md", why_a_cache},
      {"02_prefill_and_decode", "Prefill and decode", "docs/lessons/02_prefill_and_decode.md", prefill_and_decode},
      {"03_counting_bytes", "Counting bytes", "docs/lessons/03_counting_bytes.md", counting_bytes},
      {"04_paged_blocks", "Paged blocks", "docs/lessons/04_paged_blocks.md", paged_blocks},
      {"05_sharing_and_copy_on_write", "Sharing and copy on write", "docs/lessons/05_sharing_and_copy_on_write.md",
       sharing_and_copy_on_write},
      {"06_prefix_hash", "Prefix cache with hashes", "docs/lessons/06_prefix_hash.md", prefix_hash},
      {"07_radix_tree", "A tree of prompts", "docs/lessons/07_radix_tree.md", radix_tree},
      {"08_eviction", "Eviction", "docs/lessons/08_eviction.md", eviction},
      {"09_continuous_batching", "Continuous batching", "docs/lessons/09_continuous_batching.md", continuous_batching},
      {"10_fewer_heads", "Fewer heads", "docs/lessons/10_fewer_heads.md", fewer_heads},
      {"11_speculative_rollback", "Speculative rollback", "docs/lessons/11_speculative_rollback.md",
       speculative_rollback},
      {"14_online_softmax", "Online softmax", "docs/lessons/14_online_softmax.md", online_softmax},
      {"15_paged_attention_kernel", "A kernel for the paged cache", "docs/lessons/15_paged_attention_kernel.md",
       paged_attention_kernel},
      {"16_without_a_cache", "Without a cache", "docs/lessons/16_without_a_cache.md", without_a_cache},
      {"17_from_threads_to_tensor_cores", "From threads to tensor cores",
       "docs/lessons/17_from_threads_to_tensor_cores.md", from_threads_to_tensor_cores},
  };
  return kAll;
}

const Lesson& find_lesson(std::string_view id) {
  std::string names;
  for (const Lesson& lesson : lessons()) {
    const std::string_view number = std::string_view(lesson.id).substr(0, 2);
    if (id == lesson.id || id == number || (number[0] == '0' && id == number.substr(1))) return lesson;
    names += (names.empty() ? "" : ", ") + lesson.id;
  }
  throw InputError(tr_format("there is no lesson \"{}\"; there are {}", id, names));
}

void record_lesson(const Lesson& lesson, EventSink& sink) {
  SilentFront front;
  LessonKit kit(front, sink);
  lesson.run(kit);
}

}  // namespace kvarium
