// Durations as text, exactly: in scenario files, and in designs of users. Only this file reads and writes them so.
//
// Everything is integer arithmetic on the text: "0.1s" is 100'000'000 ns, never the nearest double. A value that cannot
// be represented exactly is not rounded: it is an error that says why. print_duration(parse_duration(text)) means the
// same as text.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/time.h"

namespace tenure {

// A value, or what is wrong with the text.
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string problem;  // "`15` has no unit"; empty when there is a value
  std::string hint;     // "did you mean `15s`?"; may be empty

  static Parsed ok(T value) { return Parsed{std::move(value), {}, {}}; }
  static Parsed bad(std::string problem, std::string hint = {}) {
    return Parsed{std::nullopt, std::move(problem), std::move(hint)};
  }
};

// "1h30m", "1.5s", "200ms", "300us", "5ns", "-50ms": units h, m, s, ms, us, ns, from large to small.
Parsed<Duration> parse_duration(std::string_view text);
// The shortest of those: "1h30m", "1m16.201s", "1.5ms", "0s".
std::string print_duration(Duration duration);

}  // namespace tenure
