#include "core/cost/hardware.h"

#include "core/cost/plain_name.h"
#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {

const std::vector<HardwareProfile>& hardware_profiles() {
  static const std::vector<HardwareProfile> kProfiles{
      {"A100 SXM", 312e12, {"A100 SXM HBM2e", 2039 * kGB}, 80 * kGB, "NVIDIA, A100 80GB data sheet, June 2021"},
      {"H100 SXM", 989.4e12, kH100Hbm, 80 * kGB, "NVIDIA, H100 architecture paper 1.04 and data sheet, 2023"},
      {"H200", 989.4e12, {"H200 HBM3e", 4800 * kGB}, 141 * kGB, "NVIDIA, H200 data sheet, November 2023"},
      {"MI300X", 1307.4e12, {"MI300X HBM3", 5300 * kGB}, 192 * kGB, "AMD, Instinct MI300X data sheet, December 2023"},
      // With sums in FP16 it would be twice as fast, and too inexact for long sums.
      {"RTX 4090", 165.2e12, {"RTX 4090 GDDR6X", 1008 * kGB}, 24 * kGB, "NVIDIA, Ada architecture paper 2.1, 2023"},
  };
  return kProfiles;
}

const HardwareProfile& find_hardware(std::string_view name) {
  std::string known;
  for (const HardwareProfile& profile : hardware_profiles()) {
    if (plain_name(profile.name) == plain_name(name)) return profile;
    known += (known.empty() ? "" : ", ") + profile.name;
  }
  throw InputError(tr_format("there is no hardware '{}': use one of {}", name, known));
}

}  // namespace kvarium
