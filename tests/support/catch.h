#pragma once
// Catch2 2.13 (Debian 12) and 3 (newer systems) under one name.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
namespace kvarium_test {
using Catch::Approx;
inline auto contains(const std::string& part) { return Catch::Matchers::ContainsSubstring(part); }
}  // namespace kvarium_test
#else
#include <catch2/catch.hpp>
namespace kvarium_test {
using Catch::Detail::Approx;  // Catch::Approx is the matcher of vectors
inline auto contains(const std::string& part) { return Catch::Matchers::Contains(part); }
}  // namespace kvarium_test
#endif
