#include "daemon/service/metrics.h"

#include <fmt/format.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>

#include "core/journal/kinds.h"
#include "core/model/describe.h"

namespace tenure::daemon {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Histogram;

double seconds(Duration time) { return static_cast<double>(time.ns()) / 1e9; }

const Histogram::BucketBoundaries& latencies() {
  static const Histogram::BucketBoundaries kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                      0.25,  0.5,    1,     2.5,  5,     10};
  return kBounds;
}
const Histogram::BucketBoundaries& latenesses() {
  static const Histogram::BucketBoundaries kBounds = {0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5,
                                                      1,     2.5,   5,    10,   30,   60,  300,  3600};
  return kBounds;
}

// A client may send any word: each label would be a series of its own.
std::string_view label_of(std::string_view method) {
  constexpr std::string_view kMethods[] = {"GET", "HEAD", "POST", "PUT", "DELETE"};
  const auto* const found = std::find(std::begin(kMethods), std::end(kMethods), method);
  return found == std::end(kMethods) ? "other" : *found;
}

}  // namespace

struct ServiceMetrics::Families {
  // Each outcome is there from the beginning.
  class RenewalCount final : public StoreObserver {
   public:
    explicit RenewalCount(prometheus::Family<prometheus::Counter>& renewals)
        : granted_(renewals.Add({{"outcome", "granted"}})),
          refused_(renewals.Add({{"outcome", "refused"}})),
          unanswered_(renewals.Add({{"outcome", "unanswered"}})) {}

    void answered(const reference::Request& asked, const Answer& answer, Duration) override {
      if (!std::holds_alternative<reference::Renew>(asked)) return;
      if (answer.outcome != RequestOutcome::applied)
        unanswered_.Increment();
      else
        (std::holds_alternative<reference::Granted>(answer.reply) ? granted_ : refused_).Increment();
    }

   private:
    prometheus::Counter& granted_;
    prometheus::Counter& refused_;
    prometheus::Counter& unanswered_;
  };

  prometheus::Registry registry;
  prometheus::Gauge& gauge(const std::string& name, const std::string& help) {
    return BuildGauge().Name(name).Help(help).Register(registry).Add({});
  }

  prometheus::Gauge& leader = gauge("tenure_leader", "1 while this instance leads");
  prometheus::Gauge& belief =
      gauge("tenure_belief_left_seconds", "for how long it may still act as the leader");
  prometheus::Gauge& hold =
      gauge("tenure_clock_hold", "1 while firing is held, because the store's clock jumped");
  prometheus::Gauge& store_up = gauge("tenure_store_up", "1 while the store answers the scheduler");
  prometheus::Gauge& outbox =
      gauge("tenure_outbox_events", "events that wait, counted up to 100,000 of each kind");
  prometheus::Gauge& oldest =
      gauge("tenure_outbox_oldest_seconds", "how long ago the oldest of these was committed");
  prometheus::Gauge& dead =
      gauge("tenure_dead_events", "events that were given up and not discarded, counted up to 100,000");
  prometheus::Gauge& ahead = gauge("tenure_schedules_ahead",
                                   "schedules that are silent: they fired while the store's clock was ahead");
  prometheus::Gauge& connections = gauge("tenure_http_connections", "clients that are connected");
  prometheus::Gauge& streams = gauge("tenure_http_streams", "clients that follow changes or fires");
  prometheus::Gauge& waiting = gauge("tenure_store_queue", "requests of clients that wait for a connection");

  prometheus::Counter& leaderships = BuildCounter()
                                         .Name("tenure_leaderships_total")
                                         .Help("how often this instance began to lead")
                                         .Register(registry)
                                         .Add({});
  RenewalCount renewals{BuildCounter()
                            .Name("tenure_renewals_total")
                            .Help("renewals of the lease, by outcome")
                            .Register(registry)};
  prometheus::Family<prometheus::Counter>& slots =
      BuildCounter().Name("tenure_slots_total").Help("slots that this instance covered").Register(registry);
  prometheus::Histogram& lateness = BuildHistogram()
                                        .Name("tenure_fire_lateness_seconds")
                                        .Help("from when a slot was due to its commit, by the store's clock")
                                        .Register(registry)
                                        .Add({}, latenesses());
  prometheus::Family<prometheus::Histogram>& requests =
      BuildHistogram().Name("tenure_store_request_seconds").Help("answers of the store").Register(registry);
  prometheus::Family<prometheus::Counter>& errors = BuildCounter()
                                                        .Name("tenure_store_errors_total")
                                                        .Help("requests that it did not execute")
                                                        .Register(registry);
  prometheus::Family<prometheus::Counter>& refusals =
      BuildCounter()
          .Name("tenure_quota_refusals_total")
          .Help("requests that were refused because of a token's quota")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& http =
      BuildCounter().Name("tenure_http_requests_total").Help("answers to clients").Register(registry);
  prometheus::Family<prometheus::Histogram>& http_time =
      BuildHistogram().Name("tenure_http_request_seconds").Help("from request to answer").Register(registry);
};

// A series that begins with the first thing it counts shows no increase for it: an alert would not see what is missed
// first.
ServiceMetrics::ServiceMetrics() : families_(std::make_unique<Families>()) {
  using reference::Disposition;
  for (const Disposition what : {Disposition::fired, Disposition::coalesced, Disposition::missed,
                                 Disposition::paused, Disposition::overlapped})
    families_->slots.Add({{"what", std::string(tenure::name_of(what))}});
  for (int trouble = static_cast<int>(StoreError::busy); trouble <= static_cast<int>(StoreError::failed);
       ++trouble)
    families_->errors.Add({{"trouble", std::string(tenure::name_of(static_cast<StoreError>(trouble)))}});
}

ServiceMetrics::~ServiceMetrics() = default;

void ServiceMetrics::refused_by_quota(const std::string& token, std::string_view quota) {
  families_->refusals.Add({{"token", token}, {"quota", std::string(quota)}}).Increment();
}

StoreObserver& ServiceMetrics::renewals() { return families_->renewals; }

void ServiceMetrics::answered(const reference::Request& asked, const Answer& answer, Duration took) {
  Families& to = *families_;
  const std::string kind(journal::kRequestKinds.at(asked.index()));
  to.requests.Add({{"request", kind}}, latencies()).Observe(seconds(took));
  const bool applied = answer.outcome == RequestOutcome::applied;
  if (!applied) to.errors.Add({{"trouble", std::string(tenure::name_of(answer.trouble))}}).Increment();
  const auto* commit = std::get_if<reference::CommitFires>(&asked);
  const auto* committed = std::get_if<reference::Committed>(&answer.reply);
  if (commit == nullptr || !applied || committed == nullptr) return;
  for (std::size_t i = 0; i < commit->rows.size(); ++i) {
    const reference::LedgerRow& row = commit->rows[i];
    const bool overlapped = committed->rows[i] == reference::RowResult::overlapped;  // as the store judged
    if (committed->rows[i] != reference::RowResult::covered && !overlapped) continue;
    const bool fired = row.what == reference::Disposition::fired && !overlapped;
    const reference::Disposition what = overlapped ? reference::Disposition::overlapped : row.what;
    to.slots.Add({{"what", std::string(tenure::name_of(what))}})
        .Increment(fired ? 1 : static_cast<double>(row.slots));
    if (!fired) continue;
    if (row.slots > 1)
      to.slots.Add({{"what", std::string(tenure::name_of(reference::Disposition::coalesced))}})
          .Increment(static_cast<double>(row.slots - 1));
    to.lateness.Observe(seconds(answer.store_time - row.due));
  }
}

void ServiceMetrics::began_to_lead() { families_->leaderships.Increment(); }

void ServiceMetrics::http_answered(std::string_view route, std::string_view method, std::uint16_t status,
                                   Duration took) {
  const std::string label(route.empty() ? "none" : route);
  families_->http
      .Add({{"route", label},
            {"method", std::string(label_of(method))},
            {"status", fmt::format("{}", status)}})
      .Increment();
  families_->http_time.Add({{"route", label}}, latencies()).Observe(seconds(took));
}

void ServiceMetrics::set(const OutboxReading& reading) {
  families_->outbox.Set(static_cast<double>(reading.waiting));
  families_->oldest.Set(seconds(reading.oldest));
  families_->dead.Set(static_cast<double>(reading.dead));
  families_->ahead.Set(static_cast<double>(reading.ahead));
}

std::string ServiceMetrics::text(const GaugeReadings& readings) {
  Families& to = *families_;
  to.leader.Set(readings.leads ? 1 : 0);
  to.belief.Set(seconds(readings.belief_left));
  to.hold.Set(readings.held ? 1 : 0);
  to.store_up.Set(readings.store_answers ? 1 : 0);
  to.connections.Set(static_cast<double>(readings.http_connections));
  to.streams.Set(static_cast<double>(readings.streams));
  to.waiting.Set(static_cast<double>(readings.requests_waiting));
  return prometheus::TextSerializer().Serialize(to.registry.Collect());
}

}  // namespace tenure::daemon
