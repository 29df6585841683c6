#pragma once
// The main() that every lesson's program shares.

#include <string_view>

namespace kvarium {

/// Runs the lesson in this terminal; --check runs it unattended, --record writes its trace. Returns the exit code: 0,
/// 1 when an answer differs from the engine, 2 for bad flags or a file that cannot be written.
int lesson_main(std::string_view id, int argc, const char* const* argv);

}  // namespace kvarium
