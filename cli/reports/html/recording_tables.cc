// What happened in a run as tables of JSON.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/reports/html/page_data.h"
#include "core/model/describe.h"
#include "format/syntax/targets.h"
#include "lab/session/json_writer.h"
#include "sim/runner/detail.h"
#include "sim/runner/story_filter.h"

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

// Requests of a node in each of equal stretches of time: how many, and how long the answers took.
class RequestBuckets {
 public:
  struct Bucket {
    std::uint64_t count = 0;
    std::uint64_t unanswered = 0;
    std::optional<Duration> least;
    std::optional<Duration> most;
  };
  explicit RequestBuckets(sim::TrueTime end)
      : length_(std::max(Duration::seconds(1), (end - sim::TrueTime{}) / kBuckets)) {}

  void add(const sim::RequestTrip& trip) {
    Bucket& bucket = all_[{(trip.decided - sim::TrueTime{}) / length_, trip.id.incarnation.node.value}];
    ++bucket.count;
    if (!trip.heard || trip.outcome == RequestOutcome::unknown) {
      ++bucket.unanswered;
      return;
    }
    const Duration took = *trip.heard - trip.decided;
    bucket.least = std::min(bucket.least.value_or(took), took);
    bucket.most = std::max(bucket.most.value_or(took), took);
  }
  sim::TrueTime begin_of(std::int64_t number) const { return sim::TrueTime{} + length_ * number; }
  const std::map<std::pair<std::int64_t, std::uint32_t>, Bucket>& all() const { return all_; }

 private:
  static constexpr std::int64_t kBuckets = 300;
  const Duration length_;
  std::map<std::pair<std::int64_t, std::uint32_t>, Bucket> all_;  // by number, and node
};

class Tables {
 public:
  std::string json_of(const sim::Recording& recording, const std::vector<sim::Span>& detail) {
    json_.begin_object().field("end", at(recording.end)).field("healed", at(recording.healed));
    json_.list("nodes", recording.nodes).list("stores", recording.stores).field("warmup", recording.warmup);
    write_processes(recording);
    write_leases(recording);
    write_surroundings(recording);
    write_faults(recording);
    write_work(recording);
    write_requests(recording, detail);
    write_story(recording);
    write_violations(recording);
    write_broken(recording);
    json_.list("texts", texts_.texts()).end_object();
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
    json_.key(name).begin_object().list("columns", columns).key("rows").begin_array();
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
    begin("startups", {"node", "from", "to"});
    for (const sim::LifeSpan& life : recording.startups)
      row(life.who.node.value, at(life.span.from), at(life.span.to));
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
    begin("holds", {"store", "node", "from", "to", "token"});
    for (const sim::HoldSpan& hold : recording.holds)
      row(hold.store.value, hold.who.node.value, at(hold.span.from), at(hold.span.to),
          hold.token ? describe(*hold.token) : "");
    end();
  }

  // In a row of a link, the end that is the store has no node.
  void write_surroundings(const sim::Recording& recording) {
    begin("troubles", {"store", "from", "to", "text", "answers"});
    for (const sim::StoreCondition& store : recording.conditions)
      row(store.store.value, at(store.span.from), at(store.span.to), store.text, store.answers);
    end();
    const auto place = [](const std::optional<NodeId>& node) {
      return node ? std::optional(node->value) : std::nullopt;
    };
    begin("clocks", {"node", "at", "mono", "wall", "rate", "still"});
    for (const sim::ClockState& clock : recording.clocks)
      row(clock.node.value, at(clock.at), clock.mono_offset, clock.wall_offset, clock.rate_ppm, clock.still);
    end();
    begin("links", {"sender", "receiver", "store", "from", "to", "text", "cut"});
    for (const sim::LinkCondition& link : recording.links)
      row(place(link.from), place(link.to), link.store.value, at(link.span.from), at(link.span.to),
          texts_.place(link.text), link.cut);
    end();
  }

  void write_faults(const sim::Recording& recording) {
    begin("faults", {"id", "action", "text", "nodes", "from", "to"});
    for (const sim::FaultSpan& fault : recording.faults)
      row(format::print_permanent_id(fault.id), fault.action, fault.text, places_of(fault.nodes),
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
    begin("late", {"node", "at", "what", "late", "why"});
    for (const sim::LateSlot& late : recording.late)
      row(late.who.node.value, at(late.at), texts_.place(late.what), late.late, sim::name_of(late.why));
    end();
    begin("skipped", {"node", "at", "what", "slots", "why"});
    for (const sim::SkippedSlots& skipped : recording.skipped)
      row(skipped.who.node.value, at(skipped.at), texts_.place(skipped.what), skipped.slots,
          tenure::name_of(skipped.why));
    end();
  }

  void write_requests(const sim::Recording& recording, const std::vector<sim::Span>& detail) {
    begin("detail", {"from", "to"});
    for (const sim::Span& span : detail) row(at(span.from), at(span.to));
    end();
    begin("requests", {"node", "incarnation", "number", "store", "what", "decided", "left", "arrived",
                       "applied", "returned", "heard", "fate", "reply"});
    RequestBuckets buckets(recording.end);
    auto span = detail.begin();
    for (const sim::RequestTrip& trip : recording.requests) {
      while (span != detail.end() && span->to < trip.decided) ++span;
      if (span != detail.end() && trip.decided >= span->from)
        write_request(trip);
      else
        buckets.add(trip);
    }
    end();
    begin("buckets", {"node", "from", "to", "count", "unanswered", "least", "most"});
    for (const auto& [key, bucket] : buckets.all()) {
      const auto& [number, node] = key;
      const sim::TrueTime from = buckets.begin_of(number);
      row(node, at(from), at(std::min(buckets.begin_of(number + 1), recording.end)), bucket.count,
          bucket.unanswered, bucket.least, bucket.most);
    }
    end();
  }
  void write_request(const sim::RequestTrip& trip) {
    row(trip.id.incarnation.node.value, trip.id.incarnation.number, trip.id.counter, trip.store.value,
        texts_.place(trip.what), at(trip.decided), at(trip.left), at(trip.arrived), at(trip.applied),
        at(trip.returned), at(trip.heard), texts_.place(std::string(sim::name_of(sim::fate_of(trip)))),
        texts_.place(trip.reply));
  }

  void write_story(const sim::Recording& recording) {
    begin("story", {"at", "kind", "node", "who", "text"});
    for (const sim::NarratedEvent& told : sim::filter_story(recording.story)) {
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

  void write_broken(const sim::Recording& recording) {
    begin("broken", {"assumption", "by", "nodes", "from", "to"});
    for (const sim::BrokenSpan& broken : recording.broken)
      row(broken.assumption, broken.by, places_of(broken.nodes), at(broken.span.from), at(broken.span.to));
    end();
  }

  lab::JsonWriter json_;
  Texts texts_;
};

}  // namespace

std::string json_of_recording(const sim::Recording& recording, const std::optional<sim::Span>& window) {
  return Tables().json_of(recording, sim::spans_of_detail(recording, kRequestsMax, window));
}

}  // namespace tenure::cli
