// A hunt's findings as text for people.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lab/session/hunt_findings.h"

namespace tenure::cli {

// A failure as it was kept: its story, its file, and the line that reproduces it.
std::string text_of_finding(const lab::Finding& finding, bool paint);
// What a regression's replay says; nothing for one that passed, unless `all`.
std::string text_of_replay(const lab::ReplayedFile& file, bool paint, bool all);
std::string text_of_hunt(const lab::HuntFindings& findings, bool paint);

// What was counted more than zero times, the most frequent first; and the rest.
std::vector<std::pair<std::string, std::uint64_t>> what_happened(
    const std::map<std::string, std::uint64_t>& counts);
std::vector<std::string> what_never_happened(const std::map<std::string, std::uint64_t>& counts);

// "seeds 1..1000", or "no seeds".
std::string extent_of(const lab::HuntFindings& findings);
// "after 10 of 1,000 seeds: a violation".
std::string text_of_stop(const lab::HuntFindings& findings);
sim::Verdict verdict_of(lab::Replayed::State state);
// "still fails", …
std::string state_text(lab::Replayed::State state);
// The command line that runs it.
std::string reproduce_line(const lab::Finding& finding);
std::string reproduce_line(const lab::ReplayedFile& file);

}  // namespace tenure::cli
