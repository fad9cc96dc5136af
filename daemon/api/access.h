// Who may do what.
//
//   1. A request must name a host that is ours: else a page of another site, whose name was made to lead here, could
//      ask (DNS rebinding).
//   2. A request that changes something must not come from a page of another origin (cross-site request forgery). No
//      cookie is ever set or read.
//   3. A client of this machine needs no token, unless `loopback_needs_token`. What a proxy of this machine passes on
//      comes from elsewhere: it is known by its Forwarded or X-Forwarded-… fields, if it sends any. So as soon as others
//      are expected, `loopback_needs_token` is how it is, unless it is said (docs/adr/0065).
//   4. Everybody else shows a token, of which only the hash is known here.
//
// Thread rule: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/config/config.h"
#include "daemon/http/message.h"

namespace tenure::daemon {

// Who may do more, may do less. Clients write: schedules are theirs, and the events that they consume. What is for
// operators, because it undoes what the service has decided (that an event is dead), is an admin's.
enum class Scope : std::uint8_t { none, read, write, admin };
std::string_view name_of(Scope scope);

struct Caller {
  std::string actor;  // for the log
  bool read = false;
  bool write = false;
  bool admin = false;
  std::string prefix;      // of the names of schedules that it may touch
  std::string token = {};  // its name; empty: it has shown none
  TokenQuota quota = {};

  bool may(Scope scope) const;
  bool may_touch(std::string_view name) const { return name.starts_with(prefix); }
};

class AccessRules {
 public:
  explicit AccessRules(const DaemonConfig& config);

  // Each throws HttpProblem if it does not hold.
  void check_host(const HttpRequest& request) const;
  void check_origin(const HttpRequest& request) const;
  Caller caller_of(const HttpRequest& request) const;

 private:
  bool is_our_host(std::string_view host) const;

  std::vector<std::string> hosts_;
  std::vector<AccessToken> tokens_;
  bool loopback_needs_token_;
};

}  // namespace tenure::daemon
