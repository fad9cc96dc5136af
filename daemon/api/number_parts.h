// Numbers in a name that a client was given: "7/1795483800000000/0".
//
// Thread rule: a pure function.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace tenure::daemon {

// Takes a decimal number from the front of `text`, and one separator after it, if there is one. False: there is no
// number, or it does not fit. It takes other spellings too: whoever reads a name compares it with what he would write.
template <class Number>
bool take_number(std::string_view& text, Number& number, char separator) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(separator)) text.remove_prefix(1);
  return true;
}

}  // namespace tenure::daemon
