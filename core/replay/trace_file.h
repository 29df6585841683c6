#pragma once
// Opens a trace of requests, or says why not.

#include <fstream>
#include <string>

namespace kvarium {

/// InputError with the path and the reason when it is a folder or cannot be opened.
std::ifstream open_request_trace(const std::string& path);

}  // namespace kvarium
