#include "core/cost/units.h"

#include <fmt/format.h>

#include <array>

namespace kvarium {
namespace {

template <std::size_t N>
std::string in_units(std::uint64_t bytes, double step, const std::array<const char*, N>& units) {
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= step && unit + 1 < N) {
    amount /= step;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : three_digits(amount) + " " + units[unit];
}

}  // namespace

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string three_digits(double number) {
  // The limits are where the shorter form would round up to one digit more.
  if (number >= 99.95) return fmt::format("{:.0f}", number);
  if (number >= 9.995) return fmt::format("{:.1f}", number);
  return number >= 0.9995 ? fmt::format("{:.2f}", number) : fmt::format("{:.3f}", number);
}

std::string binary_size(std::uint64_t bytes) {
  return in_units(bytes, 1024.0, std::array{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"});
}

std::string decimal_size(std::uint64_t bytes) {
  return in_units(bytes, 1000.0, std::array{"B", "kB", "MB", "GB", "TB", "PB", "EB"});
}

std::string size_in_words(std::uint64_t bytes) {
  const std::string plain = with_commas(bytes) + " B";
  return bytes < 1000 ? plain : plain + " = " + binary_size(bytes) + " = " + decimal_size(bytes);
}

std::string in_steps(double amount, std::string_view unit) {
  static constexpr std::array kSteps{"", "k", "M", "G", "T", "P", "E"};
  std::size_t step = 0;
  while (amount >= 999.5 && step + 1 < kSteps.size()) {
    amount /= 1000;
    ++step;
  }
  return three_digits(amount) + " " + kSteps[step] + std::string(unit);
}

std::string duration(double seconds) {
  if (seconds >= 1.0) return three_digits(seconds) + " s";
  if (seconds >= 1e-4) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds * 1e6) + " us";
}

}  // namespace kvarium
