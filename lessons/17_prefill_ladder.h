#pragma once
// The second half of lesson 17: attention of a prompt, which the same steps make quick.

#include "lessons/kit/lesson_kit.h"

namespace kvarium {

void climb_the_prefill_ladder(LessonKit& kit);

}  // namespace kvarium
