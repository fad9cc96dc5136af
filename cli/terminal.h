// The two streams of the program, and whether they like colours.
//
// Thread rule: used by the main thread.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

namespace tenure::cli {

struct Streams {
  std::ostream& out;  // results
  std::ostream& err;  // progress and errors
  bool paint_out = false;
  bool paint_err = false;
  bool progress = false;  // somebody watches stderr
};

// Colour is for terminals, and NO_COLOR (https://no-color.org) turns it off.
Streams standard_streams();

enum class Colour { red, green, yellow, bold };
std::string painted(std::string_view text, Colour colour, bool paint);

}  // namespace tenure::cli
