#pragma once
// One function a lesson; lessons.cpp lists them.

namespace kvarium {

class LessonKit;

void why_a_cache(LessonKit& kit);
void prefill_and_decode(LessonKit& kit);
void counting_bytes(LessonKit& kit);
void paged_blocks(LessonKit& kit);
void sharing_and_copy_on_write(LessonKit& kit);
void prefix_hash(LessonKit& kit);
void radix_tree(LessonKit& kit);
void eviction(LessonKit& kit);
void continuous_batching(LessonKit& kit);
void fewer_heads(LessonKit& kit);
void speculative_rollback(LessonKit& kit);
void online_softmax(LessonKit& kit);
void paged_attention_kernel(LessonKit& kit);
void without_a_cache(LessonKit& kit);
void from_threads_to_tensor_cores(LessonKit& kit);

}  // namespace kvarium
