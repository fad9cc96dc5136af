// The API as a handler of HTTP requests: finds the route, asks who the caller is, and has the answer made.
//
// Thread rule: any thread.
#pragma once

#include <memory>
#include <mutex>
#include <span>

#include "daemon/api/call.h"
#include "daemon/api/routes.h"

namespace tenure::daemon {

class Api {
 public:
  Api(ApiContext context, AccessRules rules);

  // REQUIRES: this outlives the server.
  HttpHandler handler();
  // For a listener that serves health alone: it asks nobody who he is.
  HttpHandler health_handler();
  // From now on these hold.
  void set_rules(AccessRules rules);

 private:
  void handle(HttpRequest request, const HttpRespond& respond);
  void dispatch(HttpRequest request, const HttpRespond& respond);

  const ApiContext context_;
  std::mutex mutex_;
  std::shared_ptr<const AccessRules> rules_;
};

}  // namespace tenure::daemon
