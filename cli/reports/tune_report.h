// What a tuning found, for those who write it down.
//
// Thread rule: values that refer to a Tuning, which must outlive them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/reports/svg/svg.h"
#include "cli/terminal/terminal.h"
#include "lab/session/tune_session.h"
#include "lab/tune/tuning.h"

namespace tenure::cli {

struct TuneReport {
  std::string scenario;
  std::string path;
  std::vector<format::Override> sets;  // of the command line
  bool is_refused = false;  // `tenure run` refuses the file: it does not accept its unsafe settings
  const lab::Tuning* tuning = nullptr;
  lab::TuneJudgement judgement;
  std::vector<lab::TuneFindings::Skipped> skipped;  // combinations that are no settings
  std::optional<lab::FrontierFindings> frontier;
  std::vector<lab::ProfileFinding> profile;  // of the settings worth having, and the file's own
  std::int64_t profile_seeds = 0;            // that measured each cause
  bool interrupted = false;
  bool has_parameters() const { return !tuning->tune().parameters.empty(); }
};

// "lease_duration 10s, renew_period 2s"; "the file's own" of the first.
std::string name_of_setting(const TuneReport& report, std::size_t index);
// A parameter as tables name it: "lease_duration", "scheduling.poll_period".
std::string shown_key(const format::TuneParameter& parameter);
// The values of the tuned parameters, as they are written.
std::vector<std::string> values_of_setting(const TuneReport& report, std::size_t index);
// The same as a number; and what the file has for the parameter along which the frontier goes, if it is one of a
// protocol or scheduler.
std::int64_t value_of_parameter(const TuneReport& report, std::size_t index, std::size_t parameter);
std::optional<std::int64_t> frontier_value_of_file(const TuneReport& report);
// "tenure run FILE --set …", each key once, with its runs' seed if there is one.
std::string command_of(const TuneReport& report, std::size_t index, std::optional<std::uint64_t> seed = {},
                       std::vector<format::Override> more = {});
// The same with all seeds that measured it.
std::string command_of_batch(const TuneReport& report, std::size_t index);
// A number in billionths of its unit, as people read it: "12.4s", "0.31", "1.2 %".
std::string shown(const format::TuneMeasure& measure, std::int64_t nano);
// The same without its unit, where one stands beside it.
std::string shown_number(const format::TuneMeasure& measure, std::int64_t nano);
std::string unit_of(const format::TuneMeasure& measure);
// With its interval, or with the number of its samples where they are too few for one: "12.4s [11.9..13]", "-".
std::string shown_estimate(const format::TuneMeasure& measure, const lab::Estimate& estimate);
// What theory calls the setting, as `accept` takes it: "renew-beyond-belief, …"; empty: nothing.
std::string unsafe_names(const TuneReport& report, std::size_t index);
// Where the file's own setting is among them.
std::size_t place_of_file(const TuneReport& report);
// The settings of the file and of the search, each once: the first that has a row of its own.
std::size_t first_row(const TuneReport& report);

// What all tables of settings have: the columns of the tuned parameters and of the objectives, and the cells in them.
std::vector<std::string> setting_columns(const TuneReport& report);
std::vector<std::string> setting_cells(const TuneReport& report, std::size_t index);
// Those worth having, what would be if theory were wrong, the nearest, and the file's own.
std::vector<std::size_t> settings_shown(const TuneReport& report);
// "recommended", "best", "nearest: unsafe", each with " (file)" where it is that.
std::string state_in_words(const TuneReport& report, std::size_t index);

// The frontier as rows of a table, the first of which is the head: of each checker and row where it is safe, where it
// is not, and what theory says.
std::vector<std::vector<std::string>> frontier_rows(const lab::FrontierFindings& report);

// The month of each setting as rows of a table, the first of which is the head; empty without [profile].
std::vector<std::vector<std::string>> month_rows(const TuneReport& report);
// What there is to be said about it, a sentence each.
std::vector<std::string> month_notes(const TuneReport& report);

// Parts of it, for people.
std::string frontier_text(const lab::FrontierFindings& report);
std::string profile_text(const TuneReport& report);

// A setting as those who run it write it down: Go and flags for client-go, [election] for what is ours. Of the first
// instance; lines, each after `indent`.
std::string configuration_of(const lab::Setting& setting, std::string_view indent);

std::string tune_text(const TuneReport& report, bool paint);
std::string tune_json(const TuneReport& report);
std::string tune_csv(const TuneReport& report);
// As charts: one below the other, and one by one.
std::string tune_plot(const TuneReport& report);
std::vector<SvgPanel> tune_panels(const TuneReport& report);
std::string tune_markdown(const TuneReport& report);

}  // namespace tenure::cli
