#pragma once
// Why work on another thread failed, for a person.

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium::ui {

/// Calls work(). One line that says why it failed, empty when it did not; `no_memory` for want of memory.
template <class Work>
std::string failure_of(std::string_view no_memory, const Work& work) {
  try {
    work();
    return {};
  } catch (const InputError& error) {
    return error.what();
  } catch (const std::bad_alloc&) {
    return std::string(no_memory);
  } catch (const std::exception& error) {
    return tr_format("This is a bug, please report it: {}", error.what());
  }
}

}  // namespace kvarium::ui
