// Designs compared in situations: their runs, on threads, and what is made of them.
//
// The runs depend on what is asked, never on the number of threads. Situations that stretch something are run again
// once it is known how long each design takes to fail over.
//
// Thread rule: one thread, which starts others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/syntax/diagnostic.h"
#include "lab/compare/comparison.h"
#include "lab/compare/price.h"
#include "lab/session/many_runs.h"

namespace tenure::lab {

struct CompareTask {
  std::vector<Candidate> candidates;
  // Those of the summary, and those of the matrix. A situation may be in both.
  std::vector<Situation> situations;
  SummarySituations measured;       // places in `situations`
  std::vector<std::size_t> matrix;  // likewise
  std::optional<Price> price = {};  // that each design is brought to first; none: as they are
  // Designs that cannot be brought to it are left out, unless all are; false: then nothing is compared.
  bool leaves_out_unpriced = false;
  std::uint64_t seeds = 200;  // of each cell; of the requests with 10 standbys at most 20
  unsigned threads = 1;
  std::optional<CounterexampleSetup> keep;  // none: nothing is kept
  CompareSave* save = nullptr;  // where runs are written, and taken from; null: nowhere. Outlives it
  const TimeZones* zones = &only_utc();
};

struct CompareFindings {
  Comparison comparison;
  RunsProgress runs;
  bool interrupted = false;   // if true, cells have only the runs that were done
  std::uint64_t missing = 0;  // of one of several parts: it was interrupted because so many runs did not come
  std::string internal_error;  // the first broken invariant of ours; empty: none
  // A design that is not right in any situation, by candidate; then nothing was run.
  struct BadCandidate {
    std::size_t candidate = 0;
    std::vector<format::Diagnostic> problems;
  };
  std::vector<BadCandidate> bad = {};
  std::optional<Price> price = {};  // as in the task
  // A design that cannot be brought to it, by candidate; then nothing was compared.
  struct Unpriced {
    std::size_t candidate = 0;
    std::string why;  // for people
  };
  std::vector<Unpriced> unpriced = {};
  struct LeftOut {
    std::string design;
    std::string why;  // for people
  };
  std::vector<LeftOut> left_out = {};
  // The worst run of each cell of the matrix, for its gravest trouble, as it was kept.
  struct KeptCell {
    std::size_t candidate = 0;
    std::size_t column = 0;
    std::optional<SavedRegression> saved;  // none: it does not fail again
  };
  std::vector<KeptCell> kept = {};
};

CompareFindings compare(CompareTask task, RunsObserver& observer);

}  // namespace tenure::lab
