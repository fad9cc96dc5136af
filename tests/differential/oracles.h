// Other implementations of cron, run as programs, one process for a batch of questions.
//
// Thread rule: one test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/differential/cases.h"

namespace tenure::differential {

struct Answer {
  std::vector<std::int64_t> slots;     // in seconds since the epoch
  bool never = false;                  // no more after these
  std::optional<std::string> refused;  // the expression, and why
  bool operator==(const Answer&) const = default;
};

// nullopt for a question that cannot be put in the other's words.
using Question = std::optional<std::string>;
Question for_croniter(const Case& one);
Question for_robfig(const Case& one);
Question for_systemd(const Case& one);

// The answers to the questions that can be put; `count` slots each. Throws when the program cannot be run.
std::vector<std::optional<Answer>> ask_croniter(const std::vector<Case>& cases, int count);
std::vector<std::optional<Answer>> ask_robfig(const std::vector<Case>& cases, int count);
std::vector<std::optional<Answer>> ask_systemd(const std::vector<Case>& cases, int count);

}  // namespace tenure::differential
