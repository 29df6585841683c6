#pragma once
// The tabs of the centre, in their order. A new one needs its line here, its number, and its panel in App::draw_centre.

#include <string_view>

namespace kvarium::ui {

inline constexpr int kBlocksTab = 0, kWorkTab = 1, kRadixTab = 2, kMetricsTab = 3, kAttentionTab = 4, kHeadsTab = 5,
                     kRooflineTab = 6, kKernelTab = 7, kSpecTab = 8;

struct CentreTab {
  std::string_view name;     ///< of --tab, and of what a lesson points at: "tab:heads"
  std::string_view id;       ///< of its button
  std::string_view key;      ///< its shortcut
  std::string_view caption;  ///< English, with the key's number
  std::string_view help;     ///< English
};

inline constexpr CentreTab kCentreTabs[] = {
    {"blocks", "tab_blocks", "tab_1", "1  Blocks", "Where K and V lie"},
    {"work", "tab_work", "tab_2", "2  Work", "What each step computes and reads"},
    {"radix", "tab_radix", "tab_3", "3  Radix", "Which prefixes the cache keeps"},
    {"metrics", "tab_metrics", "tab_4", "4  Metrics", "The run in numbers"},
    {"attention", "tab_attention", "tab_5", "5  Attention", "What each token looks at, and the numbers in K and V"},
    {"heads", "tab_heads", "tab_6", "6  Heads", "How query heads share K and V, and what that saves"},
    {"roofline", "tab_roofline", "tab_7", "7  Roofline", "Does a model wait for memory or for arithmetic?"},
    {"kernel", "tab_kernel", "tab_8", "8  Kernel", "A kernel stepped thread by thread, emulated"},
    {"spec", "tab_spec", "tab_9", "9  Spec", "Tokens that are guessed ahead, judged and taken back"},
};

}  // namespace kvarium::ui
