#pragma once
// The typefaces: Inter and JetBrains Mono, WenQuanYi for the Chinese characters that are used, the built-in font where
// they are not installed.

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

struct ImFont;

namespace kvarium::ui {

enum class FontRole { body, strong, heading, mono, small };
constexpr int kNumFontRoles = 5;

class Fonts {
 public:
  /// Fills the font atlas of the current ImGui context anew. `scale`: pixels per logical pixel. Chinese glyphs are
  /// loaded only for the characters in `text`, usually the values of a catalogue; plain English needs none.
  /// The back end must upload the atlas afterwards.
  void load(float scale, const std::string& text);

  ImFont* get(FontRole role) const { return fonts_[static_cast<std::size_t>(role)]; }

  /// What could not be found and which package has it, a sentence each; empty when all is there.
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  ImFont* add_face(const std::vector<std::string>& paths, const char* package, float pixels);
  /// Adds the first of the files that can be read; nullptr when there is none. Merged: its glyphs join the font before.
  ImFont* add_file(const std::vector<std::string>& paths, float pixels, bool merge, const unsigned short* ranges);
  void note_missing(const char* package);

  std::array<ImFont*, kNumFontRoles> fonts_{};
  std::vector<std::string> missing_;
  std::vector<unsigned short> chinese_;                                ///< glyph ranges; the atlas points into it
  std::unordered_map<std::string, std::vector<unsigned char>> files_;  ///< by path; the atlas points into them
};

/// Pushes the font of a role for the lifetime of the object.
class WithFont {
 public:
  WithFont(const Fonts& fonts, FontRole role);
  ~WithFont();
  WithFont(const WithFont&) = delete;
  WithFont& operator=(const WithFont&) = delete;
};

}  // namespace kvarium::ui
