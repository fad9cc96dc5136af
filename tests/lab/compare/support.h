// What tests of comparisons share: candidates by their text, and situations as the built-in ones are.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "lab/compare/comparison.h"
#include "sim/runner/run.h"

namespace tenure::lab {

inline Candidate candidate(std::string_view text) { return read_candidate(text, nullptr).candidate.value(); }

inline TuneFile situation_file(const std::string& more, const std::string& head = "",
                               const std::string& tail = "30s") {
  TuneFile file;
  file.path = "x.toml";
  file.text = "format = 1\nname = \"x\"\n" + head + "[sim]\nduration = \"3m\"\ntail = \"" + tail +
              "\"\n[cluster]\ninstances = 3\nprotocol = \"fenced-lease\"\n"
              "scheduler = \"fenced-outbox\"\n[[schedule]]\nname = \"job\"\nevery = \"5s\"\n" +
              more;
  file.zones = &only_utc();
  return file;
}

inline Situation situation(const std::string& more, const std::string& tail = "30s") {
  ReadSituation read = read_situation(situation_file(more, "", tail));
  if (!read.situation) throw std::invalid_argument(read.problems.front().message);
  return *std::move(read.situation);
}

// A fault of the leader from the first minute on.
inline std::string fault_of(const std::string& action, const std::string& more = "",
                            const std::string& target = "leader") {
  return "[[fault]]\nat = \"1m\"\naction = \"" + action + "\"\n" +
         (target.empty() ? "" : "target = \"" + target + "\"\n") + more;
}

}  // namespace tenure::lab
