// Looks every few seconds how much waits in the outbox, for the metrics.
//
// Thread rule: tick() by one thread.
#pragma once

#include <atomic>

#include "core/base/ids.h"
#include "daemon/service/metrics.h"
#include "daemon/service/store_pool.h"

namespace tenure::daemon {

class OutboxWatch {
 public:
  // REQUIRES: metrics outlive the pool's threads.
  OutboxWatch(StorePool& pool, ResourceId resource, ServiceMetrics& metrics)
      : pool_(pool), resource_(resource), metrics_(metrics) {}

  // Once a second.
  void tick();

 private:
  static constexpr int kEverySeconds = 5;
  void look(PooledStore& store) const;

  StorePool& pool_;
  const ResourceId resource_;
  ServiceMetrics& metrics_;
  int seconds_ = 0;
  std::atomic<bool> looking_ = false;
};

}  // namespace tenure::daemon
