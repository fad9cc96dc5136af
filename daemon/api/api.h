// The API as a handler of HTTP requests: finds the route, asks who the caller is, and has the answer made.
//
// Thread rule: any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "daemon/api/call.h"
#include "daemon/api/kept_answers.h"
#include "daemon/api/routes.h"

namespace tenure::daemon {

class Api {
 public:
  Api(ApiContext context, AccessRules rules);

  // REQUIRES: this outlives the server.
  HttpHandler handler();
  // For a listener that serves health alone: it asks nobody who he is.
  HttpHandler health_handler();
  // Calls that wait for something look again. Often: that is how late they may be.
  void tick();
  // No call waits any more: those that do are forgotten. REQUIRES: the server has stopped.
  void end();
  // From now on these hold.
  void set_rules(AccessRules rules);

 private:
  // A call whose route needs the store, and who is to be told.
  struct StoreCall {
    const Route* route = nullptr;
    std::shared_ptr<Call> call;
    HttpRespond respond;
  };
  static constexpr std::size_t kMostWaiting = 512;
  static constexpr std::size_t kAskedAtOnce = 256;  // the pool has room for as many new calls beside them

  std::shared_ptr<const AccessRules> rules();
  void handle(HttpRequest request, const HttpRespond& respond);
  void dispatch(HttpRequest request, MatchedRoute matched, const HttpRespond& tell);
  // Tells it, and keeps it for others who ask the same.
  HttpRespond keeping(std::string key, const Call& call, HttpRespond tell);
  bool submit(StoreCall asked);  // false: too much waits for the store
  void answer(const StoreCall& asked, PooledStore& store);

  const ApiContext context_;
  std::mutex mutex_;
  std::shared_ptr<const AccessRules> rules_;
  std::vector<StoreCall> waiting_;
  KeptAnswers kept_;
};

}  // namespace tenure::daemon
