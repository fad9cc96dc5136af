// One attempt to deliver an event to a destination, and what became of it.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/ids.h"
#include "core/base/time.h"

namespace tenure::webhook {

struct WebhookDelivery {
  std::string destination;  // the name that the configuration has for it
  std::string event_id;     // the event's UUID: the same in each attempt
  std::string source;       // whose event it is, as a URI reference: "/tenure/orders"
  std::string type;         // of the data, for consumers; empty: "tenure.fire"
  std::string schedule;     // its name
  StoreTime slot;
  std::string data;            // JSON; empty: none
  std::uint64_t sequence = 0;  // of the event among those of its schedule
  std::uint32_t attempt = 1;   // counts from 1
  std::optional<Token> token;  // of the leader that delivers
};

struct WebhookResult {
  enum class Kind : std::uint8_t {
    delivered,  // the destination answered 2xx: it has the event
    failed,     // anything else. It may have the event all the same, so this attempt counts
    gone,       // it answered 410: it asks to be sent nothing any more. This attempt counts, too
    not_sent,  // nothing has left this process, because there was no room, no such destination, or no time left. It
               // does not count
  };
  Kind kind = Kind::failed;
  int status = 0;  // HTTP's; 0: no answer
  std::string
      reason;  // for logs and people: one line that has nothing of the answer's text. Empty if delivered
  std::optional<Duration>
      retry_after;  // what the destination asks for (at most a day): 408, 425, 429 and 5xx
  // The first kResponseBytes of the answer's body, as it came. It may hold anything: for admins, never for logs.
  std::string response;
  Duration took;  // from the beginning to the answer
};
inline constexpr std::size_t kResponseBytes = 1'024;

}  // namespace tenure::webhook
