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
// An interruption (interruption.h), also an earlier one, stops it: finished jobs are still taken, the others are given
// up, and it returns `interrupted`.
//
// What work(i) throws stops it as well, once the jobs before that one are taken, and is thrown to the caller.
JobsEnd run_jobs(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                 const std::function<bool(std::size_t)>& take,
                 WhenInterrupted when_interrupted = WhenInterrupted::wait);

}  // namespace tenure::lab
