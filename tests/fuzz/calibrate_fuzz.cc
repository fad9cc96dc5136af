// Any bytes as a file of measurements, in every format, and as a watch of leases: an answer, and a table that can be
// printed.
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "format/print/print.h"
#include "format/schema/keys.h"
#include "lab/calibrate/calibrate.h"
#include "lab/calibrate/leases.h"
#include "tests/fuzz/fuzz.h"

namespace {

using tenure::sim::DataProblem;
using tenure::sim::Measured;
using tenure::testing::demand;

void judge(const std::string& bytes, const tenure::sim::DataSource& source) {
  const auto result = tenure::lab::calibrate("f", bytes, source);
  if (const auto* problem = std::get_if<DataProblem>(&result))
    return demand(!problem->message.empty(), "what is wrong is said", bytes);
  const auto& measured = std::get<Measured>(result);
  demand(!measured.note.empty(), "what was read is said", bytes);
  demand(measured.quantiles.min().ns() >= 0, "no length is negative", bytes);
  demand(measured.quantiles.max().ns() <= tenure::format::kYearNs, "none is longer than a year", bytes);
  demand(!tenure::format::print_quantiles(measured.quantiles).empty(), "it can be printed", bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const char* format : {"", "numbers", "csv", "gc", "prometheus"}) {
    judge(bytes, {.file = "f", .format = format});
    judge(bytes, {.file = "f", .unit = "ms", .format = format});
  }
  judge(bytes, {.file = "f", .column = "latency_ms", .format = "csv"});
  judge(bytes, {.file = "f", .format = "gc", .take = "gaps"});
  const auto leases = tenure::lab::read_leases(bytes);
  if (const auto* read = std::get_if<std::vector<tenure::lab::ObservedLease>>(&leases))
    for (const tenure::lab::ObservedLease& lease : *read)
      if (lease.leaderless().low > lease.leaderless().high || lease.observed() < tenure::Duration{})
        std::abort();
  return 0;
}
