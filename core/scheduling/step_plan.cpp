#include "core/scheduling/step_plan.h"

namespace kvarium {
namespace {

void add_part(std::string& text, const std::string& verb, const std::string& list) {
  if (!list.empty()) text += (text.empty() ? "" : " | ") + verb + list;
}

std::string letters(const std::vector<RequestId>& requests) {
  std::string list;
  for (const RequestId request : requests) list += " " + letter(request);
  return list;
}

}  // namespace

std::string show(const StepPlan& plan) {
  std::string chunks;
  for (const Chunk& chunk : plan.chunks) {
    chunks += " " + letter(chunk.request) + ":" + std::to_string(chunk.count);
    if (chunk.drafts > 0) chunks += "+" + std::to_string(chunk.drafts);
  }
  std::string text;
  add_part(text, "preempt", letters(plan.preempt));
  add_part(text, "admit", letters(plan.admit));
  add_part(text, "compute", chunks);
  return text.empty() ? "nothing" : text;
}

}  // namespace kvarium
