// What a tuning found, for those who write it down.
//
// Thread rule: values that refer to a Tuning, which must outlive them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "cli/tune_frontier.h"
#include "cli/tune_profile.h"
#include "sim/tune/tuning.h"

namespace tenure::cli {

struct TuneReport {
  std::string scenario;
  std::string path;
  std::vector<sim::Override> sets;  // of the command line
  const sim::Tuning* tuning = nullptr;
  sim::TuneJudgement judgement;
  std::uint64_t left_out = 0;  // settings that are none: ill-formed
  std::string why_left_out;    // the first of them
  std::optional<FrontierReport> frontier;
  std::vector<ProfileFinding> profile;  // of the settings worth having, and the file's own
  bool has_parameters() const { return !tuning->tune().parameters.empty(); }
};

// "lease_duration 10s, renew_period 2s"; "the file's own" of the first.
std::string name_of_setting(const TuneReport& report, std::size_t index);
// The values of the tuned parameters, as they are written.
std::vector<std::string> values_of_setting(const TuneReport& report, std::size_t index);
// "tenure run FILE --set …", with its runs' seed if there is one.
std::string command_of(const TuneReport& report, std::size_t index, std::optional<std::uint64_t> seed = {});
// A number in billionths of its unit, as people read it: "12.4s", "0.31", "1.2 %".
std::string shown(const sim::TuneMeasure& measure, std::int64_t nano);
// The same without its unit, where one stands beside it.
std::string shown_number(const sim::TuneMeasure& measure, std::int64_t nano);
std::string unit_of(const sim::TuneMeasure& measure);

// Parts of it, for people.
std::string frontier_text(const FrontierReport& report);
std::string profile_text(const TuneReport& report);

std::string tune_text(const TuneReport& report, bool paint);
std::string tune_json(const TuneReport& report);
std::string tune_csv(const TuneReport& report);
// As SVG.
std::string tune_plot(const TuneReport& report);
std::string tune_markdown(const TuneReport& report);

}  // namespace tenure::cli
