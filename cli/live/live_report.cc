#include "cli/live/live_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cli/reports/json/json_run.h"
#include "cli/reports/text/audit_text.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/text/text_run.h"
#include "core/model/describe.h"
#include "format/syntax/units.h"
#include "lab/session/json_writer.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kStoryLines = 200;

std::string text_of_story_lines(const std::vector<sim::NarratedEvent>& story) {
  std::string text;
  std::size_t count = 0;
  for (const sim::NarratedEvent& told : story) {
    if (++count > kStoryLines) break;
    text += fmt::format("  {:>10}  {:<5} {}\n", column_time(told.line.at), told.line.who, told.line.text);
  }
  if (count > kStoryLines) text += fmt::format("  … {} more\n", story.size() - kStoryLines);
  return text;
}

}  // namespace

std::string text_of_live(const lab::Audit& audit, const lab::LiveVerdict& verdict,
                         const LiveRunResult& result, const sim::Scenario& scenario, const std::string& store,
                         bool paint) {
  const std::size_t struck =
      static_cast<std::size_t>(std::count_if(result.facts.faults.begin(), result.facts.faults.end(),
                                             [](const sim::FaultRun& run) { return run.skipped.empty(); }));
  std::string text = fmt::format("{} {}  live on {}  {}  {}  {} lines  {}\n",
                                 verdict_word(verdict.verdict, paint), scenario.name, store,
                                 counted(scenario.instances.size(), "instance"), counted(struck, "fault"),
                                 format::print_thousands(audit.lines), short_duration(result.took));
  text += text_of_story_lines(result.story);
  std::vector<sim::CheckResult> examined = verdict.checks;
  std::erase_if(examined, [](const sim::CheckResult& check) {
    return check.opportunities == 0 && check.kind != sim::CheckResult::Kind::sometimes &&
           check.kind != sim::CheckResult::Kind::fault && !check.demanded;
  });
  text += text_of_checks(examined, scenario.expect, paint);
  text += text_of_findings(examined);
  text += text_of_silences("left out", audit.left_out);
  for (const std::string& what : verdict.not_judged) text += row("not judged", what);
  for (const std::string& what : audit.lacking) text += row("lacking", what);
  for (const std::string& what : result.facts.unasked_ends)
    text += row("lacking", fmt::format("a process ended though nobody asked it to: {}", what));
  for (const std::string& what : result.facts.lacking) text += row("lacking", what);
  for (const std::string& note : audit.notes) text += row("note", note);
  return text;
}

std::string text_of_measures(const sim::Metrics& metrics) {
  return row("measured",
             fmt::format("failovers {}, leaderless {}, two believers for {}, at most {} at a time",
                         metrics.failovers, short_duration(metrics.leaderless),
                         short_duration(metrics.believer_overlap),
                         short_duration(metrics.believer_overlap_longest)));
}

std::string json_of_live(const lab::Audit& audit, const LiveRunResult& result, const sim::Scenario& scenario,
                         const std::string& store, std::uint64_t seed, const sim::Metrics* metrics) {
  lab::JsonWriter json;
  begin_document("live", json);
  json.field("scenario", scenario.name).field("seed", seed).field("store", store);
  json.field("instances", scenario.instances.size()).field("took_seconds", result.took);
  write_audit(audit, json);
  json.list("unasked_ends", result.facts.unasked_ends);
  write_faults(result.facts.faults, json);
  if (metrics != nullptr) {
    json.key("metrics").begin_object().field("failovers", metrics->failovers);
    json.key("failover_seconds").begin_array();
    for (const Duration each : metrics->failover.values()) json.value(each);
    json.end_array().field("leaderless_seconds", metrics->leaderless);
    json.field("believer_overlap_seconds", metrics->believer_overlap);
    json.field("store_requests", metrics->store_requests).field("fires", metrics->fires).end_object();
  }
  return json.end_object().take() + "\n";
}

void add_to_timeline(const LiveRunResult& result, journal::BootTime first, lab::Audit& audit) {
  if (!audit.timeline) return;
  sim::Recording& recording = audit.timeline->recording;
  const Duration shift = result.outside.began - first;
  const auto shifted = [&](sim::Span span) {
    span.from = span.from + shift;
    if (span.to != sim::TrueTime::max()) span.to = span.to + shift;
    return span;
  };
  std::map<NodeId, NodeId> lanes;  // of the scenario's nodes, which are named as journals name them
  for (std::uint32_t lane = 0; lane < recording.nodes.size(); ++lane)
    for (std::uint32_t node = 0; node < recording.nodes.size(); ++node)
      if (recording.nodes[lane] == describe(NodeId{node})) lanes[NodeId{node}] = NodeId{lane};
  for (sim::FaultSpan span : result.outside.faults) {
    span.span = shifted(span.span);
    std::erase_if(span.nodes, [&](NodeId node) { return !lanes.contains(node); });
    for (NodeId& node : span.nodes) node = lanes.at(node);
    recording.faults.push_back(std::move(span));
  }
  for (sim::PauseSpan pause : result.outside.pauses) {
    if (!lanes.contains(pause.node)) continue;
    recording.pauses.push_back({lanes.at(pause.node), shifted(pause.span)});
  }
  recording.pauses_known = true;
  for (std::string& lane : recording.nodes)
    for (std::uint32_t client = 0; client < 10; ++client)
      if (lane == describe(NodeId{ScheduleClient::kNode.value + client - 1}))
        lane = fmt::format("client {}", client + 1);
  for (sim::NarratedEvent told : result.story) {
    // The rest is what journals tell, too.
    if (told.kind != sim::StoryKind::fault && told.kind != sim::StoryKind::store &&
        told.kind != sim::StoryKind::work)
      continue;
    told.line.at = told.line.at + shift;
    if (told.node)
      told.node = lanes.contains(*told.node) ? std::optional(lanes.at(*told.node)) : std::nullopt;
    recording.story.push_back(std::move(told));
  }
  std::stable_sort(
      recording.story.begin(), recording.story.end(),
      [](const sim::NarratedEvent& a, const sim::NarratedEvent& b) { return a.line.at < b.line.at; });
}

}  // namespace tenure::cli
