// A large pool as one painted picture.

#include "visualizer/draw/pool_texture.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium::ui;

namespace {

/// Counts what it is asked to do; keeps no pictures.
class CountingTextures final : public TextureBackend {
 public:
  std::uintptr_t create_texture(const Image&, Filter) override {
    ++created;
    return 1;
  }
  void update_texture(std::uintptr_t, const Image&, int first_row, int rows) override {
    last_first_row = first_row;
    last_rows = rows;
  }
  void destroy_texture(std::uintptr_t) override {}

  int created = 0, last_first_row = -1, last_rows = 0;
};

layout::PoolPicture empty_pool(std::size_t blocks) {
  layout::PoolPicture pool;
  pool.block_size = 16;
  pool.blocks.resize(blocks);
  return pool;
}

}  // namespace

TEST_CASE("Of a large pool only the cells that changed are painted again") {
  CountingTextures textures;
  const layout::BlockGrid grid = layout::block_grid(17400, 16, {0, 0, 800, 348}, 1);
  layout::PoolPicture pool = empty_pool(17400);
  const Theme& theme = theme_of(ThemeName::dark);
  PoolTexture picture;
  picture.update(textures, grid, pool, {}, theme, 1);
  CHECK(picture.painted() == 17400);
  picture.update(textures, grid, pool, {}, theme, 1);
  CHECK(picture.painted() == 0);

  pool.blocks[5000].owner_count = 1;
  pool.blocks[5000].filled = 16;
  picture.update(textures, grid, pool, {}, theme, 1);
  CHECK(picture.painted() == 1);
  CHECK(textures.last_rows == 4);  // one row of cells of 4 pixels
  CHECK(textures.last_first_row == 4 * static_cast<int>(5000 / grid.columns));
  CHECK(textures.created == 1);
}

TEST_CASE("Another theme, another size and an isolated state paint all cells anew") {
  CountingTextures textures;
  const layout::PoolPicture pool = empty_pool(1000);
  const layout::BlockGrid grid = layout::block_grid(1000, 16, {0, 0, 800, 348}, 1);
  PoolTexture picture;
  picture.update(textures, grid, pool, {}, theme_of(ThemeName::dark), 1);
  picture.update(textures, grid, pool, {}, theme_of(ThemeName::light), 2);
  CHECK(picture.painted() == 1000);
  picture.update(textures, grid, pool, std::vector<bool>(1000, true), theme_of(ThemeName::light), 2);
  CHECK(picture.painted() == 1000);
  picture.update(textures, layout::block_grid(1000, 16, {0, 0, 500, 348}, 1), pool, std::vector<bool>(1000, true),
                 theme_of(ThemeName::light), 2);
  CHECK(picture.painted() == 1000);
}
