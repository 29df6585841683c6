#pragma once
// How many numbers the known models have, computed from the widths of their matrices. Biases and the scales of norms,
// together less than a thousandth, are left out.

#include "core/model_shape.h"

namespace kvarium {

struct ParameterCount {
  double embedding = 0;        ///< in tables that a token only looks one row up in: with positions, and the token
                               ///< embedding unless the head is the same table
  double always = 0;           ///< that every token is multiplied with
  double head = 0;             ///< multiplied only with the tokens whose successor is asked for
  double routed = 0;           ///< in experts, of which a router picks some for each token; 0: there are none
  double experts = 0;          ///< a layer
  double experts_a_token = 0;  ///< picked, a layer

  double total() const { return embedding + always + head + routed; }
  /// That a token is multiplied with before the head.
  double body() const { return always + (routed == 0 ? 0 : routed * experts_a_token / experts); }
  /// That a token is multiplied with whose successor is asked for.
  double active() const { return body() + head; }
  /// That a pass over so many tokens reads, but for the rows that it looks up, one a token. An expert that nobody was
  /// sent to stays unread: the share
  ///   (1 - experts_a_token / experts)^tokens
  /// of them when each is as likely as any other.
  double read_by(double tokens) const;
};

/// Of the known model of this name, with as many heads as `shape` has. InputError when its name is not known.
ParameterCount parameters_of(const ModelShape& shape);

}  // namespace kvarium
