#pragma once
// The lines of a trace file one by one, numbered for error messages, with progress and a way to stop.

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "core/cancel.h"
#include "core/progress.h"

namespace kvarium {

/// A line ends at LF, CR LF or the end of the file; empty lines are passed over.
class LineReader {
 public:
  /// `name` stands in error messages. `on_progress` (may be empty) is told of bytes, now and then and at the end.
  LineReader(std::istream& in, std::string name, const OnProgress& on_progress, const CancelToken& cancel);

  /// False at the end, and when cancelled. InputError for a line over kLongestLine and for a file that cannot be read.
  bool next();
  /// Without its end. Valid until next().
  std::string_view line() const { return line_; }
  bool cancelled() const { return cancel_.cancelled(); }
  /// Throws InputError: file, line number, what is wrong.
  [[noreturn]] void fail(const std::string& what) const;

  /// Bytes. A prompt of ten million tokens has a line of 200 kB; a longer one is no trace.
  static constexpr std::size_t kLongestLine = std::size_t{4} << 20U;

 private:
  bool read();
  void tell(bool at_end);

  std::istream& in_;
  std::string name_;
  const OnProgress& on_progress_;
  const CancelToken& cancel_;
  std::string buffer_;
  std::string_view line_;
  std::uint64_t number_ = 0;
  Progress progress_;
  std::uint64_t told_ = 0;
};

}  // namespace kvarium
