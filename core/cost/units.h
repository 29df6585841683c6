#pragma once
// Numbers as people read them. GB and GiB are both printed where it matters: popular texts mix them up, and at the
// size of a KV cache they are 7 % apart.

#include <cstdint>
#include <string>
#include <string_view>

namespace kvarium {

/// "1,342,177,280"
std::string with_commas(std::uint64_t number);
/// Three digits: "2.15", "68.6", "512". More before the point when there are more: "1012".
std::string three_digits(double number);
/// In the largest binary unit that gives at least 1: "1.25 GiB", "320 KiB", "7 B".
std::string binary_size(std::uint64_t bytes);
/// In the largest decimal unit that gives at least 1: "1.34 GB", "328 kB", "7 B".
std::string decimal_size(std::uint64_t bytes);
/// "1,342,177,280 B = 1.25 GiB = 1.34 GB"; below 1000 B only the first.
std::string size_in_words(std::uint64_t bytes);
/// In the largest decimal step that gives at least 1: "989 TFLOP/s", "3.35 TB/s", "12.0 FLOP".
std::string in_steps(double amount, std::string_view unit);
/// In seconds, milliseconds (from 0.1 on) or microseconds: "1.67 s", "0.597 ms", "11.4 us".
std::string duration(double seconds);

}  // namespace kvarium
