// Results that threads have made and that one thread takes in order.
//
// Thread rule: may be called from several threads at once.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

namespace tenure::lab {

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

}  // namespace tenure::lab
