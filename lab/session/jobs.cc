#include "lab/session/jobs.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "lab/session/cancellation.h"

namespace tenure::lab {
namespace {

// Interruptions and finished jobs both wake the caller through one pipe.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  void send(char byte) const {
    while (write(ends_[1], &byte, 1) < 0 && errno == EINTR) {
    }
  }
  // Waits for a byte.
  char receive() const {
    char byte = 0;
    while (read(ends_[0], &byte, 1) < 0 && errno == EINTR) {
    }
    return byte;
  }
  int entrance() const { return ends_[1]; }

 private:
  std::array<int, 2> ends_{};
};

// What the threads share. Outlives them: an interrupted caller leaves while they run.
struct Shared {
  Pipe pipe;
  std::mutex mutex;
  std::condition_variable room;
  std::size_t count = 0;
  std::size_t next = 0;   // the next job to begin
  std::size_t taken = 0;  // jobs before this one have been handed over
  std::size_t window = 0;
  bool stopping = false;
  std::vector<bool> done;
  std::map<std::size_t, std::exception_ptr> thrown;  // by job
};

// Does jobs until there are none. Never runs far ahead of what is handed over, so that results do not pile up.
void work_on(Shared& shared, const std::function<void(std::size_t)>& work) {
  while (true) {
    std::size_t job = 0;
    {
      std::unique_lock lock(shared.mutex);
      shared.room.wait(lock, [&] {
        return shared.stopping || shared.next >= shared.count || shared.next < shared.taken + shared.window;
      });
      if (shared.stopping || shared.next >= shared.count) return;
      job = shared.next++;
    }
    std::exception_ptr thrown;
    try {
      work(job);
    } catch (...) {
      thrown = std::current_exception();
    }
    {
      const std::scoped_lock lock(shared.mutex);
      shared.done[job] = true;
      if (thrown != nullptr) shared.thrown.emplace(job, thrown);
    }
    shared.pipe.send('d');
  }
}

}  // namespace

JobsEnd run_jobs(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                 const std::function<bool(std::size_t)>& take, WhenInterrupted when_interrupted) {
  threads = static_cast<unsigned>(std::clamp<std::size_t>(count, 1, std::max(threads, 1U)));
  // Shared and work belong to the threads too; an interrupted process keeps both until it is gone.
  const auto shared = std::make_shared<Shared>();
  const auto kept_work = std::make_shared<std::function<void(std::size_t)>>(work);
  shared->count = count;
  shared->window = std::size_t{threads} * 8;
  shared->done.assign(count, false);
  const CancellationPipe entrance(shared->pipe.entrance());
  if (is_cancelled()) return JobsEnd::interrupted;

  std::vector<std::thread> workers;
  for (unsigned i = 0; i < threads; ++i)
    workers.emplace_back([shared, kept_work] { work_on(*shared, *kept_work); });

  std::size_t next = 0;
  const auto is_done =
      [&](std::size_t job) -> bool {  // not the vector's own reference: that would read later
    const std::scoped_lock lock(shared->mutex);
    return shared->done[job];
  };
  bool going_on = true;
  const auto threw = [&](std::size_t job) {
    const std::scoped_lock lock(shared->mutex);
    return shared->thrown.contains(job);
  };
  while (going_on && next < count) {
    if (shared->pipe.receive() == CancellationPipe::kByte) {
      {
        const std::scoped_lock lock(shared->mutex);
        shared->stopping = true;
      }
      shared->room.notify_all();
      for (std::size_t job = next; job < count; ++job)
        if (is_done(job) && !threw(job)) static_cast<void>(take(job));
      for (std::thread& worker : workers)
        when_interrupted == WhenInterrupted::wait ? worker.join() : worker.detach();
      return JobsEnd::interrupted;
    }
    while (going_on && next < count && is_done(next)) {
      going_on = !threw(next) && take(next);
      ++next;
      {
        const std::scoped_lock lock(shared->mutex);
        shared->taken = next;
        shared->stopping = !going_on;
      }
      shared->room.notify_all();
    }
  }
  for (std::thread& worker : workers) worker.join();
  if (next > 0 && threw(next - 1)) std::rethrow_exception(shared->thrown.at(next - 1));
  return going_on ? JobsEnd::done : JobsEnd::stopped;
}

}  // namespace tenure::lab
