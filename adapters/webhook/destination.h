// Where webhooks go, as the configuration says it. A schedule names a destination, and never a URL.
//
// Thread rule: values and pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "adapters/webhook/ip_address.h"
#include "adapters/webhook/signature.h"
#include "core/base/time.h"

namespace tenure::webhook {

struct WebhookDestination {
  std::string name;
  std::string url;  // http or https, without a user or password
  std::vector<SigningKey>
      keys;  // each signs. Two while a secret is changed; none: what is sent has no signature
  std::vector<IpNetwork> allow;  // networks that may be reached besides the public internet (address_rules.h)
  std::string ca_file;           // certificates to trust, in PEM; empty: the system's
  Duration connect_timeout = Duration::seconds(5);  // 1 ms to total_timeout, the look-up of the name included
  Duration total_timeout = Duration::seconds(15);   // 1 ms to 5 min, all included
  std::size_t in_flight = 16;                       // requests at a time, 1 to 1000
  std::size_t waiting = 1'000;                      // deliveries that wait for their turn, at most
};

// What is wrong with it, all of it, in words; empty when it can be used.
std::vector<std::string> problems_of(const WebhookDestination& destination);

}  // namespace tenure::webhook
