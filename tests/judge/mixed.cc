#include "tests/judge/mixed.h"

#include <fmt/format.h>

#include "adapters/tzdb/tzdb.h"
#include "core/base/check.h"
#include "core/lease/elector_kind.h"
#include "core/scheduler/scheduler_kind.h"
#include "format/build/parse.h"
#include "lab/hunt/swarm.h"
#include "sim/protocols/registry.h"

namespace tenure::judging {
namespace {

constexpr const char* kMixed = R"(
format = 1
name = "mixed"
[sim]
duration = "3m"
tail = "5m"
[cluster]
instances = 3
protocol = "{}"
scheduler = "{}"
clock = {{ offset = "-2s..2s", rate_ppm = "-200..200" }}
[work]
duration = {{ min = "0s", p50 = "1s", p99 = "8s" }}
idempotent = {}
[[schedule]]
name = "seconds"
every = "7s"
[[schedule]]
name = "calendar"
cron = "*/20 * * * * *"
[[schedule]]
name = "edited"
cron = "0,10,40 * * * * *"
timezone = "Europe/Berlin"
[[schedule]]
name = "gone"
every = "11s"
[[change]]
at = "61s"
action = "update"
schedule = "edited"
every = "9s"
[[change]]
at = "95s"
action = "pause"
schedule = "calendar"
[[change]]
at = "130s"
action = "resume"
schedule = "calendar"
[[change]]
at = "140s"
action = "delete"
schedule = "gone"
[hunt]
faults = "1..5"
)";

}  // namespace

std::vector<Pair> pairs() {
  std::vector<Pair> all;
  for (const ElectorKind& protocol : elector_kinds())
    for (const SchedulerKind& scheduler : scheduler_kinds())
      if (scheduler.fires() &&
          (!scheduler.needs_tokens || (protocol.has_tokens && protocol.store == scheduler.store)))
        all.emplace_back(protocol.name, scheduler.name);
  return all;
}

sim::ScenarioFile mixed(const Pair& pair, bool idempotent) {
  static const Tzdb zones;
  const sim::ParseResult parsed =
      sim::parse_scenario("mixed.toml", fmt::format(kMixed, pair.first, pair.second, idempotent), {}, zones);
  CHECK(parsed.scenario.has_value(), "the file has no mistakes");
  return sim::as_hunted(parsed.file());
}

}  // namespace tenure::judging
