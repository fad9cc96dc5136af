#include "cli/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iostream>

#include "lab/session/cancellation.h"

namespace tenure::cli {
namespace {

// A window can change while we run, so it is asked each time.
std::size_t columns_of(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool wants_colour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
  return isatty(descriptor) == 1;
}

}  // namespace

Streams standard_streams() {
  return {std::cout,
          std::cerr,
          wants_colour(STDOUT_FILENO),
          wants_colour(STDERR_FILENO),
          isatty(STDERR_FILENO) == 1,
          false,
          0,
          false};
}

std::string painted(std::string_view text, Colour colour, bool paint) {
  if (!paint) return std::string(text);
  const char* code = colour == Colour::red      ? "31"
                     : colour == Colour::green  ? "32"
                     : colour == Colour::yellow ? "33"
                                                : "";
  return "\x1b[1" + std::string(*code == '\0' ? "" : ";") + code + "m" + std::string(text) + "\x1b[0m";
}

std::string cut_to_width(std::string_view line, std::size_t columns) {
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  std::size_t characters = 0;
  std::size_t fits = 0;  // bytes that leave room for the ellipsis
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!begins_character(line[i])) continue;
    if (++characters == columns) fits = i;
  }
  if (columns == 0 || characters <= columns) return std::string(line);
  return std::string(line.substr(0, fits)) + "…";
}

void show_progress(Streams& streams, std::string_view line) {
  if (!streams.progress) return;
  streams.err << "\r\x1b[K" << cut_to_width(line, columns_of(STDERR_FILENO)) << std::flush;
  streams.progress_line = true;
}

void clear_progress(Streams& streams) {
  if (!streams.progress_line) return;
  streams.err << "\r\x1b[K" << std::flush;
  streams.progress_line = false;
}

void write_results(Streams& streams, std::string_view text) {
  clear_progress(streams);
  errno = 0;
  streams.out << text << std::flush;
  if (streams.out || streams.out_error != 0) return;
  streams.out_error = errno;
  if (errno == EPIPE) lab::request_cancellation();  // its reader has gone away; files still get what there is
}

void print_error(Streams& streams, std::string_view what) {
  clear_progress(streams);
  streams.err << painted("error:", Colour::red, streams.paint_err) << " " << what << "\n";
}

void print_warning(Streams& streams, std::string_view what) {
  if (streams.quiet) return;
  clear_progress(streams);
  streams.err << painted("warning:", Colour::yellow, streams.paint_err) << " " << what << "\n";
}

}  // namespace tenure::cli
