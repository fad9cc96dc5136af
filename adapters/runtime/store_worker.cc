#include "adapters/runtime/store_worker.h"

#include <string>
#include <utility>

namespace tenure {

StoreWorker::StoreWorker(Connect connect, const MachineClock& clock)
    : connect_(std::move(connect)), clock_(clock), thread_([this] { run(); }) {}

StoreWorker::~StoreWorker() {
  stop();
  thread_.join();
}

void StoreWorker::submit(reference::Request request, MonoTime deadline, Done done) {
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

std::string StoreWorker::place() {
  const std::lock_guard lock(mutex_);
  return place_;
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
    return rejected(StoreError::busy,
                    place() + ": the connection was busy with the requests before it until its deadline");
  if (!connection_) {
    // Less than all, so that it is heard before the deadline what is in the way.
    const Duration within = job.deadline - clock_.mono();
    ConnectionOpened opened = connect_(within - within / 10);
    if (auto* error = std::get_if<OpenError>(&opened))
      return rejected(error->trouble, std::move(error->message));
    connection_ = std::get<std::unique_ptr<StoreBackend>>(std::move(opened));
    const std::lock_guard lock(mutex_);
    place_ = connection_->place();
  }
  const Duration left = job.deadline - clock_.mono();
  if (left <= Duration{})
    return rejected(StoreError::unreachable, place() + ": connecting took until the request's deadline");
  Answer answer = connection_->execute(job.request, left);
  answer.identity = connection_->identity();
  const std::lock_guard lock(mutex_);
  place_ = connection_->place();  // another host may have taken over
  return answer;
}

}  // namespace tenure
