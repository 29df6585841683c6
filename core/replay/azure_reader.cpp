#include "core/replay/azure_reader.h"

#include <array>
#include <charconv>
#include <chrono>
#include <string_view>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

constexpr std::string_view kHeader = "TIMESTAMP,ContextTokens,GeneratedTokens";
constexpr std::int64_t kTicksPerSecond = 10'000'000;  ///< a tick is 100 ns: the seventh digit of the second
constexpr double kTicksPerMillisecond = 1e4;
constexpr std::size_t kMostDigits = 7;

/// The whole text as a number of decimal digits.
std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t parsed = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return parsed;
}

/// Takes `width` digits off the front, and the separator that must follow them ('\0': none).
std::optional<std::uint32_t> take(std::string_view& text, std::size_t width, char separator) {
  if (text.size() < width) return std::nullopt;
  const std::optional<std::uint32_t> parsed = number(text.substr(0, width));
  text.remove_prefix(width);
  if (separator == '\0') return parsed;
  if (text.empty() || text.front() != separator) return std::nullopt;
  text.remove_prefix(1);
  return parsed;
}

/// Days since 1970 of "2023-11-16 ", which it takes off the front.
std::optional<std::int64_t> take_day(std::string_view& text) {
  const auto year = take(text, 4, '-');
  const auto month = take(text, 2, '-');
  const auto day = take(text, 2, ' ');
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

/// ".9799600" in ticks; "" is 0. Fewer digits than seven stand for the higher places.
std::optional<std::int64_t> fraction(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() != '.' || text.size() == 1 || text.size() > kMostDigits + 1) return std::nullopt;
  std::string digits(text.substr(1));
  digits.resize(kMostDigits, '0');
  return number(digits);
}

/// Ticks since 1970 of "2023-11-16 18:17:03.9799600".
std::optional<std::int64_t> ticks(std::string_view text) {
  const auto day = take_day(text);
  const auto hour = take(text, 2, ':');
  const auto minute = take(text, 2, ':');
  const auto second = take(text, 2, '\0');
  const auto part = fraction(text);
  if (!day || !hour || !minute || !second || !part) return std::nullopt;
  if (*hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const std::int64_t seconds = *day * 86400 + std::int64_t{*hour} * 3600 + std::int64_t{*minute} * 60 + *second;
  return seconds * kTicksPerSecond + *part;
}

std::optional<std::array<std::string_view, 3>> fields(std::string_view line) {
  const std::size_t first = line.find(',');
  const std::size_t second = first == std::string_view::npos ? first : line.find(',', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  return std::array{line.substr(0, first), line.substr(first + 1, second - first - 1), line.substr(second + 1)};
}

std::uint32_t tokens(std::string_view text, std::string_view column, const LineReader& lines) {
  const std::optional<std::uint32_t> parsed = number(text);
  if (!parsed || *parsed > kMostTracedTokens) {
    lines.fail(tr_format("{} is \"{}\": a whole number from 0 to {} is needed", column, text, kMostTracedTokens));
  }
  return *parsed;
}

}  // namespace

std::optional<RequestTrace> read_azure(std::istream& in, const std::string& name, const OnProgress& on_progress,
                                       const CancelToken& cancel) {
  LineReader lines(in, name, on_progress, cancel);
  if (lines.next() && lines.line() != kHeader) lines.fail(tr_format("the header {} is missing", kHeader));
  RequestTrace trace;
  std::optional<std::int64_t> first;
  std::int64_t last = 0;
  while (lines.next()) {
    const auto columns = fields(lines.line());
    if (!columns) lines.fail(tr_format("three columns are needed: {}", kHeader));
    const auto time = ticks((*columns)[0]);
    if (!time) lines.fail(tr_format("\"{}\" is no time such as 2023-11-16 18:17:03.9799600", (*columns)[0]));
    if (first && *time < last) lines.fail(std::string(tr("the time goes back: rows stand in order of arrival")));
    if (!first) first = time;
    last = *time;
    const double arrival_ms = static_cast<double>(*time - *first) / kTicksPerMillisecond;
    if (arrival_ms > static_cast<double>(kLongestArrivalMs)) {
      lines.fail(tr_format("more than {} ms after the first row", kLongestArrivalMs));
    }
    const std::uint32_t input = tokens((*columns)[1], "ContextTokens", lines);
    const std::uint32_t output = tokens((*columns)[2], "GeneratedTokens", lines);
    trace.requests.push_back({arrival_ms, input, output, {}});
  }
  if (lines.cancelled()) return std::nullopt;
  if (trace.requests.empty()) throw InputError(tr_format("{}: no request in it", name));
  return trace;
}

}  // namespace kvarium
