// Numbers for Prometheus: docs/daemon.md lists them.
//
// Thread rule: any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/time.h"
#include "core/model/env.h"
#include "daemon/service/observer.h"

namespace tenure::daemon {

// What is read when somebody asks.
struct GaugeReadings {
  bool leads = false;
  Duration belief_left;
  bool held = false;  // firing is stopped, because the store's clock jumped
  bool store_answers = false;
  std::size_t http_connections = 0;
  std::size_t requests_waiting = 0;  // for a connection to the store
  std::size_t streams = 0;
};

// What was last seen of the outbox.
struct OutboxReading {
  std::size_t waiting = 0;
  Duration oldest;  // since the oldest was committed
  std::size_t dead = 0;
  // Schedules that are silent because they were covered while the store's clock was ahead, and until when the last is.
  std::uint64_t ahead = 0;
  StoreTime ahead_until;
};

class ServiceMetrics final : public StoreObserver {
 public:
  ServiceMetrics();
  ~ServiceMetrics() override;

  void answered(const reference::Request& asked, const Answer& answer, Duration took) override;
  // Counts renewals, and nothing else. Who asks who leads renews as nobody, so only the scheduler's count.
  StoreObserver& renewals();
  void began_to_lead();
  // Of a `route` that is empty the labels say `none`, and of a method that nobody needs `other`.
  void http_answered(std::string_view route, std::string_view method, std::uint16_t status, Duration took);
  void refused_by_quota(const std::string& token, std::string_view quota);
  void set(const OutboxReading& reading);
  // In Prometheus' text format.
  std::string text(const GaugeReadings& readings);

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace tenure::daemon
