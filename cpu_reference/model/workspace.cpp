#include "cpu_reference/model/workspace.h"

namespace kvarium::cpu {

void Workspace::fit(const ModelConfig& config, Index tokens, Index logit_rows) {
  const Index hidden = config.shape.hidden, ffn = config.ffn_hidden;
  const Index pairs = config.positions == Positions::rotary ? config.rotated_width() / 2 : 0;
  angles.cosines.resize(tokens, pairs);
  angles.sines.resize(tokens, pairs);
  for (Matrix* matrix : {&x, &normed, &added}) matrix->resize(tokens, hidden);
  for (Matrix* matrix : {&queries, &attended}) matrix->resize(tokens, Index{config.query_width()});
  for (Matrix* matrix : {&keys, &values}) matrix->resize(tokens, Index{config.kv_width()});
  gate.resize(tokens, config.feed_forward == FeedForward::swiglu ? ffn : 0);
  up.resize(tokens, ffn);
  last.resize(logit_rows, hidden);
  logits.resize(logit_rows, Index{config.shape.vocab});
}

}  // namespace kvarium::cpu
