#include "lab/hunt/hunt.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/check.h"
#include "lab/hunt/mutation.h"

namespace tenure::lab {

Hunt::Hunt(const format::ScenarioFile& file, HuntPlan plan) : hunted_(as_hunted(file)), plan_(plan) {
  for (const std::string& name : hunted_.scenario.expect.sometimes) sometimes_[name] = 0;
  for (const sim::FaultKind* kind : drawable(hunted_)) faults_[std::string(kind->name)] = 0;
  for (const sim::FaultSetting& fault : hunted_.scenario.faults) faults_[fault.action] = 0;
}

std::uint64_t Hunt::begin_generation() {
  CHECK(taken_ == generation_end_, "a generation begins when all of the one before is taken");
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
  generation_end_ = std::min(taken_ + kGeneration, plan_.cases);
  return generation_end_ - taken_;
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
  CHECK(taken_ < generation_end_, "results are taken within their generation");
  std::vector<std::uint32_t> fresh = coverage_.add(result.signature);
  const bool shows_something = !fresh.empty();
  if (shows_something) last_new_ = taken_;
  differ_ = differ_ || (taken_ > 0 && events_ != taken_ * result.run.events);
  ++taken_;
  events_ += result.run.events;
  if (made.inside) ++inside_;
  if (made.mutated) ++mutated_;
  for (const sim::CheckResult& check : result.run.checks) {
    if (check.kind == sim::CheckResult::Kind::fault)
      continue;  // cases are drawn: a fault that strikes in none is said
    (check.kind == sim::CheckResult::Kind::sometimes ? sometimes_ : examined_)[check.name] +=
        check.opportunities;
    if (check.verdict == sim::Verdict::fail && !check.demanded) ++reported_[check.name];
  }
  struck_.add(result.run.faults);
  for (const sim::FaultRun& fault : result.run.faults)
    if (fault.skipped.empty()) ++faults_[fault.action];
  if (shows_something && result.failures.empty())
    arrived_.push_back({.made = std::move(made), .fresh = std::move(fresh)});
  return shows_something;
}

}  // namespace tenure::lab
