// Threads with a connection to the store each, for what clients ask.
//
// A job runs on one of them, and may ask the store as often as it likes until its time is over. Jobs wait in order; at
// most `waiting` of them, so that a store that hangs does not pile them up.
//
// Thread rule: submit() may be called from any thread; a job runs on a thread of the pool.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "adapters/runtime/machine_clock.h"
#include "adapters/runtime/store_worker.h"

namespace tenure::daemon {

// The store, for one job.
class PooledStore {
 public:
  virtual ~PooledStore() = default;
  // Executed by the job's deadline, or rejected, or unknown.
  virtual Answer ask(const reference::Request& request) = 0;
  virtual std::string identity() const = 0;  // of the store; empty as long as none has answered
};

struct StorePoolOptions {
  Connect connect;
  std::size_t threads = 4;
  std::size_t waiting = 512;
  Duration patience = Duration::seconds(10);  // from the submit to the end of a job
};

class StorePool {
 public:
  using Job = std::function<void(PooledStore& store)>;

  StorePool(StorePoolOptions options, const MachineClock& clock);
  ~StorePool();  // stops
  StorePool(const StorePool&) = delete;

  // False: too many wait, or it is closed. The job will not run.
  bool submit(Job job);
  std::size_t waiting() const;
  // Waits for the jobs that run; those that wait are dropped, and no job is taken any more.
  void stop();

 private:
  class Session;
  struct WaitingJob {
    Job job;
    MonoTime deadline;
  };
  void run();

  const StorePoolOptions options_;
  const MachineClock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<WaitingJob> jobs_;
  bool closed_ = false;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace tenure::daemon
