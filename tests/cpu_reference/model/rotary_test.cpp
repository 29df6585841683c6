#include "cpu_reference/model/rotary.h"

#include <numbers>

#include "cpu_reference/operators/rope.h"
#include "tests/cpu_reference/model/random_model.h"
#include "tests/cpu_reference/support.h"

using namespace kvarium::cpu;
using kvarium_test::Approx;
using kvarium_test::small_llama;

TEST_CASE("the frequencies fall from 1 by equal ratios, one for each rotated pair") {
  ModelConfig config = small_llama();  // heads of 6, base 500
  CHECK(rope_frequencies(config) == std::vector<double>{1.0, std::pow(500.0, -1.0 / 3), std::pow(500.0, -2.0 / 3)});
  config.rotary_dim = 4;
  CHECK(rope_frequencies(config) == std::vector<double>{1.0, std::pow(500.0, -0.5)});
  config.positions = Positions::learned;
  CHECK(rope_frequencies(config).empty());
}

TEST_CASE("Llama 3.1 keeps fast rotations, slows slow ones by the factor and mixes those between") {
  ModelConfig config = small_llama();
  config.shape.head_dim = 2;
  config.rope_scaling = {RopeScaling::Kind::llama3, 8.0F, 1.0F, 4.0F, 32};
  // One pair of frequency 1 / factors: wavelengths 2 pi * factor against 32 / 4 = 8 and 32 / 1.
  const auto frequency = [&](float slower) {
    config.rope_freq_factors = {slower};
    return rope_frequencies(config).at(0);
  };
  CHECK(frequency(1.0F) == 1.0);         // wavelength 6.28 < 8
  CHECK(frequency(8.0F) == 1.0 / 64.0);  // wavelength 50.3 > 32
  const double turns = 32 / (2 * std::numbers::pi * 2), kept = (turns - 1) / 3;
  CHECK(frequency(2.0F) == Approx(0.5 * kept + 0.5 / 8 * (1 - kept)).epsilon(1e-12));
}

TEST_CASE("linear scaling divides positions, so twice as far is as far as before") {
  ModelConfig config = small_llama();
  RopeAngles plain{Matrix(1, 3), Matrix(1, 3)}, scaled{Matrix(1, 3), Matrix(1, 3)};
  write_angles(rope_frequencies(config), 5, 1, 0, plain);
  config.rope_scaling = {RopeScaling::Kind::linear, 2.0F, 1.0F, 4.0F, 0};
  write_angles(rope_frequencies(config), 10, 1, 0, scaled);
  CHECK(plain.cosines == scaled.cosines);
  CHECK(plain.sines == scaled.sines);
}
