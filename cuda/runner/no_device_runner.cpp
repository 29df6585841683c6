// device_runner.h in a program built without CUDA.

#include "core/error.h"
#include "core/words/words.h"
#include "cuda/runner/device_runner.h"

namespace kvarium::cuda {

std::string why_no_device_runner() {
  return std::string(
      tr("this program was built without CUDA: build it with nvcc and the preset cuda, or run the kernels emulated, "
         "with --runner kernels"));
}

std::string device_name() { throw MisuseError("a program built without CUDA knows no device"); }

std::unique_ptr<ModelRunner> make_device_runner(PlainModel, NumberType) { throw InputError(why_no_device_runner()); }

}  // namespace kvarium::cuda
