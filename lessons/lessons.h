#pragma once
// One function a lesson; lessons.cpp lists them.

namespace kvarium {

class LessonKit;

void why_a_cache(LessonKit& kit);
void paged_blocks(LessonKit& kit);
void radix_tree(LessonKit& kit);
void eviction(LessonKit& kit);

}  // namespace kvarium
