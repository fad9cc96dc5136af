// A comparison as JSON.
#include "cli/reports/compare_report.h"
#include "cli/reports/compare_words.h"
#include "lab/session/json_writer.h"
#include "lab/session/version.h"

namespace tenure::cli {
namespace {

using lab::JsonWriter;

constexpr std::string_view kFalseFailovers = "false_failovers_per_month";

// The words that scripts test for.
std::string_view key_of(sim::Damage damage) {
  constexpr std::string_view kKeys[sim::kDamages] = {
      "design-error", "two-lead",  "stale-writes",  "double-fires",  "lost-fires",
      "early-fires",  "never-led", "nobody-at-end", "behind-at-end", "other"};
  return kKeys[static_cast<std::size_t>(damage)];
}

std::optional<std::string> file_of(const lab::CompareFindings& findings, std::size_t candidate,
                                   std::size_t column) {
  std::string path = kept_path(findings, candidate, column);
  return path.empty() ? std::nullopt : std::optional(std::move(path));
}

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

void write_cell(const lab::CompareFindings& findings, std::size_t candidate, std::size_t column,
                JsonWriter& json) {
  const lab::Comparison& comparison = findings.comparison;
  const lab::ComparedCell& compared = comparison.at(candidate, column);
  const lab::Column& of = comparison.columns()[column];
  json.begin_object().field("situation", comparison.situations()[of.situation].name);
  json.field("stretched", of.stretched)
      .field("crowded", of.crowded)
      .field("stretched_to_seconds", compared.length);
  if (!compared.cell) {
    json.field("not_applicable", compared.not_applicable).end_object();
    return;
  }
  const lab::Cell& cell = *compared.cell;
  json.field("runs", cell.runs()).field("tested", cell.tested()).field("promised", cell.promised());
  json.key("broken").begin_array();
  for (const lab::Cell::BrokenClaim& claim : cell.broken())
    json.begin_object()
        .field("checker", claim.checker)
        .field("runs", claim.runs)
        .field("first_seed", claim.seed)
        .end_object();
  json.end_array();
  json.key("troubles").begin_array();
  for (const lab::Cell::Seen& seen : cell.damages()) {
    json.begin_object()
        .field("trouble", key_of(seen.damage))
        .field("runs", seen.runs)
        .field("worst_seed", seen.seed);
    if (seen.damage == sim::Damage::two_lead)
      json.field("longest_seconds", Duration::nanos(seen.most));
    else
      json.field("most", seen.most);
    json.field("checker", seen.checker).end_object();
  }
  json.end_array();
  json.field("program_error", cell.error() ? std::optional(cell.error()->what) : std::nullopt);
  json.field("not_struck", unless_empty(cell.not_struck()))
      .field("not_promised", unless_empty(cell.beside_claim()));
  json.field("proof", unless_empty(compared.proof));
  json.field("explored", unless_empty(compared.explored));
  json.field("acts_through",
             compared.acts_through_loop ? std::optional(std::string(lab::kActingLoop)) : std::nullopt);
  json.field("kept", file_of(findings, candidate, column)).end_object();
}

using Numbers = std::vector<std::pair<std::string_view, std::optional<lab::Estimate>>>;

Numbers times_of(const lab::Comparison::Summary& summary) {
  return {{"failover_p50_seconds", summary.failover_p50},
          {"failover_p99_seconds", summary.failover_p99},
          {"deploy_seconds", summary.deploy}};
}

Numbers amounts_of(const lab::Comparison::Summary& summary) {
  return {{"requests_per_hour", summary.requests},
          {"requests_per_hour_10_standbys", summary.requests_crowded}};
}

// Of the numbers that are known well enough; one that has no upper end has none.
void write_intervals(const lab::Comparison::Summary& summary, JsonWriter& json) {
  Numbers numbers = times_of(summary);
  for (auto& amount : amounts_of(summary)) numbers.push_back(std::move(amount));
  if (summary.false_failovers) numbers.emplace_back(kFalseFailovers, summary.false_failovers->estimate);
  json.key("intervals").begin_object();
  for (const auto& [name, number] : numbers) {
    if (!number || !number->low) continue;
    json.key(name).begin_object().key("low").nano(*number->low).key("high");
    if (number->high)
      json.nano(*number->high).end_object();
    else
      json.null().end_object();
  }
  json.end_object();
}

void write_design(const lab::CompareFindings& findings, std::size_t candidate, JsonWriter& json) {
  const lab::Comparison& comparison = findings.comparison;
  const lab::Comparison::Summary summary = comparison.summary(candidate);
  json.begin_object().field("design", comparison.candidates()[candidate].name);
  if (const auto& tuned = comparison.candidates()[candidate].tuned) {
    if (findings.price->kind == lab::Price::Kind::failover_p99)
      json.field("costs_failover_p99_seconds", Duration::nanos(tuned->cost));
    else
      json.field("costs_requests_per_hour", tuned->cost);
    json.key("settings").begin_object();
    for (const format::Override& set : tuned->settings) json.field(set.key, set.value);
    json.end_object();
  }
  json.key("one_leader_assumes");
  if (summary.assumes) {
    json.begin_array();
    for (const std::string_view each : *summary.assumes) json.value(each);
    json.end_array();
  } else {
    json.null();
  }
  json.list("bounds_by_theory", summary.bounds);
  json.field("promised_runs", summary.promised).field("promise_broken", summary.two_led_against_promise());
  json.field("two_lead_seconds", summary.two_lead).field("two_lead_fenced_seconds", summary.two_lead_fenced);
  for (const auto& [name, time] : times_of(summary))
    json.field(name, time ? std::optional(Duration::nanos(time->value)) : std::nullopt);
  for (const auto& [name, amount] : amounts_of(summary))
    json.field(name, amount ? std::optional(whole(*amount)) : std::nullopt);
  json.key(kFalseFailovers);
  if (const auto& false_failovers = summary.false_failovers) {
    json.begin_object();
    json.key(false_failovers->at_most ? "at_most" : "seen").nano(false_failovers->micro * 1'000).end_object();
  } else {
    json.null();
  }
  write_intervals(summary, json);
  json.field("heals_by_itself", summary.stuck_after.empty());
  json.key("cells").begin_array();
  for (std::size_t column = 0; column < comparison.columns().size(); ++column)
    if (comparison.columns()[column].in_matrix) write_cell(findings, candidate, column, json);
  json.end_array().end_object();
}

}  // namespace

std::string compare_json(const CompareReport& report) {
  JsonWriter json(2);
  json.begin_object().field("format", 1).field("tenure", lab::version());
  json.field("interrupted", report.findings->interrupted).field("runs_a_cell", report.seeds);
  if (report.findings->price) json.field("equal", report.findings->price->text);
  json.key("designs").begin_array();
  for (const std::size_t candidate : report.findings->comparison.order())
    write_design(*report.findings, candidate, json);
  json.end_array();
  if (report.findings->price) {
    json.key("left_out").begin_array();
    for (const auto& [design, why] : report.findings->left_out)
      json.begin_object().field("design", design).field("why", why).end_object();
    json.end_array();
  }
  json.end_object();
  return json.take() + "\n";
}

}  // namespace tenure::cli
