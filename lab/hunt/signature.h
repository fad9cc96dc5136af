// A cheap signature of a run: which roles changed, under which faults, with which answers of the store.
//
// Each event gives features: the event with the number of believers; the same with each active family of faults; the
// event with the one before it; and its count, in powers of two. (Families are taken one by one: with all active
// families at once, nearly every case would show something new, and the corpus would mean nothing.) A hunt keeps the
// cases that show a feature for the first time. Features are hashed to numbers below kFeatures, so two may collide: a
// signature guides a search and proves nothing. Source: the edge coverage of AFL (M. Zalewski), with events of the
// journal in the place of branches.
//
// Thread rule: one collector belongs to one run; signatures are values.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/faults/registry.h"
#include "sim/runner/result.h"
#include "sim/world/record.h"

namespace tenure::lab {

inline constexpr std::uint32_t kFeatures = 1U << 16U;

// The features of a run, each once, in increasing order.
using Signature = std::vector<std::uint32_t>;

class SignatureCollector final : public sim::Observer {
 public:
  std::uint32_t wants() const override;
  void see(sim::TrueTime now, const sim::Record& record) override;
  // Adds the findings of checkers and metrics.
  Signature take(const sim::RunResult& result);

 private:
  void event(std::uint64_t what);
  void add(std::uint64_t feature);
  void see_applied(const sim::Applied& applied);
  void see_note(const sim::Noted& noted);

  std::vector<std::uint32_t> features_;
  std::vector<bool> seen_ = std::vector<bool>(kFeatures);
  std::array<std::uint32_t, 256> counts_{};  // of events, by hash
  std::array<std::uint32_t, sim::kFaultFamilies> active_{};
  std::uint64_t families_ = 0;  // active ones, as bits
  std::uint64_t before_ = 0;    // the event before
  std::vector<Incarnation> believers_;
};

// All features that a hunt has seen.
class Coverage {
 public:
  // Returns the new features.
  std::vector<std::uint32_t> add(const Signature& signature);
  std::size_t size() const { return size_; }
  // In how many cases a feature was seen.
  std::uint32_t seen(std::uint32_t feature) const { return seen_[feature]; }

 private:
  std::vector<std::uint32_t> seen_ = std::vector<std::uint32_t>(kFeatures);
  std::size_t size_ = 0;
};

}  // namespace tenure::lab
