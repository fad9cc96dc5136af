#include "lab/hunt/hunt.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/check.h"
#include "lab/hunt/mutation.h"

namespace tenure::lab {

Hunt::Hunt(const format::ScenarioFile& file, HuntPlan plan) : hunted_(as_hunted(file)), plan_(plan) {
  for (const std::string& name : hunted_.scenario.expect.sometimes) totals_.sometimes[name] = 0;
  for (const sim::FaultKind* kind : drawable(hunted_)) totals_.faults[std::string(kind->name)] = 0;
  for (const sim::FaultSetting& fault : hunted_.scenario.faults) totals_.faults[fault.action] = 0;
}

std::uint64_t Hunt::begin_generation() {
  CHECK(totals_.cases == generation_end_, "a generation begins when all of the one before is taken");
  for (CorpusEntry& entry : arrived_) corpus(entry.made.inside).push_back(std::move(entry));
  arrived_.clear();
  for (std::vector<CorpusEntry>& corpus : corpora_) {
    if (corpus.size() > kCorpus)
      corpus.erase(corpus.begin(), corpus.end() - static_cast<std::ptrdiff_t>(kCorpus));
    // Counted here and not when a parent is looked for: by then results of this generation have come in.
    for (CorpusEntry& entry : corpus) {
      entry.rarest = UINT32_MAX;
      for (const std::uint32_t feature : entry.fresh)
        entry.rarest = std::min(entry.rarest, coverage_.seen(feature));
    }
  }
  generation_end_ = std::min(totals_.cases + kGeneration, plan_.cases);
  return generation_end_ - totals_.cases;
}

Case Hunt::make(std::uint64_t index) const {
  const std::uint64_t seed = seed_of(index);
  const sim::KeyedRng rng = sim::KeyedRng(seed).of("corpus");
  const std::vector<CorpusEntry>& parents = corpora_[rng.of("inside").below(2)];
  if (!plan_.guided || parents.empty() || rng.of("anew").below(2) == 0) return draw_case(hunted_, seed);
  return mutate(choose(parents, rng.of("parent")), choose(parents, rng.of("other")), hunted_, seed);
}

// Of four, the one that showed what the fewest cases have shown: after Boehme, Pham and Roychoudhury,
// "Coverage-based greybox fuzzing as Markov chain" (CCS 2016): time goes to what is seldom reached.
const Case& Hunt::choose(const std::vector<CorpusEntry>& parents, sim::KeyedRng rng) {
  const CorpusEntry* best = nullptr;
  for (std::uint64_t draw = 0; draw < 4; ++draw) {
    const CorpusEntry& other = parents[rng.of(draw).below(parents.size())];
    if (best == nullptr || other.rarest < best->rarest) best = &other;
  }
  return best->made;
}

bool Hunt::take(Case made, const CaseResult& result) {
  CHECK(totals_.cases < generation_end_, "results are taken within their generation");
  std::vector<std::uint32_t> fresh = coverage_.add(result.signature);
  const bool shows_something = !fresh.empty();
  for (const std::uint32_t feature : fresh) totals_.first_seen.push_back({feature, totals_.cases});
  totals_.differ =
      totals_.differ || (totals_.cases > 0 && totals_.events != totals_.cases * result.run.events);
  ++totals_.cases;
  totals_.events += result.run.events;
  if (made.inside) ++totals_.inside;
  if (made.mutated) ++totals_.mutated;
  for (const sim::CheckResult& check : result.run.checks) {
    if (check.kind == sim::CheckResult::Kind::fault)
      continue;  // cases are drawn: a fault that strikes in none is said
    (check.kind == sim::CheckResult::Kind::sometimes ? totals_.sometimes : totals_.examined)[check.name] +=
        check.opportunities;
    if (check.verdict == sim::Verdict::fail && !check.demanded) ++totals_.reported[check.name];
  }
  totals_.struck.add(result.run.faults);
  for (const sim::FaultRun& fault : result.run.faults)
    if (fault.skipped.empty()) ++totals_.faults[fault.action];
  if (shows_something && result.failures.empty())
    arrived_.push_back({.made = std::move(made), .fresh = std::move(fresh)});
  return shows_something;
}

}  // namespace tenure::lab
