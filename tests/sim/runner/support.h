// Scenarios in a few lines, for tests of whole runs.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "format/parse/parse.h"
#include "sim/runner/run.h"

namespace tenure::sim {

// What the text says; the test fails on every error in it.
inline format::ScenarioFile file_of(std::string_view text) {
  const format::ParseResult result = format::parse_scenario("test.toml", text);
  for (const format::Diagnostic& diagnostic : result.diagnostics)
    ADD_FAILURE() << diagnostic.line << ": " << diagnostic.message;
  return result.file();
}
inline Scenario parsed(std::string_view text) { return file_of(text).scenario; }

// Three instances with one schedule every 5 s, for two minutes and a tail of as long; `more` is appended.
inline std::string small(std::string_view more, std::string_view protocol = "fenced-lease",
                         std::string_view scheduler = "fenced-outbox") {
  std::string text =
      "format = 1\nname = \"test\"\n[sim]\nduration = \"2m\"\ntail = \"2m\"\n[cluster]\ninstances = 3\n"
      "start_spread = \"1s\"\n";
  text += "protocol = \"" + std::string(protocol) + "\"\nscheduler = \"" + std::string(scheduler) + "\"\n";
  if (scheduler != "none") text += "[[schedule]]\nname = \"job\"\nevery = \"5s\"\n";
  return text + std::string(more);
}

}  // namespace tenure::sim
