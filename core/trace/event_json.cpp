#include "core/trace/event_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/token_text.h"
#include "core/trace/event_fields.h"

namespace kvarium {
namespace {

using Json = nlohmann::json;

// --- writing

class LineWriter {
 public:
  template <typename Named>
  void object(const Named& named) {
    Fields<Named>::each(named, [this](std::string_view name, const auto& field) {
      key(name);
      write(field);
    });
  }
  void key(std::string_view name) {
    text_ += text_.back() == '{' ? "\"" : ",\"";
    text_.append(name).append("\":");
  }

  void write(bool field) { text_ += field ? "true" : "false"; }
  void write(const std::string& field) { text_ += Json(field).dump(-1, ' ', false, Json::error_handler_t::replace); }
  template <typename T>
  void write(const std::vector<T>& field) {
    text_ += '[';
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (i > 0) text_ += ',';
      write(field[i]);
    }
    text_ += ']';
  }
  template <typename T>
  void write(const T& field) {
    if constexpr (requires { EnumNames<T>::kNames; }) {
      text_.append("\"").append(EnumNames<T>::kNames.at(static_cast<std::size_t>(field))).append("\"");
    } else if constexpr (std::is_enum_v<T>) {
      text_ += std::to_string(static_cast<std::underlying_type_t<T>>(field));
    } else if constexpr (std::is_integral_v<T>) {
      text_ += std::to_string(field);
    } else if constexpr (std::is_same_v<T, double>) {
      text_ += fmt::format("{}", field);  // the fewest digits that read back as the same number
    } else {
      text_ += '{';
      object(field);
      text_ += '}';
    }
  }

  std::string take() && { return std::move(text_) + "}"; }

 private:
  std::string text_ = "{";
};

// --- reading

[[noreturn]] void bad(const std::string& what) { throw BadLine(what, false); }

/// A value as it is quoted in an error: short, and harmless to a terminal.
std::string excerpt(const Json& value) {
  if (value.is_structured() && value.size() > 8) return value.is_array() ? "a long list" : "a large object";
  const std::string text = printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
  return text.size() <= 60 ? text : "a long text";
}

/// Refuses, while the JSON is parsed, what the parser itself lets pass: a name that is given twice, and depth.
class Guard {
 public:
  bool operator()(int, Json::parse_event_t event, const Json& value) {
    if (event == Json::parse_event_t::key) {
      names_[depth_ - 1].push_back(value.get_ref<const std::string&>());
    } else if (event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start) {
      if (depth_ == names_.size()) bad("JSON that is nested too deep for an event");
      names_[depth_++].clear();
    } else if (event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end) {
      --depth_;
      if (event == Json::parse_event_t::object_end && names_[depth_].size() != value.size()) refuse_repeated_name();
    }
    return true;
  }

 private:
  /// The parser keeps the last of several values: the object has fewer than the text.
  [[noreturn]] void refuse_repeated_name() {
    std::vector<std::string>& names = names_[depth_];
    std::sort(names.begin(), names.end());
    bad(excerpt(*std::adjacent_find(names.begin(), names.end())) + " is given twice");
  }

  std::array<std::vector<std::string>, 3> names_;  // an event, an object in it, a list in that
  std::size_t depth_ = 0;
};

Json parsed(std::string_view line) {
  if (line.empty()) bad("the line is empty; each line is one event");
  Json object;
  try {
    object = Json::parse(line.begin(), line.end(), Guard{});
  } catch (const Json::parse_error& error) {
    const bool bad_text = std::string_view(error.what()).find("UTF-8") != std::string_view::npos;
    throw BadLine(
        fmt::format("{} at byte {}", bad_text ? "a text that is not valid UTF-8" : "this is not JSON,", error.byte),
        error.byte > line.size());
  } catch (const Json::exception&) {
    bad("a number that is too large for JSON");  // 1e999: the only other thing that the parser refuses
  }
  if (!object.is_object()) bad("each line is one event, {\"event\":...}; found " + excerpt(object));
  return object;
}

/// Reads the fields of one object and counts them, so that a field too many is noticed.
class ObjectReader {
 public:
  /// `owner`: what the fields belong to, for errors: "BlockAllocated".
  ObjectReader(const Json& object, std::string owner) : object_(object), owner_(std::move(owner)) {}

  /// `other_fields`: 1 when the object has the field "event" besides those of `named`, 0 when not.
  template <typename Named>
  void read(Named& named, std::size_t other_fields) {
    std::size_t fields = 0;
    Fields<Named>::each(named, [&](std::string_view name, auto& field) {
      ++fields;
      const auto found = object_.find(name);
      if (found == object_.end()) bad(fmt::format("{} lacks the field \"{}\"", owner_, name));
      read_value(*found, {name, owner_, false}, field);
    });
    if (object_.size() != fields + other_fields) refuse_unknown_field(named, other_fields);
  }

 private:
  /// Which value is read, for errors.
  struct Place {
    std::string_view name, owner;
    bool item;  ///< of the list that has this name
    std::string words() const { return fmt::format("{}\"{}\" of {}", item ? "each item of " : "", name, owner); }
  };

  template <typename Named>
  [[noreturn]] void refuse_unknown_field(const Named& named, std::size_t other_fields) const {
    std::set<std::string_view> known;
    Fields<Named>::each(named, [&known](std::string_view name, const auto&) { known.insert(name); });
    for (const auto& [name, value] : object_.items()) {
      const bool is_its_name = other_fields > 0 && name == "event";
      if (!known.contains(name) && !is_its_name) bad(fmt::format("{} has no field {}", owner_, excerpt(name)));
    }
    throw MisuseError("the fields of " + owner_ + " were miscounted");
  }

  static void must(bool good, const Place& field, std::string_view expected, const Json& found) {
    if (!good) bad(fmt::format("{} must be {}; found {}", field.words(), expected, excerpt(found)));
  }

  static void read_value(const Json& json, const Place& field, bool& value) {
    must(json.is_boolean(), field, "true or false", json);
    value = json.get<bool>();
  }
  static void read_value(const Json& json, const Place& field, std::string& value) {
    must(json.is_string(), field, "a text", json);
    value = json.get<std::string>();
  }
  template <typename T>
  static void read_value(const Json& json, const Place& field, std::vector<T>& value) {
    const std::size_t most = std::is_same_v<T, std::string> ? kMostListTexts : kMostListItems;
    must(json.is_array(), field, "a list", json);
    if (json.size() > most) bad(fmt::format("{} has {} items; at most {} are read", field.words(), json.size(), most));
    value.resize(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) read_value(json[i], {field.name, field.owner, true}, value[i]);
  }
  template <typename T>
  static void read_value(const Json& json, const Place& field, T& value) {
    if constexpr (requires { EnumNames<T>::kNames; }) {
      value = enum_value<T>(json, field);
    } else if constexpr (std::is_enum_v<T>) {
      value = T{number<std::underlying_type_t<T>>(json, field)};
    } else if constexpr (std::is_integral_v<T>) {
      value = number<T>(json, field);
    } else if constexpr (std::is_same_v<T, double>) {
      must(json.is_number(), field, "a number", json);
      value = json.get<double>();
    } else {
      must(json.is_object(), field, "an object", json);
      ObjectReader(json, field.words()).read(value, 0);
    }
  }

  template <typename Number>
  static Number number(const Json& json, const Place& field) {
    constexpr Number kLow = std::numeric_limits<Number>::min(), kHigh = std::numeric_limits<Number>::max();
    const bool fits = json.is_number_unsigned()  ? std::in_range<Number>(json.get<std::uint64_t>())
                      : json.is_number_integer() ? std::in_range<Number>(json.get<std::int64_t>())
                                                 : false;
    if (!fits) must(false, field, fmt::format("a whole number from {} to {}", kLow, kHigh), json);
    return json.get<Number>();
  }
  template <typename Enum>
  static Enum enum_value(const Json& json, const Place& field) {
    std::string choices;
    for (std::size_t i = 0; i < EnumNames<Enum>::kNames.size(); ++i) {
      if (json == EnumNames<Enum>::kNames[i]) return static_cast<Enum>(i);
      choices += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", EnumNames<Enum>::kNames[i]);
    }
    bad(fmt::format("{} must be one of {}; found {}", field.words(), choices, excerpt(json)));
  }

  const Json& object_;
  std::string owner_;
};

/// Reads `object` as the event E if that is its name.
template <typename E>
bool read_if_named(const Json& object, std::string_view name, Event& event) {
  if (name != Fields<E>::kName) return false;
  E read;
  ObjectReader(object, std::string(name)).read(read, 1);
  event = std::move(read);
  return true;
}

template <std::size_t... kinds>
Event event_named(const Json& object, const Json& name, std::index_sequence<kinds...>) {
  Event event;
  const auto& text = name.get_ref<const std::string&>();
  if (!(read_if_named<std::variant_alternative_t<kinds, Event>>(object, text, event) || ...)) {
    bad("there is no event " + excerpt(name));
  }
  return event;
}

}  // namespace

std::string to_json_line(const Event& event) {
  LineWriter line;
  std::visit(
      [&line](const auto& e) {
        line.key("event");
        line.write(std::string(Fields<std::decay_t<decltype(e)>>::kName));
        line.object(e);
      },
      event);
  return std::move(line).take();
}

Event event_of_json_line(std::string_view line) {
  const Json object = parsed(line);
  const auto name = object.find("event");
  if (name == object.end() || !name->is_string())
    bad("the line does not name its event: {\"event\":\"StepStarted\",...}");
  return event_named(object, *name, std::make_index_sequence<std::variant_size_v<Event>>());
}

unsigned version_of_json_line(std::string_view line) {
  const Json object = parsed(line);
  const auto version = object.find("kvarium_trace");
  if (version == object.end() || !version->is_number_unsigned()) {
    bad("a trace starts with the line {\"kvarium_trace\":3}");
  }
  const auto number = version->get<std::uint64_t>();
  return number > UINT32_MAX ? UINT32_MAX : static_cast<unsigned>(number);
}

}  // namespace kvarium
