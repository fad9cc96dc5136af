#include "adapters/runtime/store_worker.h"

#include <utility>

namespace tenure {

StoreWorker::StoreWorker(Connect connect, const MachineClock& clock)
    : connect_(std::move(connect)), clock_(clock), thread_([this] { run(); }) {}

StoreWorker::~StoreWorker() {
  stop();
  thread_.join();
}

void StoreWorker::submit(house::Request request, MonoTime deadline, Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    jobs_.push_back({std::move(request), deadline, std::move(done)});
  }
  wake_.notify_one();
}

void StoreWorker::finish() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  wake_.notify_one();
}

void StoreWorker::stop() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    jobs_.clear();
  }
  wake_.notify_one();
}

bool StoreWorker::ended() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void StoreWorker::run() {
  for (;;) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
    if (jobs_.empty()) break;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job.done(execute(job));
  }
  connection_.reset();
  const std::lock_guard lock(mutex_);
  ended_ = true;
}

Answer StoreWorker::execute(const Job& job) {
  if (clock_.mono() >= job.deadline)
    return rejected(Trouble::busy, "the request waited for its connection until its deadline had passed");
  if (!connection_) {
    ConnectionOpened opened = connect_();
    if (auto* error = std::get_if<OpenError>(&opened))
      return rejected(error->trouble, std::move(error->message));
    connection_ = std::get<std::unique_ptr<HouseDatabase>>(std::move(opened));
  }
  const Duration left = job.deadline - clock_.mono();
  if (left <= Duration{})
    return rejected(Trouble::unreachable, "connecting took until the request's deadline");
  return connection_->execute(job.request, left);
}

}  // namespace tenure
