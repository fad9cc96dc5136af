// Delivers events to the destinations of the configuration, over HTTP: each delivery is one attempt. Whoever calls it
// decides whether and when there is another.
//
//   1. Each delivery is answered once, by its callback.
//   2. A destination has its own requests in flight and its own queue, so a slow one delays no other. The look-ups of
//      names are made elsewhere by libcurl, and delay nobody either.
//   3. Deliveries to one destination begin in the order in which they were given. They may end in another.
//
// Thread rule: any thread may call. Callbacks are called on a thread of the client, one at a time. They must not block,
// throw, or call the client.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "adapters/webhook/delivery.h"
#include "adapters/webhook/destination.h"

namespace tenure::webhook {

class WebhookClient {
 public:
  using Done = std::function<void(const WebhookResult&)>;

  // REQUIRES: no destination has a problem (problems_of), and each has a name of its own.
  explicit WebhookClient(std::vector<WebhookDestination> destinations);
  // Ends at once, whatever destinations do. What is in flight fails; what waits is not sent.
  ~WebhookClient();
  WebhookClient(const WebhookClient&) = delete;
  WebhookClient& operator=(const WebhookClient&) = delete;

  void deliver(WebhookDelivery delivery, Done done);
  // From now on these are the destinations. What is in flight goes on as it began; what waits for a destination that is
  // no more is not sent.
  void set_destinations(std::vector<WebhookDestination> destinations);
  // Begins nothing any more, and waits until all that is in flight is answered, or `bound` is over. Was all answered?
  bool drain(Duration bound);

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace tenure::webhook
