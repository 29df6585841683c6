#include "core/trace/trace_io.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>

#include "core/error.h"
#include "core/trace/event_json.h"

namespace kvarium {
namespace {

/// Lines of a stream, with limits.
class LineReader {
 public:
  LineReader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}

  /// The next line without its end. False when there is none.
  bool next() {
    line_.clear();
    has_end_ = false;
    ++number_;
    for (int byte = get(); byte != std::char_traits<char>::eof(); byte = get()) {
      if (byte == '\n') {
        has_end_ = true;
        return true;
      }
      if (line_.size() == kMostLineBytes) fail(fmt::format("the line is longer than {} MiB", kMostLineBytes >> 20U));
      line_ += static_cast<char>(byte);
    }
    return !line_.empty();
  }

  const std::string& line() const { return line_; }
  bool has_end() const { return has_end_; }  ///< the line ends with a line feed
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}, line {}: {}", name_, number_, what));
  }
  std::string at() const { return fmt::format("{}, line {}", name_, number_); }

 private:
  int get() {
    if (++bytes_ > kMostTraceBytes) {
      throw InputError(fmt::format("{}: the trace is larger than {} GiB", name_, kMostTraceBytes >> 30U));
    }
    try {
      return in_.rdbuf()->sbumpc();
    } catch (const std::ios_base::failure&) {
      throw InputError(at() + ": the file cannot be read further");
    }
  }

  std::istream& in_;
  std::string name_;
  std::string line_;
  bool has_end_ = false;
  std::uint64_t number_ = 0;
  std::uint64_t bytes_ = 0;
};

void read_first_line(LineReader& lines, const std::string& name) {
  if (!lines.next()) throw InputError(name + ": the file is empty; a trace starts with the line {\"kvarium_trace\":3}");
  unsigned version = 0;
  try {
    version = version_of_json_line(lines.line());
  } catch (const BadLine& error) {
    throw InputError(fmt::format("{} is not a trace of Kvarium: {}", name, error.what()));
  }
  if (version != kTraceVersion) {
    throw InputError(
        fmt::format("{} is a trace of version {}; this program reads version {}", name, version, kTraceVersion));
  }
}

[[noreturn]] void cannot_write(const std::string& path, int reason) {
  throw InputError(fmt::format("{}: cannot write the trace: {}", path, std::strerror(reason == 0 ? EIO : reason)));
}

}  // namespace

ReadTrace read_trace(std::istream& in, const std::string& name) {
  ReadTrace result{std::make_unique<Trace>(), {}};
  LineReader lines(in, name);
  read_first_line(lines, name);
  while (lines.next()) {
    if (result.trace->size() == kMostTraceEvents) lines.fail(fmt::format("more than {} events", kMostTraceEvents));
    try {
      result.trace->emit(event_of_json_line(lines.line()));
    } catch (const BadLine& error) {
      if (lines.has_end() || !error.cut_off()) lines.fail(error.what());
      result.warning =
          fmt::format("{}: the recording was cut off within this line, which is left out; {} events are read",
                      lines.at(), result.trace->size());
    } catch (const MisuseError& error) {
      lines.fail(error.what());
    }
  }
  return result;
}

ReadTrace read_trace(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw InputError(path + " is a folder, not a trace");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw InputError(fmt::format("{}: cannot open the trace: {}", path, std::strerror(errno == 0 ? EIO : errno)));
  return read_trace(file, path);
}

TraceWriter::TraceWriter(const std::string& path) : TraceWriter(path, path) {}

TraceWriter::TraceWriter(const std::string& file, std::string path_in_errors) : path_(std::move(path_in_errors)) {
  errno = 0;
  file_.reset(std::fopen(file.c_str(), "wb"));
  if (!file_) cannot_write(path_, errno);
  write_line(fmt::format("{{\"kvarium_trace\":{}}}", kTraceVersion));
  flush();
}

void TraceWriter::emit(Event event) {
  write_line(to_json_line(event));
  flush();
}

void TraceWriter::write_line(const std::string& line) {
  errno = 0;
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() || std::fputc('\n', file_.get()) == EOF) {
    cannot_write(path_, errno);
  }
}

void TraceWriter::flush() {
  errno = 0;
  if (std::fflush(file_.get()) != 0) cannot_write(path_, errno);
}

void write_trace(const std::string& path, const Trace& trace) {
  std::error_code unknown;  // a place that cannot be looked at cannot be written either: said below
  if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown)) {
    throw InputError(path + ": is no regular file, and writing a trace would replace it: choose another name");
  }
  const std::string part = path + ".part";
  try {
    TraceWriter writer(part, path);
    for (std::size_t n = 0; n < trace.size(); ++n) writer.write_line(to_json_line(trace[n]));
    writer.flush();
    std::filesystem::rename(part, path);
  } catch (const std::filesystem::filesystem_error& error) {
    std::remove(part.c_str());
    cannot_write(path, error.code().value());
  } catch (const InputError&) {
    std::remove(part.c_str());
    throw;
  }
}

}  // namespace kvarium
