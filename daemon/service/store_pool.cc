#include "daemon/service/store_pool.h"

#include <utility>

namespace tenure::daemon {

class StorePool::Session final : public PooledStore {
 public:
  Session(const Connect& connect, const MachineClock& clock) : connect_(connect), clock_(clock) {}

  void until(MonoTime deadline) { deadline_ = deadline; }

  Answer ask(const reference::Request& request) override {
    Duration left = deadline_ - clock_.mono();
    if (left <= Duration{}) return rejected(StoreError::busy, "the request's time was over before its turn");
    if (store_ == nullptr) {
      ConnectionOpened opened = connect_(left);
      if (const auto* error = std::get_if<OpenError>(&opened))
        return rejected(error->trouble, error->message);
      store_ = std::get<std::unique_ptr<StoreBackend>>(std::move(opened));
      left = deadline_ - clock_.mono();
      if (left <= Duration{}) return rejected(StoreError::busy, "connecting took the request's time");
    }
    return store_->execute(request, left);
  }
  std::string identity() const override { return store_ ? store_->identity() : std::string{}; }

 private:
  const Connect& connect_;
  const MachineClock& clock_;
  std::unique_ptr<StoreBackend> store_;
  MonoTime deadline_;
};

StorePool::StorePool(StorePoolOptions options, const MachineClock& clock)
    : options_(std::move(options)), clock_(clock) {
  for (std::size_t i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { run(); });
}

StorePool::~StorePool() { stop(); }

void StorePool::stop() {
  std::deque<WaitingJob> dropped;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    dropped.swap(jobs_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

bool StorePool::submit(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || jobs_.size() >= options_.waiting) return false;
    jobs_.push_back({std::move(job), clock_.mono() + options_.patience});
  }
  wake_.notify_one();
  return true;
}

std::size_t StorePool::waiting() const {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}

void StorePool::run() {
  Session session(options_.connect, clock_);
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
    if (closed_) return;
    WaitingJob next = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    session.until(next.deadline);
    next.job(session);
    next = {};  // what it held may take its time to go
    lock.lock();
  }
}

}  // namespace tenure::daemon
