// The hunt: chooses cases, and collects what they showed and what failed.
//
// Cases come in generations. Half of a generation is drawn anew. The other half is made by mutation from earlier cases
// that showed something new, mostly from those whose features few others have shown since. In each half, half of the
// cases stay inside the claims. The corpus changes only between generations, and results are taken in the order of the
// cases. So the findings and their order do not depend on how many cases ran at once.
//
// The hunt itself runs nothing: a session puts cases on threads, tests run them one by one.
//
// Thread rule: make() may be called from several threads at once, until the generation's last result is taken; all
// else belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/hunt/failure.h"
#include "lab/hunt/hunt_totals.h"
#include "lab/hunt/signature.h"
#include "lab/hunt/swarm.h"

namespace tenure::lab {

struct HuntPlan {
  std::uint64_t first_seed = 1;
  std::uint64_t cases = 0;  // how many at most
  bool guided = true;       // false: every case is drawn anew
};

// The result of one case.
struct CaseResult {
  sim::RunResult run;
  Signature signature;
  std::vector<Failure> failures;  // one for each checker that failed, the earliest first
};

class Hunt {
 public:
  Hunt(const format::ScenarioFile& file, HuntPlan plan);

  // Begins the next generation. Returns how many cases may run now, from next_case() on; 0: the hunt is over. REQUIRES:
  // all results of the last generation are taken.
  std::uint64_t begin_generation();
  std::uint64_t generation_size() const { return generation_end_ - totals_.cases; }  // what is left of it
  std::uint64_t next_case() const { return totals_.cases; }
  std::uint64_t seed_of(std::uint64_t index) const { return plan_.first_seed + index; }
  // A case of this generation.
  Case make(std::uint64_t index) const;
  // The result of next_case(), and the case itself. True when it showed something new.
  bool take(Case made, const CaseResult& result);

  const format::ScenarioFile& hunted() const { return hunted_; }
  const HuntTotals& totals() const { return totals_; }
  std::uint64_t cases() const { return totals_.cases; }
  // The number of the last case that showed something new.
  std::uint64_t last_new() const { return totals_.last_new(); }

 private:
  // A case to mutate, and the features that it was the first to show.
  struct CorpusEntry {
    Case made;
    std::vector<std::uint32_t> fresh;
    std::uint32_t rarest = 0;  // its rarest feature: how many cases of earlier generations have shown it
  };
  static const Case& choose(const std::vector<CorpusEntry>& parents, sim::KeyedRng rng);
  std::vector<CorpusEntry>& corpus(bool inside) { return corpora_[inside ? 1 : 0]; }

  static constexpr std::uint64_t kGeneration = 256;
  static constexpr std::size_t kCorpus = 512;  // the oldest goes first

  const format::ScenarioFile hunted_;
  const HuntPlan plan_;
  std::uint64_t generation_end_ = 0;
  // From earlier generations, beyond the claims and inside. They are separate, because cases beyond the claims show
  // more, and otherwise hardly any mutant would be inside.
  std::array<std::vector<CorpusEntry>, 2> corpora_;
  std::vector<CorpusEntry> arrived_;  // of this one
  Coverage coverage_;
  HuntTotals totals_;
};

}  // namespace tenure::lab
