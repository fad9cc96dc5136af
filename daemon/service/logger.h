// What the program says about itself, on stderr: as text, or as a line of JSON each.
//
// A reader that does not read holds nobody up: beyond a bound the oldest lines are dropped.
//
// Thread rule: any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/runtime/store_health_reporter.h"

namespace tenure::daemon {

class Logger {
 public:
  using Fields = std::vector<std::pair<std::string_view, std::string>>;

  explicit Logger(bool json);
  ~Logger();  // what was said is written
  Logger(const Logger&) = delete;

  void say(Level level, std::string_view words, const Fields& fields = {}) const;
  // Takes the lines of a Runtime, which have a time and a level of their own.
  TroubleSink troubles() const;

 private:
  struct Sink;
  const bool json_;
  std::unique_ptr<Sink> sink_;
};

}  // namespace tenure::daemon
