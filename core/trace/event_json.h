#pragma once
// One event as one line of JSON: {"event":"BlockAllocated","request":0,"block":7}

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/trace/event.h"

namespace kvarium {

/// The line, without its line end. Ids are numbers, phases and reasons are words. Bytes of a text that are not valid
/// UTF-8 become U+FFFD.
std::string to_json_line(const Event& event);

/// What is wrong with a line, in words; the place in the file is added by who reads the file.
class BadLine : public std::runtime_error {
 public:
  BadLine(const std::string& what, bool cut_off) : std::runtime_error(what), cut_off_(cut_off) {}
  /// The JSON is good as far as it goes and then ends.
  bool cut_off() const { return cut_off_; }

 private:
  bool cut_off_;
};

/// The event of a line. Throws BadLine when it is not exactly the JSON of one event: each field once, no others,
/// numbers in their range. Whether the event can follow the ones before it is for fold() to say.
Event event_of_json_line(std::string_view line);

/// The version in a trace's first line, {"kvarium_trace":3}; other fields there are for people. BadLine when it is no
/// such line.
unsigned version_of_json_line(std::string_view line);

inline constexpr std::size_t kMostListItems = 1U
                                              << 20U;  ///< of a list of numbers: blocks of a pool, tokens of a prompt
inline constexpr std::size_t kMostListTexts = 1000;    ///< of a list of texts

}  // namespace kvarium
