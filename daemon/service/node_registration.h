// An instance's number, asked of the store: so instances of identical configuration tell each other apart, and no number
// is ever used by two (core/store/reference/executions.h). Asked again once a minute, it also says that it is alive.
//
// Thread rule: tick() by one thread at a time.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "core/base/ids.h"
#include "daemon/service/logger.h"
#include "daemon/service/store_pool.h"

namespace tenure::daemon {

class NodeRegistration {
 public:
  // `answered` hears what the store says, on a thread of the pool, until it has given a number. REQUIRES: the log
  // outlives the pool's threads.
  NodeRegistration(StorePool& pool, ResourceId resource, const Logger& log,
                   std::function<void(const Answer&)> answered);

  // At the start, and once a second.
  void tick();

 private:
  static constexpr int kEverySeconds = 60;
  void ask(PooledStore& store);

  StorePool& pool_;
  const Logger& log_;
  const std::function<void(const Answer&)> answered_;
  const reference::RegisterNode asked_;
  int seconds_ = 0;
  int refused_ = 0;  // of the job's thread, of which there is one at a time
  std::atomic<bool> registered_ = false;
  std::atomic<bool> asking_ = false;
};

}  // namespace tenure::daemon
