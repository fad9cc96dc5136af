// The part of the program that elects, and fires while it leads: a Runtime with one scheduler, on the configured store.
//
// Thread rule: made, drained and destroyed by one thread; everything else from any.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/schedule/time_zone.h"
#include "daemon/config/config.h"
#include "daemon/service/leadership_view.h"
#include "daemon/service/logger.h"
#include "daemon/service/metrics.h"

namespace tenure::daemon {

inline constexpr ResourceId kResource{};

// Opens connections to the configured store.
Connect connect_to(const DaemonConfig& config, const TimeZones& zones);

class SchedulerService {
 public:
  // It takes part as soon as it has a number: by the configuration at once, else when it is registered. REQUIRES: the
  // options have no problem; zones, log and metrics outlive this.
  SchedulerService(const DaemonConfig& config, const TimeZones& zones, const Logger& log,
                   ServiceMetrics& metrics);
  // What was not drained is left as by a crash. Then the journal ends: until now clients might be answered.
  ~SchedulerService();
  SchedulerService(const SchedulerService&) = delete;

  const MachineClock& clock() const;
  const LeadershipView& leadership() const;
  // What the store said to a RegisterNode, as long as there is no number. Thread rule: any.
  void registration_answered(const Answer& answer);
  // For clients. REQUIRES: this outlives every connection.
  Connect client_connect() const;
  // Where webhooks go from now on. REQUIRES: as WebhookClient. Thread rule: any.
  void set_destinations(std::vector<webhook::WebhookDestination> destinations);
  // Fires nothing new, finishes deliveries, gives the lease back. False: not within that time.
  bool drain(Duration within);

 private:
  struct Parts;
  void take_part(NodeId node);

  std::unique_ptr<Parts> parts_;
};

}  // namespace tenure::daemon
