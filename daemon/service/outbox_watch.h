// Looks every few seconds how much waits in the outbox; and every minute, because that takes a look at each schedule,
// whether any was covered while the store's clock was ahead. For the metrics, and for those who ask for its health.
//
// Thread rule: tick() by one thread, reading() by any.
#pragma once

#include <atomic>
#include <mutex>

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
  // What was seen last.
  OutboxReading reading() const;

 private:
  static constexpr int kEverySeconds = 5;
  static constexpr int kAheadEverySeconds = 60;
  void look(PooledStore& store, bool ahead);

  StorePool& pool_;
  const ResourceId resource_;
  ServiceMetrics& metrics_;
  int seconds_ = 0;
  std::atomic<bool> looking_ = false;
  mutable std::mutex mutex_;
  OutboxReading reading_;
};

}  // namespace tenure::daemon
