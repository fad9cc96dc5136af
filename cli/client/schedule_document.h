// Schedules as people write them down for `tenure schedule apply`: in TOML or JSON, one or many.
//
// TOML: tables `[[schedule]]`, or the keys of one schedule alone. JSON: a schedule, a list of them, or an object whose
// `schedules` is a list. Their keys are those of docs/daemon.md; the server judges them.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/client/api_client.h"

namespace tenure::cli {

// Why the document cannot be used: rendered for people, with its place.
struct WrongDocument {
  std::string text;
};

// `path` names the document for people, and its ending (.toml, .json) says what it is; without one, its text does.
std::variant<std::vector<Json>, WrongDocument> read_schedules(const std::string& path,
                                                              const std::string& text);

// A schedule without what the server says of it, in the form in which the server prints it: defaults left out,
// durations and times in one way. What cannot be read stays as it is.
Json normal_form(const Json& schedule);

// How `after` differs from `before`, one line for each key, in the keys' order: `cron: "0 3 * * *" -> "0 4 * * *"`.
// Both are in normal form.
std::vector<std::string> differences(const Json& before, const Json& after);

}  // namespace tenure::cli
