#pragma once
// What event_fields.h says of each event: declared here, so that it can be said in several files.

namespace kvarium {

template <typename T>
struct Fields;  // not defined for a type without names: an event that is missing here does not compile

/// Names of an enum's values, in their order.
template <typename E>
struct EnumNames;

}  // namespace kvarium
