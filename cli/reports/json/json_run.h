// The result of one run, of a batch and of an audit, as JSON; docs/scenarios.md lists its keys.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "lab/audit/audit.h"
#include "lab/session/batch.h"
#include "lab/session/json_writer.h"
#include "sim/runner/result.h"

namespace tenure::cli {

inline constexpr int kJsonFormat = 1;

// Ended by a newline. The same bytes for the same run.
// `kind`: its first field, if it is to have one.
std::string json_of_run(const sim::RunResult& result, std::string_view kind = {});

// The beginning of every document, in an object that it opens: its kind, if any, and the versions of the format and of
// the program.
void begin_document(std::string_view kind, lab::JsonWriter& json);

// p50, p90 and p99, in an object that is open; null where there are too few samples for one.
void write_percentiles(const sim::Samples& samples, lab::JsonWriter& json);

// The fields of a check, in an object that is open.
void write_check(const sim::CheckResult& check, lab::JsonWriter& json);
std::string_view name_of(sim::CheckResult::Kind kind);

// The field `faults`, in an object that is open: those that struck, and those that were skipped.
void write_faults(const std::vector<sim::FaultRun>& faults, lab::JsonWriter& json);

// The fields of an audit, in an object that is open.
void write_audit(const lab::Audit& audit, lab::JsonWriter& json);

// `kind`: its first field, if it is to have one. `reproduce_prefix` and a seed are the command line that runs one of
// its runs alone.
std::string json_of_batch(const lab::Batch& batch, const std::string& reproduce_prefix,
                          std::string_view kind = {});

}  // namespace tenure::cli
