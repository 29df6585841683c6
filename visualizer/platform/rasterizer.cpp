#include "visualizer/platform/rasterizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "visualizer/platform/headless.h"
#include "visualizer/platform/im_compat.h"

namespace kvarium::ui {
namespace {

constexpr Colour kOpaque = 0xFF000000u;

/// Two channels at once, in bits 0-7 and 16-23: x / 255, rounded, of products below 65,536 in bits 0-15 and 16-31.
constexpr std::uint32_t divide_pair_by_255(std::uint32_t pair) {
  const std::uint32_t rounded = pair + 0x00800080u;
  return ((rounded + (rounded >> 8 & 0x00FF00FFu)) >> 8) & 0x00FF00FFu;
}

constexpr std::uint32_t multiply_channel(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t product = a * b + 128;
  return (product + (product >> 8)) >> 8;
}

/// Both colours multiplied channel by channel: a texture's texel tinted by a vertex colour.
Colour tinted(Colour texel, Colour tint) {
  if (tint == 0xFFFFFFFFu) return texel;
  if ((texel & 0x00FFFFFFu) == 0x00FFFFFFu) {  // the font atlas: white with an opacity
    return (tint & 0x00FFFFFFu) | multiply_channel(texel >> 24, tint >> 24) << 24;
  }
  Colour result = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    result |= multiply_channel(texel >> shift & 0xFFu, tint >> shift & 0xFFu) << shift;
  }
  return result;
}

/// Source over an opaque destination.
void blend(Colour& destination, Colour source) {
  const std::uint32_t alpha = source >> 24;
  if (alpha == 255) {
    destination = source;
  } else if (alpha != 0) {
    const std::uint32_t rest = 255 - alpha;
    const std::uint32_t red_blue = (source & 0x00FF00FFu) * alpha + (destination & 0x00FF00FFu) * rest;
    const std::uint32_t green = (source >> 8 & 0xFFu) * alpha + (destination >> 8 & 0xFFu) * rest;
    destination = divide_pair_by_255(red_blue) | divide_pair_by_255(green) << 8 | kOpaque;
  }
}

void blend_span(Colour* first, Colour* last, Colour source) {
  if (source >> 24 == 255) {
    std::fill(first, last, source);
  } else if (source >> 24 != 0) {
    for (; first < last; ++first) blend(*first, source);
  }
}

/// The first pixel whose centre is at or right of (below) the edge, kept within [low, high].
int first_pixel(float edge, int low, int high) {
  const float pixel = std::ceil(edge - 0.5F);
  if (!(pixel > static_cast<float>(low))) return low;
  return pixel >= static_cast<float>(high) ? high : static_cast<int>(pixel);
}

struct Clip {
  int left, top, right, bottom;  ///< pixels; right and bottom exclusive
};

/// A texel coordinate split into a texel and the weight (of 256) of its right (lower) neighbour.
struct Texel {
  int first, second;
  std::uint32_t weight;
};

class Sampler {
 public:
  explicit Sampler(const CpuTexture& texture) : image_(texture.image), smooth_(texture.filter == Filter::smooth) {}

  Texel column(float u) const { return split(u, image_.width); }
  Texel row(float v) const { return split(v, image_.height); }

  Colour at(const Texel& x, const Texel& y) const {
    const Colour* upper = image_.row(y.first);
    if (x.weight == 0 && y.weight == 0) return upper[x.first];
    const Colour* lower = image_.row(y.second);
    const Colour top = lerp(upper[x.first], upper[x.second], x.weight);
    return y.weight == 0 ? top : lerp(top, lerp(lower[x.first], lower[x.second], x.weight), y.weight);
  }
  Colour at(float u, float v) const { return at(column(u), row(v)); }

 private:
  Texel split(float coordinate, int size) const {
    const float limit = static_cast<float>(size);
    float position = coordinate * limit - (smooth_ ? 0.5F : 0.0F);
    if (!(position > 0)) position = 0;  // also for NaN
    if (position > limit - 1 && smooth_) position = limit - 1;
    const int first = std::min(static_cast<int>(std::min(position, limit)), size - 1);
    const auto weight = smooth_ ? static_cast<std::uint32_t>((position - static_cast<float>(first)) * 256 + 0.5F) : 0u;
    // within 1/128 of a texel's centre is on it: what was laid out pixel on texel stays sharp
    if (weight <= 2) return {first, first, 0};
    if (weight >= 254) return {std::min(first + 1, size - 1), std::min(first + 1, size - 1), 0};
    return {first, std::min(first + 1, size - 1), weight};
  }

  static Colour lerp(Colour a, Colour b, std::uint32_t weight) {
    if (a == b || weight == 0) return a;
    const std::uint32_t rest = 256 - weight;
    const std::uint32_t low = ((a & 0x00FF00FFu) * rest + (b & 0x00FF00FFu) * weight) >> 8 & 0x00FF00FFu;
    const std::uint32_t high = ((a >> 8 & 0x00FF00FFu) * rest + (b >> 8 & 0x00FF00FFu) * weight) & 0xFF00FF00u;
    return low | high;
  }

  const Image& image_;
  bool smooth_;
};

class Painter {
 public:
  Painter(Image& target, const Clip& clip, const CpuTexture& texture, ImVec2 origin)
      : target_(target), clip_(clip), sampler_(texture), origin_(origin) {}

  /// An upright rectangle of one colour tint; `a` is its upper left, `c` its lower right corner.
  void rectangle(const ImDrawVert& a, const ImDrawVert& c) {
    const float x0 = a.pos.x - origin_.x, y0 = a.pos.y - origin_.y;
    const float x1 = c.pos.x - origin_.x, y1 = c.pos.y - origin_.y;
    const int left = first_pixel(x0, clip_.left, clip_.right), right = first_pixel(x1, clip_.left, clip_.right);
    const int top = first_pixel(y0, clip_.top, clip_.bottom), bottom = first_pixel(y1, clip_.top, clip_.bottom);
    if (left >= right || top >= bottom) return;
    if (a.uv.x == c.uv.x && a.uv.y == c.uv.y) {
      const Colour colour = tinted(sampler_.at(a.uv.x, a.uv.y), a.col);
      for (int y = top; y < bottom; ++y) blend_span(target_.row(y) + left, target_.row(y) + right, colour);
      return;
    }
    columns_.clear();
    const float du = (c.uv.x - a.uv.x) / (x1 - x0), dv = (c.uv.y - a.uv.y) / (y1 - y0);
    for (int x = left; x < right; ++x) {
      columns_.push_back(sampler_.column(a.uv.x + (static_cast<float>(x) + 0.5F - x0) * du));
    }
    for (int y = top; y < bottom; ++y) {
      const Texel row = sampler_.row(a.uv.y + (static_cast<float>(y) + 0.5F - y0) * dv);
      Colour* pixel = target_.row(y) + left;
      for (const Texel& column : columns_) blend(*pixel++, tinted(sampler_.at(column, row), a.col));
    }
  }

  void triangle(const ImDrawVert& first, const ImDrawVert& second, const ImDrawVert& third) {
    std::array<const ImDrawVert*, 3> v{&first, &second, &third};
    std::sort(v.begin(), v.end(), [](const ImDrawVert* a, const ImDrawVert* b) { return a->pos.y < b->pos.y; });
    const float upper = v[0]->pos.y - origin_.y, lower = v[2]->pos.y - origin_.y, middle = v[1]->pos.y - origin_.y;
    const int top = first_pixel(upper, clip_.top, clip_.bottom), bottom = first_pixel(lower, clip_.top, clip_.bottom);
    if (top >= bottom) return;
    const Shading shading(v, sampler_);
    for (int y = top; y < bottom; ++y) {
      const float centre = static_cast<float>(y) + 0.5F;
      const float long_side = crossing(*v[0], *v[2], centre);
      const float short_side = centre < middle ? crossing(*v[0], *v[1], centre) : crossing(*v[1], *v[2], centre);
      const int left = first_pixel(std::min(long_side, short_side), clip_.left, clip_.right);
      const int right = first_pixel(std::max(long_side, short_side), clip_.left, clip_.right);
      if (left < right) span(shading, y, left, right);
    }
  }

 private:
  /// Colour and texture coordinate as planes over the screen: value = base + x * across + y * down.
  struct Plane {
    float base = 0, across = 0, down = 0;
    float at(float x, float y) const { return base + x * across + y * down; }
  };

  struct Shading {
    Shading(const std::array<const ImDrawVert*, 3>& v, const Sampler& sampler) {
      flat_colour = v[0]->col == v[1]->col && v[0]->col == v[2]->col;
      flat_texture =
          v[0]->uv.x == v[1]->uv.x && v[0]->uv.x == v[2]->uv.x && v[0]->uv.y == v[1]->uv.y && v[0]->uv.y == v[2]->uv.y;
      if (flat_texture) texel = sampler.at(v[0]->uv.x, v[0]->uv.y);
      tint = v[0]->col;
      if (!flat_colour) {
        for (int i = 0; i < 4; ++i) {
          const auto channel = [&](int k) {
            return static_cast<float>(v[static_cast<std::size_t>(k)]->col >> (8 * i) & 0xFFu);
          };
          channels[static_cast<std::size_t>(i)] = plane(v, channel(0), channel(1), channel(2));
        }
      }
      if (!flat_texture) {
        u = plane(v, v[0]->uv.x, v[1]->uv.x, v[2]->uv.x);
        v_ = plane(v, v[0]->uv.y, v[1]->uv.y, v[2]->uv.y);
      }
    }

    static Plane plane(const std::array<const ImDrawVert*, 3>& v, float a, float b, float c) {
      const ImVec2 p = v[0]->pos, q = v[1]->pos, r = v[2]->pos;
      const float area = (q.x - p.x) * (r.y - p.y) - (r.x - p.x) * (q.y - p.y);
      if (std::abs(area) < 1e-6F) return {a, 0, 0};
      const float across = ((b - a) * (r.y - p.y) - (c - a) * (q.y - p.y)) / area;
      const float down = ((c - a) * (q.x - p.x) - (b - a) * (r.x - p.x)) / area;
      return {a - across * p.x - down * p.y, across, down};
    }

    Colour tint_at(float x, float y) const {
      if (flat_colour) return tint;
      Colour result = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        const float value = std::clamp(channels[i].at(x, y), 0.0F, 255.0F);
        result |= static_cast<Colour>(value + 0.5F) << (8 * i);
      }
      return result;
    }

    bool flat_colour = true, flat_texture = true;
    Colour texel = 0, tint = 0;
    std::array<Plane, 4> channels;
    Plane u, v_;
  };

  /// x of the edge from a (above) to b (below) at height y, all relative to the target. Triangles that share the edge
  /// get the same number.
  float crossing(const ImDrawVert& a, const ImDrawVert& b, float y) const {
    const float height = b.pos.y - a.pos.y;
    if (height <= 0) return a.pos.x - origin_.x;
    return a.pos.x - origin_.x + (y + origin_.y - a.pos.y) * (b.pos.x - a.pos.x) / height;
  }

  void span(const Shading& shading, int y, int left, int right) {
    Colour* row = target_.row(y);
    if (shading.flat_colour && shading.flat_texture) {
      blend_span(row + left, row + right, tinted(shading.texel, shading.tint));
      return;
    }
    const float py = static_cast<float>(y) + 0.5F + origin_.y;
    for (int x = left; x < right; ++x) {
      const float px = static_cast<float>(x) + 0.5F + origin_.x;
      const Colour texel =
          shading.flat_texture ? shading.texel : sampler_.at(shading.u.at(px, py), shading.v_.at(px, py));
      blend(row[x], tinted(texel, shading.tint_at(px, py)));
    }
  }

  Image& target_;
  Clip clip_;
  Sampler sampler_;
  ImVec2 origin_;
  std::vector<Texel> columns_;
};

/// Whether six indices are the two triangles (a b c) (a c d) of an upright rectangle of one tint.
bool is_rectangle(const ImDrawVert* vertices, const ImDrawIdx* index) {
  if (index[3] != index[0] || index[4] != index[2]) return false;
  const ImDrawVert &a = vertices[index[0]], &b = vertices[index[1]], &c = vertices[index[2]], &d = vertices[index[5]];
  const bool upright = a.pos.x == d.pos.x && b.pos.x == c.pos.x && a.pos.y == b.pos.y && c.pos.y == d.pos.y &&
                       a.pos.x < c.pos.x && a.pos.y < c.pos.y;
  const bool straight = a.uv.x == d.uv.x && b.uv.x == c.uv.x && a.uv.y == b.uv.y && c.uv.y == d.uv.y;
  return upright && straight && a.col == b.col && a.col == c.col && a.col == d.col;
}

void draw_command(const ImDrawList& list, const ImDrawCmd& command, Painter& painter) {
  const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
  const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
  const ImDrawIdx* const end = index + command.ElemCount;
  while (index + 3 <= end) {
    if (index + 6 <= end && is_rectangle(vertices, index)) {
      painter.rectangle(vertices[index[0]], vertices[index[2]]);
      index += 6;
    } else {
      painter.triangle(vertices[index[0]], vertices[index[1]], vertices[index[2]]);
      index += 3;
    }
  }
}

}  // namespace

void draw_on_cpu(const ImDrawData& data, const CpuTextures& textures, Image& target) {
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const CpuTexture* texture = textures.find(compat::texture_handle(command.GetTexID()));
      if (command.UserCallback != nullptr || texture == nullptr) continue;
      const auto edge = [](float position, int size) {
        return static_cast<int>(std::clamp(position, 0.0F, static_cast<float>(size)));
      };
      const Clip clip{edge(command.ClipRect.x - data.DisplayPos.x, target.width),
                      edge(command.ClipRect.y - data.DisplayPos.y, target.height),
                      edge(command.ClipRect.z - data.DisplayPos.x, target.width),
                      edge(command.ClipRect.w - data.DisplayPos.y, target.height)};
      if (clip.left >= clip.right || clip.top >= clip.bottom) continue;
      Painter painter(target, clip, *texture, data.DisplayPos);
      draw_command(list, command, painter);
    }
  }
}

}  // namespace kvarium::ui
