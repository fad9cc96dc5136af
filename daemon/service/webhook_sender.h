// Sends events to the destinations of the configuration, for whoever leads: one attempt for each work item.
//
// It reads the events' payloads on a thread of its own, with its own connection to the store: all that wait to be read, up
// to a bound, at a time. A request for each was most of what a hundred events that are due at once waited for.
//
// Thread rule: any thread; answers come on threads of its own.
#pragma once

#include <deque>
#include <mutex>
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
  struct Unread {
    WorkItem item;
    WorkDoneCallback done;
    MonoTime since = {};
    std::string schedule = {};  // its name, once the payload is read
  };

  void read_soon();
  void read_some(PooledStore& store);
  void read(PooledStore& store, const std::vector<Unread>& some);
  void deliver(const PooledStore& store, Unread unread, const reference::EventPayload& event);
  void refuse(const Unread& unread, std::string_view why, Duration asked, std::string_view response) const;
  void not_sent(const Unread& unread, std::string_view why) const;

  const MachineClock& clock_;
  const Logger& log_;
  webhook::WebhookClient client_;
  std::mutex mutex_;
  std::deque<Unread> unread_;
  bool is_reading_ = false;  // a job of the reader is to look at what is unread
  StorePool reader_;         // last: its thread uses the client
};

}  // namespace tenure::daemon
