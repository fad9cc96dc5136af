// Whether a type is one of a list of types.
//
// Thread rule: a constant.
#pragma once

#include <type_traits>

namespace tenure {

template <class T, class... Kinds>
inline constexpr bool kIsOneOf = (std::is_same_v<T, Kinds> || ...);

}  // namespace tenure
