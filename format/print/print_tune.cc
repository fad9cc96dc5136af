// The sections [tune], [profile] and [compare].
#include <fmt/format.h>

#include <vector>

#include "format/print/print_words.h"
#include "format/syntax/tune_values.h"

namespace tenure::format {
namespace {

std::string list_of(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + quoted(text);
  return fmt::format("[{}]", list);
}

std::string span_text(TuneType type, const TuneSpan& span) {
  return quoted(fmt::format("{}..{}", print_tune_value(type, span.low), print_tune_value(type, span.high)));
}

std::string values_of(const TuneParameter& parameter) {
  if (parameter.is_span()) return span_text(parameter.type, parameter.span);
  std::string list;
  for (const std::int64_t value : parameter.values)
    list += (list.empty() ? "" : ", ") + quote_tune_value(parameter.type, value);
  return fmt::format("[{}]", list);
}

std::string frontier_of(const TuneFrontier& frontier) {
  std::string text = "\n[tune.frontier]\n";
  if (frontier.parameter)
    text += fmt::format("parameter = {}\nvalues = {}\n", quoted(frontier.parameter->key),
                        values_of(*frontier.parameter));
  text += fmt::format("against = {}\nrange = {}\nresolution = {}\nwrite = {}\n", quoted(frontier.against),
                      span_text(frontier.type, frontier.span),
                      quote_tune_value(frontier.type, frontier.resolution), quoted(frontier.write));
  return text + fmt::format("checkers = {}\nseeds = {}\n", list_of(frontier.checkers), frontier.seeds);
}

// Those of one table, whose keys begin with `table`.
std::string parameters_of(const TuneSetting& tune, std::string_view table) {
  std::string text;
  for (const TuneParameter& parameter : tune.parameters) {
    if (!parameter.key.starts_with(table)) continue;
    if (text.empty()) text = fmt::format("\n[tune.{}]\n", table.substr(0, table.size() - 1));
    text += fmt::format("{} = {}\n", parameter.key.substr(table.size()), values_of(parameter));
  }
  return text;
}

std::string tune_of(const TuneSetting& tune) {
  std::vector<std::string> objectives;
  for (const TuneObjective& objective : tune.objectives) objectives.push_back(objective.measure.text);
  std::vector<std::string> constraints;
  for (const TuneConstraint& constraint : tune.constraints) constraints.push_back(constraint.text);
  std::string text = fmt::format(
      "\n[tune]\nsearch = {}\nsettings = {}\nsteps = {}\nseeds = {}\nobjectives = {}\nconstraints = {}\n",
      quoted(name_of(tune.search)), tune.settings, tune.steps, tune.seeds, list_of(objectives),
      list_of(constraints));
  text += parameters_of(tune, kTuneElection) + parameters_of(tune, kTuneScheduling);
  if (tune.frontier) text += frontier_of(*tune.frontier);
  return text;
}

std::string profile_of(const ProfileSetting& profile) {
  const auto often = [](std::int64_t micro) { return quoted(print_decimal(micro, 6) + " a month"); };
  std::string text =
      fmt::format("\n[profile]\ncrashes = {}\ncrash_downtime = {}\ndeploys = {}\nstore_failovers = {}\n",
                  often(profile.crashes_micro), quoted(print_duration(profile.crash_downtime)),
                  often(profile.deploys_micro), often(profile.store_failovers_micro));
  if (profile.disturbances_micro)
    text += fmt::format("disturbances = {}\n", often(*profile.disturbances_micro));
  return text + fmt::format("seeds = {}\n", profile.seeds);
}

std::string compare_of(const CompareSetting& compare) {
  return fmt::format("\n[compare]\nstretch = {}\npercent = {}\nwrite = {}\n", quoted(compare.stretch),
                     compare.percent, quoted(compare.write));
}

}  // namespace

std::string print_tune(const Plans& plans) {
  std::string text;
  if (plans.tune) text += tune_of(*plans.tune);
  if (plans.profile) text += profile_of(*plans.profile);
  if (plans.compare) text += compare_of(*plans.compare);
  return text;
}

}  // namespace tenure::format
