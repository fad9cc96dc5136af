#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/reports/reporters.h"
#include "core/model/describe.h"
#include "lab/session/json_writer.h"

namespace tenure::cli {
namespace {

class TraceEvents {
 public:
  explicit TraceEvents(const sim::Recording& recording) : recording_(recording) {
    json_.begin_object().key("otherData").begin_object().field("tool", "tenure").end_object();
    json_.field("displayTimeUnit", "ms").key("traceEvents").begin_array();
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
  // A moment of one process; `scope`: "g" draws it across everything.
  void moment(std::size_t process, const std::string& name, sim::TrueTime at, std::string_view scope) {
    json_.begin_object().field("ph", "i").field("s", scope).field("pid", process).field("tid", 0);
    json_.field("name", name).field("ts", micros(at)).end_object();
  }
  // An arrow through moments of several processes. Flows are bound to slices of threads, so each has a small one.
  struct Stop {
    std::size_t process;
    std::string_view what;
    sim::TrueTime at;
  };
  void flow(const std::string& name, const std::vector<Stop>& stops) {
    if (stops.size() < 2) return;
    ++flows_;
    for (std::size_t i = 0; i < stops.size(); ++i) {
      const Stop& stop = stops[i];
      json_.begin_object().field("ph", "X").field("pid", stop.process).field("tid", kRequests);
      json_.field("name", fmt::format("{}: {}", stop.what, name))
          .field("ts", micros(stop.at))
          .field("dur", 1);
      json_.end_object();
      const std::string_view phase = i == 0 ? "s" : i + 1 == stops.size() ? "f" : "t";
      json_.begin_object().field("ph", phase).field("bp", "e").field("cat", "request").field("id", flows_);
      json_.field("pid", stop.process).field("tid", kRequests).field("name", "request");
      json_.field("ts", micros(stop.at)).end_object();
    }
  }
  void name_requests(std::size_t process) {
    json_.begin_object().field("ph", "M").field("name", "thread_name").field("pid", process);
    json_.field("tid", kRequests).key("args").begin_object().field("name", "requests on their way");
    json_.end_object().end_object();
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
  static constexpr std::size_t kRequests = 1;  // the thread
  std::size_t spans_ = 0;
  std::size_t flows_ = 0;
};

std::string named(std::string_view what, const std::string& token) {
  return token.empty() ? std::string(what) : fmt::format("{} ({})", what, token);
}

// The processes of the picture: the nodes, the stores, and one for the faults. A pid of 0 is none.
class Perfetto {
 public:
  explicit Perfetto(const sim::Recording& recording) : recording_(recording), events_(recording) {}

  std::string take() {
    name_processes();
    add_nodes();
    add_stores();
    add_requests();
    for (const sim::FaultSpan& fault : recording_.faults)
      events_.span(faults(), "fault", fault.text, fault.span, fault.action);
    for (const sim::ViolationSpan& violation : recording_.violations)
      events_.moment(faults(), fmt::format("violation of {}: {}", violation.checker, violation.message),
                     violation.span.to, "g");
    return events_.take();
  }

 private:
  std::size_t process(NodeId node) const { return std::size_t{node.value} + 1; }
  std::size_t process(StoreId store) const { return recording_.nodes.size() + 1 + store.value; }
  std::size_t faults() const { return recording_.nodes.size() + recording_.stores.size() + 1; }
  std::string name_of_end(const std::optional<NodeId>& node, StoreId store) const {
    return node ? recording_.nodes[node->value] : recording_.stores[store.value];
  }

  void name_processes() {
    for (std::size_t node = 0; node < recording_.nodes.size(); ++node)
      events_.name_process(node + 1, recording_.nodes[node]);
    for (std::size_t store = 0; store < recording_.stores.size(); ++store)
      events_.name_process(recording_.nodes.size() + 1 + store, recording_.stores[store]);
    events_.name_process(faults(), "faults");
    for (std::size_t each = 1; each < faults(); ++each) events_.name_requests(each);
  }

  void add_nodes() {
    for (const sim::LifeSpan& life : recording_.lives)
      events_.span(process(life.who.node), "life", fmt::format("life {}", life.who.number), life.span, "");
    for (const sim::LifeSpan& life : recording_.startups)
      events_.span(process(life.who.node), "life", "starts up", life.span, "");
    for (const sim::BeliefSpan& belief : recording_.beliefs) {
      events_.span(process(belief.who.node), "belief", named("leads", belief.token), belief.span, belief.end);
      const sim::Span warm = sim::warmup_of(belief, recording_);
      if (warm.from < warm.to) events_.span(process(belief.who.node), "warmup", "warms up", warm, "");
    }
    for (const sim::PauseSpan& pause : recording_.pauses)
      events_.span(process(pause.node), "pause", "paused", pause.span, "");
    for (const sim::LinkCondition& link : recording_.links)
      events_.span(process_of(link), "link",
                   fmt::format("{} to {}: {}", name_of_end(link.from, link.store),
                               name_of_end(link.to, link.store), link.text),
                   link.span, "");
    for (const sim::WorkSpan& work : recording_.work)
      events_.span(process(work.who.node), "work", work.what, work.span, sim::name_of(work.landing));
    for (const sim::LateSlot& late : recording_.late)
      events_.span(process(late.who.node), "late", late.what, {late.at - late.late, late.at},
                   sim::name_of(late.why));
    for (const sim::SkippedSlots& skipped : recording_.skipped)
      events_.moment(process(skipped.who.node),
                     fmt::format("{} left out from {} on: {}", skipped.slots, skipped.what,
                                 tenure::name_of(skipped.why)),
                     skipped.at, "p");
    for (const sim::NarratedEvent& told : recording_.story)
      if (told.kind == sim::StoryKind::remark && told.node)
        events_.moment(process(*told.node), told.line.text, told.line.at, "p");
  }
  // A link is drawn with the node that sends, or that hears a store.
  std::size_t process_of(const sim::LinkCondition& link) const {
    return link.from ? process(*link.from) : process(*link.to);
  }

  void add_stores() {
    for (const sim::HoldSpan& hold : recording_.holds)
      events_.span(process(hold.store), "lease",
                   named(describe(hold.who), hold.token ? describe(*hold.token) : ""), hold.span, "");
    for (const sim::StoreCondition& condition : recording_.conditions) {
      if (condition.span.to == condition.span.from)
        events_.moment(process(condition.store), condition.text, condition.span.from, "p");
      else
        events_.span(process(condition.store), "state", condition.text, condition.span, "");
    }
  }

  void add_requests() {
    for (const sim::RequestTrip& trip : recording_.requests) {
      const std::size_t node = process(trip.id.incarnation.node);
      events_.span(node, "request", trip.what, {trip.decided, trip.heard.value_or(sim::TrueTime::max())},
                   sim::name_of(sim::fate_of(trip)));
      std::vector<TraceEvents::Stop> stops;
      if (trip.left) stops.push_back({node, "leaves", *trip.left});
      if (trip.applied) stops.push_back({process(trip.store), "is applied", *trip.applied});
      if (trip.returned) stops.push_back({node, "is answered", *trip.returned});
      events_.flow(trip.what, stops);
    }
  }

  const sim::Recording& recording_;
  TraceEvents events_;
};

}  // namespace

std::string perfetto_of(const sim::Recording& recording) { return Perfetto(recording).take(); }

}  // namespace tenure::cli
