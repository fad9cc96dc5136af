// A run's history as JSON lines, format 2 (document_spec.h, docs/reference/trace.md).
//
// Beliefs, leases, clocks and the ways of requests are those that the run's recording has (sim/runner/recording.h), so
// that a trace and a page say the same. All else are the records, as they happen.
//
// Thread rule: one writer belongs to one run.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "lab/session/json_writer.h"
#include "sim/checkers/names.h"
#include "sim/runner/recording.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::lab {

inline constexpr int kTraceFormat = 2;

enum class TraceLevel : std::uint8_t {
  story,  // what a reader needs to draw the run: small
  full,   // every record
};
std::string_view name_of(TraceLevel level);

class TraceWriter final : public sim::Observer, public sim::RecordingListener {
 public:
  // Writes the head at once. `out` must outlive the writer; check its state for errors when the run is over.
  TraceWriter(const sim::Scenario& scenario, std::uint64_t seed, TraceLevel level, std::ostream& out);
  std::uint32_t wants() const override { return ~std::uint32_t{0}; }
  void see(sim::TrueTime now, const sim::Record& record) override;

  void belief_changed(const sim::BeliefChange& change) override;
  void lease_changed(sim::TrueTime at, StoreId store, const sim::HoldSpan* hold) override;
  void clock_read(const sim::ClockState& clock) override;
  void slots_skipped(const sim::SkippedSlots& skipped) override;
  void slot_late(const sim::LateSlot& late) override;
  void request_ended(sim::TrueTime at, const sim::RequestTrip& trip) override;
  void violated(const sim::ViolationSpan& violation) override;
  // The last line. Call once, when the run is over.
  void finish(const sim::RunResult& result);

 private:
  void write(std::string line) { out_ << line << '\n'; }

  const TraceLevel level_;
  sim::Names names_;
  std::ostream& out_;
};

// One record as a line, without its end. `names`: the names of the scenario's
// schedules.
std::string trace_line(sim::TrueTime now, const sim::Record& record, const sim::Names& names);

}  // namespace tenure::lab
