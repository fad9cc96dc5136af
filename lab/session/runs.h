// Many runs on threads, with their outcomes in order; and the seeds of one scenario as a batch.
//
// Thread rule: blocks its caller, and starts threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "lab/session/batch.h"
#include "lab/session/jobs.h"
#include "lab/session/one_run.h"

namespace tenure::lab {

// `job` makes run number i, on any thread; `take` gets its outcome.
JobsEnd run_each(std::size_t count, unsigned threads, const std::function<OneRun(std::size_t)>& job,
                 const std::function<void(std::size_t, RunOutcome)>& take,
                 WhenInterrupted when_interrupted = WhenInterrupted::wait);

struct BatchSetup {
  std::uint64_t first_seed = 1;
  std::uint64_t runs = 1;
  unsigned threads = 1;
  bool twice = false;  // each is run again and compared
};

struct BatchFindings {
  Batch batch;                 // the runs that had a result
  std::string internal_error;  // the message of our first failed CHECK; empty: none
  std::string difference;      // the first difference between two runs of one seed; empty: none
};

// `seen` is called for each run after it has been added. `file` must outlive the batch.
BatchFindings run_batch(const format::ScenarioFile& file, const BatchSetup& setup,
                        const std::function<void(const RunOutcome&)>& seen = {});

}  // namespace tenure::lab
