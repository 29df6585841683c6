#pragma once
// A pool of many blocks as one picture that is painted on the CPU: a few pixels a block, one quad on the screen. Only
// cells that changed are painted again.

#include <memory>
#include <vector>

#include "visualizer/layout/block_grid.h"
#include "visualizer/layout/picture.h"
#include "visualizer/ui/texture.h"
#include "visualizer/ui/ui.h"

namespace kvarium::ui {

class PoolTexture {
 public:
  /// Brings the picture up to date. `dimmed[b]` says that block b is drawn faintly (empty: none is). `version` changes
  /// when theme or scale do.
  void update(TextureBackend& backend, const layout::BlockGrid& grid, const layout::PoolPicture& pool,
              const std::vector<bool>& dimmed, const Theme& theme, int version);
  /// Draws it where the grid is.
  void draw(ImDrawList& list, const layout::BlockGrid& grid) const;
  /// Cells that the last update painted.
  std::size_t painted() const { return painted_; }

 private:
  struct Cell {
    Colour fill = 0, second = 0;  ///< two owners: left and right half
    bool fresh = false, free = true;
    Colour stroke = 0;  ///< of a cached cell: a line from corner to corner
    bool operator==(const Cell&) const = default;
  };
  Cell cell_of(const layout::BlockGrid& grid, const layout::PoolPicture& pool, const std::vector<bool>& dimmed,
               const Theme& theme, std::uint32_t cell) const;
  void paint(const layout::BlockGrid& grid, std::uint32_t index, const Cell& cell, const Theme& theme);
  void start_over(const layout::BlockGrid& grid, const Theme& theme, std::uint32_t cells);

  std::unique_ptr<Texture> texture_;
  Image image_;
  std::vector<Cell> cells_;
  layout::BlockGrid grid_;
  int version_ = -1;
  std::size_t painted_ = 0;
};

}  // namespace kvarium::ui
