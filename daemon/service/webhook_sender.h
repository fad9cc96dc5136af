// Sends events to the destinations of the configuration, for whoever leads: one attempt for each work item.
//
// It reads an event's payload on a thread of its own, with its own connection to the store.
//
// Thread rule: any thread; answers come on threads of its own.
#pragma once

#include <string_view>
#include <vector>

#include "adapters/runtime/runtime.h"
#include "adapters/webhook/webhook_client.h"
#include "daemon/service/logger.h"
#include "daemon/service/store_pool.h"

namespace tenure::daemon {

// In the reason of a dead event: what follows was said by its destination. It may hold anything.
inline constexpr std::string_view kSaid = "\nit said: ";

class WebhookSender {
 public:
  // REQUIRES: destinations as WebhookClient; clock and log outlive this.
  WebhookSender(Connect connect, const MachineClock& clock, const Logger& log,
                std::vector<webhook::WebhookDestination> destinations);

  // Answers `done` once, or `failed`; destroyed before, it may not answer.
  void send(const WorkItem& item, WorkDoneCallback done);
  // What is in flight goes on as it began.
  void set_destinations(std::vector<webhook::WebhookDestination> destinations);

 private:
  void send_from(PooledStore& store, const WorkItem& item, const WorkDoneCallback& done);
  void refuse(const WorkItem& item, const WorkDoneCallback& done, std::string_view why, Duration asked = {},
              std::string_view response = {}) const;
  void not_sent(const WorkItem& item, const WorkDoneCallback& done, std::string_view why) const;

  const Logger& log_;
  webhook::WebhookClient client_;
  StorePool reader_;  // last: its thread uses the client
};

}  // namespace tenure::daemon
