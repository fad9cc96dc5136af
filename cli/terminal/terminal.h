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
  bool progress = false;       // somebody watches stderr
  bool quiet = false;          // neither progress nor warnings
  int out_error = 0;           // the system's error number when `out` failed first
  bool progress_line = false;  // one stands on the terminal, and goes before anything else is printed
  bool verbose = false;        // details are asked for

  void be_quiet() {
    quiet = true;
    progress = false;
  }
};

// Colour is for terminals, and NO_COLOR (https://no-color.org) turns it off.
Streams standard_streams();

enum class Colour { red, green, yellow, bold };
std::string painted(std::string_view text, Colour colour, bool paint);

// What fits into so many columns; 0: nobody knows how many there are. A longer line ends in "…".
std::string cut_to_width(std::string_view line, std::size_t columns);
// One line on the terminal, in place of the one before it and no wider than it is; nothing when nobody watches.
void show_progress(Streams& streams, std::string_view line);
void clear_progress(Streams& streams);

// Writes results out at once; the first failure is kept in `out_error`.
void write_results(Streams& streams, std::string_view text);
// "error: …" and a line's end, on the stream for errors.
void print_error(Streams& streams, std::string_view what);
// One line on stderr, "warning: …".
void print_warning(Streams& streams, std::string_view what);

}  // namespace tenure::cli
