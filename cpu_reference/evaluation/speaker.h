#pragma once
// Who is evaluated: a model that hears a text and says after each token how likely every next one is. No measure knows
// more of a model, so that what another cache or precision loses is measured by the same code.

#include <cstdint>
#include <span>

#include "core/ids.h"
#include "core/model_shape.h"

namespace kvarium::cpu {

class Speaker {
 public:
  Speaker() = default;
  Speaker(const Speaker&) = delete;
  Speaker& operator=(const Speaker&) = delete;
  virtual ~Speaker() = default;

  virtual const ModelShape& shape() const = 0;
  /// A new text: of the last one nothing is kept.
  virtual void begin() = 0;
  /// The text goes on with these tokens. Returns the logits behind each of the last `rows` of them, [rows][vocab],
  /// which are valid until the next call. MisuseError: no tokens, rows not from 1 to all, a text longer than the
  /// context or than the speaker was made for. InputError: a logit that is not a finite number. After an error begin()
  /// comes first.
  std::span<const float> hear(std::span<const TokenId> tokens, std::uint32_t rows = 1);

 private:
  /// hear() without its checks of rows and logits.
  virtual std::span<const float> compute(std::span<const TokenId> tokens, std::uint32_t rows) = 0;
};

}  // namespace kvarium::cpu
