#include "cli/reports/html/page_data.h"

#include <fmt/format.h>

#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>

#include "cli/reports/html/verdict_sentence.h"
#include "cli/reports/json/json_run.h"
#include "format/print/print.h"
#include "format/syntax/targets.h"
#include "lab/session/json_writer.h"
#include "sim/runner/detail.h"
#include "sim/runner/what_matters.h"

namespace tenure::cli {
namespace {

// With these, a page stays small enough to mail.
constexpr std::size_t kRequestsMax = 6'000;

// Texts that come often are in the data once, and rows have their places.
class Texts {
 public:
  std::size_t place(const std::string& text) {
    const auto [found, is_new] = places_.emplace(text, places_.size());
    if (is_new) texts_.push_back(text);
    return found->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> texts_;
};

class Tables {
 public:
  std::string json_of(const sim::Recording& recording, const std::vector<sim::Span>& detail) {
    json_.begin_object().field("end", at(recording.end)).field("healed", at(recording.healed));
    json_.key("nodes").begin_array();
    for (const std::string& node : recording.nodes) json_.value(node);
    json_.end_array();
    write_processes(recording);
    write_leases(recording);
    write_faults(recording);
    write_work(recording);
    write_requests(recording, detail);
    write_story(recording);
    write_violations(recording);
    json_.key("texts").begin_array();
    for (const std::string& text : texts_.texts()) json_.value(text);
    json_.end_array().end_object();
    return json_.take();
  }

 private:
  static std::optional<Duration> at(sim::TrueTime time) {
    return time == sim::TrueTime::max() ? std::nullopt : std::optional(time - sim::TrueTime{});
  }
  static std::optional<Duration> at(const std::optional<sim::TrueTime>& time) {
    return time ? at(*time) : std::nullopt;
  }

  void begin(std::string_view name, std::initializer_list<std::string_view> columns) {
    json_.key(name).begin_object().key("columns").begin_array();
    for (const std::string_view column : columns) json_.value(column);
    json_.end_array().key("rows").begin_array();
  }
  void end() { json_.end_array().end_object(); }
  template <class... Cells>
  void row(const Cells&... cells) {
    json_.begin_array();
    (json_.value(cells), ...);
    json_.end_array();
  }
  static std::string places_of(const std::vector<NodeId>& nodes) {
    std::string text;
    for (const NodeId node : nodes) text += (text.empty() ? "" : " ") + std::to_string(node.value);
    return text;
  }

  void write_processes(const sim::Recording& recording) {
    begin("lives", {"node", "incarnation", "from", "to"});
    for (const sim::LifeSpan& life : recording.lives)
      row(life.who.node.value, life.who.number, at(life.span.from), at(life.span.to));
    end();
    begin("pauses", {"node", "from", "to"});
    for (const sim::PauseSpan& pause : recording.pauses)
      row(pause.node.value, at(pause.span.from), at(pause.span.to));
    end();
  }

  void write_leases(const sim::Recording& recording) {
    begin("beliefs", {"node", "incarnation", "from", "to", "token", "ended"});
    for (const sim::BeliefSpan& belief : recording.beliefs)
      row(belief.who.node.value, belief.who.number, at(belief.span.from), at(belief.span.to), belief.token,
          belief.end);
    end();
    begin("overlaps", {"from", "to", "nodes", "acting"});
    for (const sim::OverlapSpan& overlap : sim::overlaps(recording))
      row(at(overlap.span.from), at(overlap.span.to), places_of(overlap.nodes), overlap.acting);
    end();
    begin("holds", {"node", "from", "to", "token"});
    for (const sim::HoldSpan& hold : recording.holds)
      row(hold.who.node.value, at(hold.span.from), at(hold.span.to), hold.token ? describe(*hold.token) : "");
    end();
  }

  void write_faults(const sim::Recording& recording) {
    begin("faults", {"id", "action", "text", "nodes", "from", "to"});
    for (const sim::FaultSpan& fault : recording.faults)
      row(sim::print_permanent_id(fault.id), fault.action, fault.text, places_of(fault.nodes),
          at(fault.span.from), at(fault.span.to));
    end();
  }

  void write_work(const sim::Recording& recording) {
    begin("work", {"node", "from", "to", "what", "token", "landing", "ending"});
    for (const sim::WorkSpan& work : recording.work) {
      const std::optional<std::string_view> ending =
          work.ending ? std::optional(sim::name_of(*work.ending)) : std::nullopt;
      row(work.who.node.value, at(work.span.from), at(work.span.to), texts_.place(work.what),
          texts_.place(work.token), sim::name_of(work.landing), ending);
    }
    end();
  }

  void write_requests(const sim::Recording& recording, const std::vector<sim::Span>& detail) {
    begin("detail", {"from", "to"});
    for (const sim::Span& span : detail) row(at(span.from), at(span.to));
    end();
    begin("requests", {"node", "incarnation", "number", "what", "decided", "left", "arrived", "applied",
                       "returned", "heard", "fate", "reply"});
    auto span = detail.begin();
    for (const sim::RequestTrip& trip : recording.requests) {
      while (span != detail.end() && span->to < trip.decided) ++span;
      if (span == detail.end()) break;
      if (trip.decided >= span->from) write_request(trip);
    }
    end();
  }
  void write_request(const sim::RequestTrip& trip) {
    row(trip.id.incarnation.node.value, trip.id.incarnation.number, trip.id.counter, texts_.place(trip.what),
        at(trip.decided), at(trip.left), at(trip.arrived), at(trip.applied), at(trip.returned),
        at(trip.heard), texts_.place(std::string(sim::name_of(sim::fate_of(trip)))),
        texts_.place(trip.reply));
  }

  void write_story(const sim::Recording& recording) {
    begin("story", {"at", "kind", "node", "who", "text"});
    for (const sim::Told& told : sim::what_matters(recording.story)) {
      const std::optional<std::uint32_t> node = told.node ? std::optional(told.node->value) : std::nullopt;
      row(at(told.line.at), sim::name_of(told.kind), node, told.line.who, told.line.text);
    }
    end();
  }

  void write_violations(const sim::Recording& recording) {
    begin("violations", {"checker", "message", "nodes", "from", "to", "demanded"});
    for (const sim::ViolationSpan& violation : recording.violations)
      row(violation.checker, violation.message, places_of(violation.nodes), at(violation.span.from),
          at(violation.span.to), violation.demanded);
    end();
  }

  lab::JsonWriter json_;
  Texts texts_;
};

}  // namespace

std::string json_of_recording(const sim::Recording& recording, const std::optional<sim::Span>& window) {
  return Tables().json_of(recording, sim::spans_of_detail(recording, kRequestsMax, window));
}

std::string page_data(const sim::Recording& recording, const sim::RunResult& result,
                      const sim::Scenario& scenario, const std::optional<TimeRange>& window) {
  std::optional<sim::Span> asked;
  if (window) asked = sim::Span{sim::TrueTime{} + window->from, sim::TrueTime{} + window->to};
  lab::JsonWriter head;
  head.begin_object().field("sentence", verdict_sentence(result, scenario.expect));
  head.field("settings", sim::print_scenario(scenario));
  std::string text = head.take();
  text +=
      ",\"run\":" + json_of_run(result, "") + ",\"recording\":" + json_of_recording(recording, asked) + "}";
  return text;
}

}  // namespace tenure::cli
