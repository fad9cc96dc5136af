// Jobs on threads, results in order.
//
// A job is a pure function of its number, so that how many run at once changes when a result is there and nothing
// else. Results are handed over on the calling thread, in the order of their numbers, as soon as all before are there.
//
// Thread rule: run_jobs blocks its caller; `work` is called from several threads at once.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "cli/terminal/terminal.h"

namespace tenure::cli {

// While there is one, a first SIGINT or SIGTERM is noted instead of ending the process; a second one kills it. They may
// be nested: what the outermost one has noted, all see.
class Interruption {
 public:
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();
  // Whether one came, since the outermost began.
  static bool came();

 private:
  struct Before;  // what signals did before
  std::unique_ptr<Before> before_;
};

enum class JobsEnd { done, stopped, interrupted };

// Runs jobs 0 … count - 1 on `threads` threads. work(i) does job i and keeps its result where take(i) finds it.
//
// When take(i) says false, no further job begins and no further result is taken; those under way are waited for, and
// `stopped` is returned.
//
// An interruption stops it, one that came before included: jobs that are not done are given up, those that are done and
// not yet taken are taken, and `interrupted` is returned while threads may still be at work, so that the caller must
// leave by leave_interrupted().
JobsEnd run_jobs(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                 const std::function<bool(std::size_t)>& take);

// Ends the process with ExitCode::interrupted. Nothing is torn down: threads may be at work on what is on the stack.
[[noreturn]] void leave_interrupted(Streams& streams);

}  // namespace tenure::cli
