#include "core/replay/line_reader.h"

#include <utility>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

constexpr std::uint64_t kTellEvery = std::uint64_t{1} << 16U;  ///< bytes

/// 0 for what has no size, such as a pipe.
std::uint64_t size_of(std::istream& in) {
  const std::istream::pos_type here = in.tellg();
  in.seekg(0, std::ios::end);
  const std::istream::pos_type end = in.tellg();
  in.clear();
  if (here == std::istream::pos_type(-1) || end == std::istream::pos_type(-1)) return 0;
  in.seekg(here);
  return static_cast<std::uint64_t>(end - here);
}

}  // namespace

LineReader::LineReader(std::istream& in, std::string name, const OnProgress& on_progress, const CancelToken& cancel)
    : in_(in), name_(std::move(name)), on_progress_(on_progress), cancel_(cancel), buffer_(kLongestLine + 1, '\0') {
  progress_.total = size_of(in);
}

bool LineReader::next() {
  while (!cancel_.cancelled() && read()) {
    tell(false);
    if (!line_.empty()) return true;
  }
  if (!cancel_.cancelled()) tell(true);
  return false;
}

bool LineReader::read() {
  in_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  const auto taken = static_cast<std::size_t>(in_.gcount());
  if (in_.bad()) throw InputError(tr_format("{}: cannot be read any further than line {}", name_, number_));
  if (taken == 0) return false;
  ++number_;
  progress_.done += taken;
  if (in_.fail()) fail(tr_format("longer than {} bytes: this file is of another kind", kLongestLine));
  line_ = std::string_view(buffer_.data(), in_.eof() ? taken : taken - 1);
  if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
  return true;
}

void LineReader::tell(bool at_end) {
  if (!on_progress_ || (!at_end && progress_.done - told_ < kTellEvery)) return;
  told_ = progress_.done;
  on_progress_(progress_);
}

void LineReader::fail(const std::string& what) const {
  throw InputError(tr_format("{}: line {}: {}", name_, number_, what));
}

}  // namespace kvarium
