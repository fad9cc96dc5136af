#include "cli/reports/perfetto/perfetto_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/model/describe.h"
#include "lab/session/json_writer.h"

namespace tenure::cli {
namespace {

class TraceEvents {
 public:
  explicit TraceEvents(const sim::Recording& recording) : recording_(recording) {
    json_.begin_object().field("displayTimeUnit", "ms").key("traceEvents").begin_array();
  }
  std::string take() {
    json_.end_array().end_object();
    return json_.take() + "\n";
  }

  void name_process(std::size_t process, std::string_view name) {
    json_.begin_object().field("ph", "M").field("name", "process_name").field("pid", process);
    json_.key("args").begin_object().field("name", name).end_object().end_object();
  }
  // An interval on the track `track` of a process.
  void span(std::size_t process, std::string_view track, const std::string& name, const sim::Span& span,
            std::string_view detail) {
    const std::string id = fmt::format("{}", ++spans_);
    begin("b", process, track, name, id, span.from);
    json_.key("args").begin_object().field("detail", detail).end_object().end_object();
    begin("e", process, track, name, id, std::min(span.to, recording_.end));
    json_.end_object();
  }
  // A moment, across everything.
  void moment(std::size_t process, const std::string& name, sim::TrueTime at) {
    json_.begin_object().field("ph", "i").field("s", "g").field("pid", process).field("tid", 0);
    json_.field("name", name).field("ts", micros(at)).end_object();
  }

 private:
  static std::int64_t micros(sim::TrueTime at) { return at.ns() / 1'000; }
  void begin(std::string_view phase, std::size_t process, std::string_view track, const std::string& name,
             const std::string& id, sim::TrueTime at) {
    json_.begin_object().field("ph", phase).field("cat", track).field("id", id).field("pid", process);
    json_.field("tid", 0).field("name", name).field("ts", micros(at));
  }

  const sim::Recording& recording_;
  lab::JsonWriter json_;
  std::size_t spans_ = 0;
};

std::string named(std::string_view what, const std::string& token) {
  return token.empty() ? std::string(what) : fmt::format("{} ({})", what, token);
}

}  // namespace

std::string perfetto_of(const sim::Recording& recording) {
  TraceEvents events(recording);
  const auto process = [](NodeId node) { return std::size_t{node.value} + 1; };  // a pid of 0 is none
  const std::size_t store = recording.nodes.size() + 1;
  const std::size_t faults = store + 1;
  for (std::size_t node = 0; node < recording.nodes.size(); ++node)
    events.name_process(node + 1, recording.nodes[node]);
  events.name_process(store, "store");
  events.name_process(faults, "faults");

  for (const sim::LifeSpan& life : recording.lives)
    events.span(process(life.who.node), "life", fmt::format("life {}", life.who.number), life.span, "");
  for (const sim::BeliefSpan& belief : recording.beliefs)
    events.span(process(belief.who.node), "belief", named("leads", belief.token), belief.span, belief.end);
  for (const sim::PauseSpan& pause : recording.pauses)
    events.span(process(pause.node), "pause", "paused", pause.span, "");
  for (const sim::WorkSpan& work : recording.work)
    events.span(process(work.who.node), "work", work.what, work.span, sim::name_of(work.landing));
  for (const sim::RequestTrip& trip : recording.requests)
    events.span(process(trip.id.incarnation.node), "request", trip.what,
                {trip.decided, trip.heard.value_or(sim::TrueTime::max())}, sim::name_of(sim::fate_of(trip)));
  for (const sim::HoldSpan& hold : recording.holds)
    events.span(store, "lease", named(describe(hold.who), hold.token ? describe(*hold.token) : ""), hold.span,
                "");
  for (const sim::FaultSpan& fault : recording.faults)
    events.span(faults, "fault", fault.text, fault.span, fault.action);
  for (const sim::ViolationSpan& violation : recording.violations)
    events.moment(faults, fmt::format("violation of {}: {}", violation.checker, violation.message),
                  violation.span.to);
  return events.take();
}

}  // namespace tenure::cli
