#include "visualizer/platform/fonts.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "visualizer/platform/im_compat.h"

namespace kvarium::ui {
namespace {

using Paths = std::vector<std::string>;

const Paths kInter{"/usr/share/fonts/opentype/inter/Inter-Regular.otf",
                   "/usr/share/fonts/truetype/inter/Inter-Regular.ttf", "/Library/Fonts/Inter-Regular.otf"};
const Paths kInterSemiBold{"/usr/share/fonts/opentype/inter/Inter-SemiBold.otf",
                           "/usr/share/fonts/truetype/inter/Inter-SemiBold.ttf", "/Library/Fonts/Inter-SemiBold.otf"};
const Paths kMono{"/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf",
                  "/usr/share/fonts/jetbrains-mono/JetBrainsMono-Regular.ttf",
                  "/Library/Fonts/JetBrainsMono-Regular.ttf"};
const Paths kChinese{"/usr/share/fonts/truetype/wqy/wqy-microhei.ttc", "/usr/share/fonts/wqy-microhei/wqy-microhei.ttc",
                     "/System/Library/Fonts/PingFang.ttc"};

/// Letters, Greek, punctuation, superscripts, arrows, mathematics, boxes and shapes: what lessons and formulas print.
constexpr ImWchar kLatin[] = {0x0020, 0x017F, 0x0370, 0x03FF, 0x2010, 0x2027, 0x2030, 0x205E,
                              0x2070, 0x209F, 0x20AC, 0x20AC, 0x2190, 0x21FF, 0x2200, 0x22FF,
                              0x2308, 0x230B, 0x2500, 0x25FF, 0x2713, 0x2717, 0};
constexpr ImWchar kFirstChinese = 0x2E80;

/// The characters of the text from kFirstChinese on, as ImGui wants them: pairs of first and last, then 0.
std::vector<ImWchar> chinese_ranges(const std::string& text) {
  std::vector<ImWchar> used;
  const char* position = text.data();
  const char* const end = position + text.size();
  while (position < end) {
    unsigned int character = 0;
    position += std::max(1, ImTextCharFromUtf8(&character, position, end));
    if (character >= kFirstChinese && character <= IM_UNICODE_CODEPOINT_MAX) {
      used.push_back(static_cast<ImWchar>(character));
    }
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::vector<ImWchar> ranges;
  for (const ImWchar character : used) {
    if (!ranges.empty() && ranges.back() + 1 == character) {
      ranges.back() = character;
    } else {
      ranges.insert(ranges.end(), {character, character});
    }
  }
  if (!ranges.empty()) ranges.push_back(0);
  return ranges;
}

ImFont* add_builtin(float pixels) {
  ImFontConfig config;
  config.SizePixels = std::max(13.0F, std::round(pixels / 13.0F) * 13.0F);  // a bitmap font: whole multiples stay sharp
  return ImGui::GetIO().Fonts->AddFontDefault(&config);
}

std::vector<unsigned char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

void Fonts::load(float scale, const std::string& text) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  missing_.clear();
  compat::use_freetype(atlas);
  chinese_ = chinese_ranges(text);
  const auto face = [&](FontRole role, const Paths& paths, const char* package, float size) {
    fonts_[static_cast<std::size_t>(role)] = add_face(paths, package, std::round(size * scale));
  };
  // Dear ImGui's size is the height of a line: at 17 JetBrains Mono has letters as large as Inter's at 16.
  face(FontRole::body, kInter, "fonts-inter", 16);
  face(FontRole::strong, kInterSemiBold, "fonts-inter", 16);
  face(FontRole::heading, kInterSemiBold, "fonts-inter", 22);
  face(FontRole::mono, kMono, "fonts-jetbrains-mono", 17);
  face(FontRole::small, kInter, "fonts-inter", 14);
  ImGui::GetIO().FontDefault = get(FontRole::body);
}

ImFont* Fonts::add_face(const std::vector<std::string>& paths, const char* package, float pixels) {
  ImFont* font = add_file(paths, pixels, false, kLatin);
  if (font == nullptr) {
    note_missing(package);
    font = add_builtin(pixels);
  }
  add_file(kMono, pixels, true, kLatin);  // boxes and symbols that the face lacks
  if (!chinese_.empty() && add_file(kChinese, pixels, true, chinese_.data()) == nullptr) {
    note_missing("fonts-wqy-microhei");
  }
  return font;
}

ImFont* Fonts::add_file(const std::vector<std::string>& paths, float pixels, bool merge, const unsigned short* ranges) {
  for (const std::string& path : paths) {
    auto [file, fresh] = files_.try_emplace(path);
    if (fresh) file->second = read_file(path);
    if (file->second.empty()) continue;
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;
    config.MergeMode = merge;
    config.OversampleH = 2;  // used where there is no FreeType
    return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(file->second.data(), static_cast<int>(file->second.size()),
                                                      pixels, &config, ranges);
  }
  return nullptr;
}

void Fonts::note_missing(const char* package) {
  const std::string note = std::string("a font is missing, on Debian: apt-get install ") + package;
  if (std::find(missing_.begin(), missing_.end(), note) == missing_.end()) missing_.push_back(note);
}

WithFont::WithFont(const Fonts& fonts, FontRole role) { compat::push_font(fonts.get(role)); }
WithFont::~WithFont() { ImGui::PopFont(); }

}  // namespace kvarium::ui
