#include "lessons/kit/lesson_main.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <string>

#include "core/error.h"
#include "core/trace/trace.h"
#include "core/trace/trace_io.h"
#include "core/words/words.h"
#include "lessons/kit/lesson.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/terminal_front.h"

namespace kvarium {
namespace {

struct Options {
  bool check = false;
  std::string record;
};

/// One line a failure; the count of what was compared otherwise.
int report(const Lesson& lesson, const LessonKit& kit) {
  for (const std::string& failure : kit.failures()) std::cout << lesson.id << ": " << failure << '\n';
  if (!kit.failures().empty()) return 1;
  std::cout << tr_format("{}: {} answers and claims, all as the engine computed them\n", lesson.id, kit.num_checked());
  return 0;
}

int run(const Lesson& lesson, const Options& options) {
  Trace trace;
  SilentFront nobody;
  const TerminalAbilities can = terminal_abilities();
  TerminalFront terminal(std::cin, std::cout, can);
  LessonFront& front = options.check ? static_cast<LessonFront&>(nobody) : terminal;
  LessonKit kit(front, trace);
  bool left = false;
  try {
    lesson.run(kit);
  } catch (const LessonLeft&) {
    left = true;
  }
  if (!options.record.empty()) {
    write_trace(options.record, trace);
    std::cout << tr_format("The trace is in {0}. Watch it with: kvarium replay {0}\n", options.record);
  }
  if (options.check) return report(lesson, kit);
  if (left) {
    std::cout << tr("Left early. Start again whenever you like.\n");
    return 0;
  }
  std::cout << tr_format("The chapter of this lesson: {}\n", lesson.doc);
  if (options.record.empty()) {
    std::cout << tr_format("Watch it move: {0} --record {0}.jsonl, then kvarium replay {0}.jsonl\n", lesson.id);
  }
  return 0;
}

}  // namespace

int lesson_main(std::string_view id, int argc, const char* const* argv) {
  const auto complain = [&](const std::string& line) { std::cerr << id << ": " << line << '\n'; };
  try {
    const Lesson& lesson = find_lesson(id);
    CLI::App flags(tr_format("Lesson {}: {}", lesson.id, tr(lesson.title)), lesson.id);
    flags.footer(tr_format("Example: {} --record lesson.trace.jsonl", lesson.id));
    Options options;
    flags.add_flag("--check", options.check, std::string(tr("run unattended; exit code 1 where an answer differs")));
    flags.add_option("--record", options.record, std::string(tr("write the trace to this file")));
    try {
      flags.parse(argc, argv);
    } catch (const CLI::CallForHelp& help) {
      return flags.exit(help);
    } catch (const CLI::ParseError& error) {
      complain(tr_format("{} (--help lists what there is)", error.what()));
      return 2;
    }
    const int code = run(lesson, options);
    std::cout.flush();
    if (std::cout.good()) return code;
    complain(std::string(tr("cannot write to standard output")));
    return 2;
  } catch (const InputError& error) {
    complain(error.what());
    return 2;
  } catch (const std::exception& error) {
    complain(tr_format("this is a bug, please report it: {}", error.what()));
    return 1;
  }
}

}  // namespace kvarium
