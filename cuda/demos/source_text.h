#pragma once
// The sources of the kernels, as they were compiled into this program: shown beside the threads that run them.

#include <string>
#include <string_view>
#include <vector>

#include "cuda/simt/emulator/site.h"

namespace kvarium::cuda::demos {

/// A file of cuda/kernels.
struct EmbeddedFile {
  std::string_view path;  ///< "cuda/kernels/rms_norm.cuh"
  std::string_view text;
};

/// All of them; written by cmake/embed_text.cmake when the program is built.
const std::vector<EmbeddedFile>& embedded_files();

/// The lines of the file that a place in a kernel names; empty when it is none of cuda/kernels.
const std::vector<std::string>& source_lines(const emulator::Site& site);

}  // namespace kvarium::cuda::demos
