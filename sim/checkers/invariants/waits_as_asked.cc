// retry-after-honored: no event is sent to its destination sooner than that has asked for.
//
// A destination that refuses an event, or fails at it, can ask not to be sent it again for a time. The leader that has
// heard this waits, by its own clock. If the event would have its `destination_age` by then, it is dead, and is not
// sent again at all. Another leadership, also of the same process, has not heard of it.
// Reads: deliveries, what is taken from the outbox, who steps down or dies.
// Not applicable: no schedule names a destination, or no destination asks for such a wait.
// One opportunity: an answer that asks for it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/store/reference/event_map.h"
#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/by_life.h"

namespace tenure::sim {
namespace {

class WaitsAsAsked final : public CheckerOf<WaitsAsAsked> {
 public:
  explicit WaitsAsAsked(const CheckerSetup& setup)
      : CheckerOf(setup), age_(setup.scenario.scheduling.duration("destination_age")) {}

  void on(TrueTime now, const DeliveryAsked& sent) { begins(now, sent.who, sent.item); }
  void on(TrueTime, const DeliveryLanded& landed) { asks(landed.who, landed.item, landed.retry_after); }
  void on(TrueTime, const DeliveryEnded& ended) { asks(ended.who, ended.item, ended.retry_after); }
  // An operator may have what is dead sent again, at once.
  void on(TrueTime, const Submitted& submitted) {
    if (Events* events = sent_.find(submitted.who))
      for_each_taken(submitted.submission.request, run_.rules(),
                     [&](const reference::EventId& event) { events->erase(event); });
  }
  void on(TrueTime, const Noted& noted) {
    if (std::holds_alternative<StepsDown>(noted.note)) sent_.erase(noted.who);
  }
  void on(TrueTime, const NodeDied& died) { sent_.erase(died.who); }

 private:
  struct Wish {
    Duration wait;
    MonoTime until;
    bool too_long = false;  // the event is too old by then
  };
  struct Sent {
    std::optional<Token> token;
    MonoTime first;            // when this leadership sent it for the first time
    std::optional<Wish> wish;  // of the answer to the latest attempt
  };
  using Events = reference::EventMap<Sent>;

  void asks(Incarnation who, const WorkItem& item, Duration wait) {
    Events* const events = sent_.find(who);
    Sent* const sent = events != nullptr ? events->find(item.event) : nullptr;
    if (wait == Duration{} || sent == nullptr || sent->token != item.token) return;
    examined();
    const MonoTime now = view_.mono_now(who.node);  // it hears this later, if anything
    sent->wish = Wish{wait, now + wait, now - sent->first + wait >= age_};
  }

  void begins(TrueTime now, Incarnation who, const WorkItem& item) {
    const MonoTime mono = view_.mono_now(who.node);
    Sent& sent = sent_[who].add(item.event);
    if (sent.token != item.token) sent = {item.token, mono, std::nullopt};
    if (!sent.wish) return;
    const Wish wish = *sent.wish;
    sent.wish.reset();
    if (mono < wish.until)
      blame(now, who, item, fmt::format("{} too early", describe(wish.until - mono)), wish);
    else if (wish.too_long)
      blame(now, who, item, fmt::format("although it is dead after {}", describe(age_)), wish);
  }

  void blame(TrueTime now, Incarnation who, const WorkItem& item, const std::string& how, const Wish& wish) {
    violate(
        now, {who}, {item.event.schedule},
        fmt::format("{} sent {} to {} again at {}, {}: that had asked for {}", names_.who(who),
                    names_.event(item.event), item.destination, time_text(now), how, describe(wish.wait)));
  }

  Duration age_;
  ByLife<Events> sent_;
};

}  // namespace

const char* waits_as_asked::not_applicable(const Scenario& scenario) {
  if (const char* why = lacks_destinations(scenario)) return why;
  const auto asks = [](const DestinationSetting& each) { return each.retry_after > Duration{}; };
  return std::any_of(scenario.destinations.begin(), scenario.destinations.end(), asks)
             ? nullptr
             : "no destination asks for a wait";
}

std::unique_ptr<Checker> waits_as_asked::make(const CheckerSetup& setup) {
  return std::make_unique<WaitsAsAsked>(setup);
}

}  // namespace tenure::sim
