#include "core/cost/model_shapes.h"

#include <set>

#include "core/cost/kv_bytes.h"
#include "core/cost/plain_name.h"
#include "core/error.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

TEST_CASE("every known shape is complete and consistent with itself") {
  std::set<std::string> names;
  for (const ModelShape& shape : model_shapes()) {
    CAPTURE(shape.name);
    CHECK_NOTHROW(check(shape));
    CHECK(names.insert(plain_name(shape.name)).second);
    CHECK(shape.query_heads % shape.kv_heads == 0);
    CHECK(shape.vocab > 0);
    CHECK(shape.context > 0);
    // Only Qwen3 and MLA choose the width of a head freely.
    const bool free_width = shape.kv_kind == KvKind::latent || shape.name.rfind("qwen3", 0) == 0;
    if (!free_width) CHECK(shape.query_heads * shape.head_dim == shape.hidden);
  }
}

TEST_CASE("a shape is found however its name is typed") {
  CHECK(find_model_shape("Llama-3.1-8B").layers == 32);
  CHECK(find_model_shape("LLaMA 2 70b").kv_heads == 8);
  CHECK(find_model_shape("qwen3_4b").head_dim == 128);
}

TEST_CASE("an unknown name is answered with near ones") {
  CHECK_THROWS_WITH(find_model_shape("lama-2-70b"),
                    "there is no model shape 'lama-2-70b': did you mean one of llama-2-70b, llama-2-7b, llama-2-13b?");
  CHECK_THROWS_WITH(find_model_shape("gpt-2"),
                    "there is no model shape 'gpt-2': did you mean one of gpt-2-small, gpt-2-medium, gpt-2-large?");
  CHECK_THROWS_AS(find_model_shape(""), InputError);
  CHECK_THROWS_AS(find_model_shape("\xff\xfe"), InputError);
  CHECK_THROWS_WITH(find_model_shape(std::string(100000, 'x')), "a model name of 100000 characters: too long");
}

}  // namespace
}  // namespace kvarium
