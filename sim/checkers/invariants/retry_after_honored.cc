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
#include <string>

#include "sim/checkers/invariants/checker_of.h"

namespace tenure::sim {
namespace {

class RetryAfterHonored final : public CheckerOf<RetryAfterHonored> {
 public:
  explicit RetryAfterHonored(const CheckerSetup& setup)
      : CheckerOf(setup), age_(setup.scenario.scheduling.duration("destination_age")) {}

  void on(TrueTime now, const DeliveryAsked& sent) { begins(now, sent.who, sent.item); }
  void on(TrueTime, const DeliveryArrived& landed) { asks(landed.who, landed.item, landed.retry_after); }
  void on(TrueTime, const DeliveryEnded& ended) { asks(ended.who, ended.item, ended.retry_after); }

 private:
  void asks(Incarnation who, const WorkItem& item, Duration wait) {
    const SentEvent* sent = run_.sent().find(who, item.event, item.token);
    if (wait != Duration{} && sent != nullptr && sent->is_in_hand) examined();
  }

  void begins(TrueTime now, Incarnation who, const WorkItem& item) {
    const SentEvent* sent = run_.sent().find(who, item.event, item.token);
    if (sent == nullptr || !sent->is_in_hand || sent->wait == Duration{}) return;
    const MonoTime mono =
        view_.mono_now(who.node);  // it heard of the wish later than that was made, if at all
    if (mono < sent->wait_until)
      blame(now, who, item, fmt::format("{} too early", describe(sent->wait_until - mono)), sent->wait);
    else if (sent->wait_until - sent->first_mono >= age_)
      blame(now, who, item, fmt::format("although it is dead after {}", describe(age_)), sent->wait);
  }

  void blame(TrueTime now, Incarnation who, const WorkItem& item, const std::string& how, Duration wait) {
    violate(now, {who}, {item.event.schedule},
            fmt::format("{} sent {} to {} again at {}, {}: that had asked for {}", names_.who(who),
                        names_.event(item.event), item.destination, time_text(now), how, describe(wait)));
  }

  Duration age_;
};

}  // namespace

const char* retry_after_honored::not_applicable(const Scenario& scenario) {
  if (const char* why = lacks_destinations(scenario)) return why;
  const auto asks = [](const DestinationSetting& each) { return each.retry_after > Duration{}; };
  return std::any_of(scenario.destinations.begin(), scenario.destinations.end(), asks)
             ? nullptr
             : "no destination asks for a wait";
}

TENURE_MADE_AS(retry_after_honored, RetryAfterHonored)

}  // namespace tenure::sim
