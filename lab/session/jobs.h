// Jobs on threads, results in order.
//
// A job is a pure function of its number, so that how many run at once changes when a result is there and nothing
// else. Results are handed over on the calling thread, in the order of their numbers, as soon as all before are there.
//
// Thread rule: run_jobs blocks its caller; `work` is called from several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tenure::lab {

enum class JobsEnd : std::uint8_t { done, stopped, interrupted };

// Whether the jobs under way are waited for; else threads are still at work on what `work` refers to when run_jobs()
// returns, so that it must not be destroyed: the process is to end at once.
enum class WhenInterrupted : std::uint8_t { wait, leave };

// Runs jobs 0 … count - 1 on `threads` threads. work(i) does job i and keeps its result where take(i) finds it.
//
// When take(i) says false, no further job begins and no further result is taken; those under way are waited for, and
// `stopped` is returned.
//
// An interruption (interruption.h), also one that came before, stops it: jobs that are done and not yet taken are
// taken, the others are given up, and `interrupted` is returned.
JobsEnd run_jobs(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                 const std::function<bool(std::size_t)>& take,
                 WhenInterrupted when_interrupted = WhenInterrupted::wait);

}  // namespace tenure::lab
