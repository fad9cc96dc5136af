// Jobs on threads, results in order.
//
// A job is a pure function of its number, so that how many run at once changes when a result is there and nothing
// else. Results are handed over on the calling thread, in the order of their numbers, as soon as all before are there.
//
// Thread rule: run_jobs blocks its caller; `work` is called from several threads at once.
#pragma once

#include <cstddef>
#include <functional>

namespace tenure::cli {

enum class JobsEnd { done, stopped, interrupted };

// Runs jobs 0 … count - 1 on `threads` threads. work(i) does job i and keeps its result where take(i) finds it.
//
// When take(i) says false, no further job begins and no further result is taken; those under way are waited for, and
// `stopped` is returned.
//
// A first SIGINT or SIGTERM stops it: jobs that are not done are given up, those that are done and not yet taken are
// taken, and `interrupted` is returned while threads may still be at work, so that the caller must leave by
// std::_Exit. A second one kills the process.
JobsEnd run_jobs(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                 const std::function<bool(std::size_t)>& take);

}  // namespace tenure::cli
