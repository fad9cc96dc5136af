// Jobs on threads, results in order.
//
// A job is a pure function of its number. So the number of threads changes only when a result is ready. Results are
// handed over on the calling thread, in the order of their numbers, each as soon as all earlier ones are ready.
//
// Thread rule: run_jobs blocks its caller; `work` is called from several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace tenure::lab {

enum class JobsEnd : std::uint8_t { done, stopped, interrupted };

// Whether to wait for the jobs under way. If not, threads still use what `work` refers to when run_jobs() returns, so
// it must not be destroyed: the process should end at once.
enum class WhenInterrupted : std::uint8_t { wait, leave };

// Runs jobs 0 … count - 1 on `threads` threads. work(i) does job i and keeps its result where take(i) finds it.
//
// When take(i) returns false, no further job begins and no further result is taken. run_jobs() waits for the jobs under
// way and returns `stopped`.
//
// A cancellation (cancellation.h), also an earlier one, stops it: finished jobs are still taken, the others are given
// up, and it returns `interrupted`.
//
// What work(i) throws stops it as well, once the jobs before that one are taken, and is thrown to the caller.
JobsEnd run_jobs(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                 const std::function<bool(std::size_t)>& take,
                 WhenInterrupted when_interrupted = WhenInterrupted::wait);

// Results that threads have made and that one thread takes in order. May be called from several threads at once.
template <class T>
class Waiting {
 public:
  void put(std::size_t job, T result) {
    const std::scoped_lock lock(mutex_);
    waiting_.emplace(job, std::move(result));
  }
  // REQUIRES: the job's result was put.
  T take(std::size_t job) {
    const std::scoped_lock lock(mutex_);
    return std::move(waiting_.extract(job).mapped());
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, T> waiting_;
};

// The same, with results: make(i) gives that of job i, and take(i, result) gets it. The results are the threads' own,
// because they may outlive an interrupted caller's interest.
template <class Make, class Take>
JobsEnd make_in_order(std::size_t count, unsigned threads, Make make, const Take& take,
                      WhenInterrupted when_interrupted = WhenInterrupted::wait) {
  using T = decltype(make(std::size_t{}));
  const auto waiting = std::make_shared<Waiting<T>>();
  return run_jobs(
      count, threads, [waiting, make](std::size_t i) { waiting->put(i, make(i)); },
      [&take, &waiting](std::size_t i) { return take(i, waiting->take(i)); }, when_interrupted);
}

}  // namespace tenure::lab
