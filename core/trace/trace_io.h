#pragma once
// Traces as files: JSON lines, the first one {"kvarium_trace":3}, then one event a line in order.

#include <cstdint>
#include <cstdio>
#include <iosfwd>
#include <memory>
#include <string>

#include "core/trace/event_sink.h"
#include "core/trace/trace.h"

namespace kvarium {

inline constexpr unsigned kTraceVersion = 3;  ///< of the format

// What a file may at most hold, so that a hostile one cannot exhaust the memory.
inline constexpr std::size_t kMostLineBytes = 16U << 20U;
inline constexpr std::uint64_t kMostTraceBytes = 1ULL << 30U;
inline constexpr std::size_t kMostTraceEvents = 10'000'000;

struct ReadTrace {
  std::unique_ptr<Trace> trace;
  std::string warning;  ///< empty, or one sentence: the last line was cut off and is left out
};

/// Reads a whole trace. A recording that was killed ends within a line: what is cut off is left out, with a warning.
/// Anything else that is wrong is one InputError that names the file, the line, the field and what was expected.
ReadTrace read_trace(const std::string& path);
/// The same from a stream; `name` stands for the path in errors.
ReadTrace read_trace(std::istream& in, const std::string& name);

/// Writes a whole trace or none: to `path`.part first, renamed when it is complete. InputError when it cannot.
void write_trace(const std::string& path, const Trace& trace);

/// Records while events happen. Each line is handed to the system at once, so a recording survives a kill of the
/// program up to its last line.
class TraceWriter : public EventSink {
 public:
  /// Replaces what was at `path`. InputError when it cannot be written.
  explicit TraceWriter(const std::string& path);
  /// InputError when the line cannot be written (disk full); the file then ends within or before it.
  void emit(Event event) override;

 private:
  friend void write_trace(const std::string&, const Trace&);
  TraceWriter(const std::string& file, std::string path_in_errors);
  void write_line(const std::string& line);
  void flush();

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace kvarium
