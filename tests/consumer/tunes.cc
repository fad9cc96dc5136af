// Tunes a protocol of this project: how long its lease should be, when what may not be is two leaders.
//
//   tunes FILE, which keeps the runs
#include <iostream>
#include <string>

#include "lab/session/tune_session.h"
#include "majority_lease.h"

namespace {

using namespace tenure;

constexpr const char* kText = R"(
format = 1
name = "majority"
[sim]
duration = "5m"
tail = "1m"
[cluster]
instances = 3
protocol = "majority-lease"
[[fault]]
every = { min = "40s", p50 = "60s", max = "90s" }
action = "kill"
target = "leader"
duration = "10s"
[tune]
seeds = 20
objectives = ["failover_seconds.mean", "leaderless_share"]
constraints = ["one-believer"]
[tune.election]
lease_duration = ["3s", "5s", "10s"]
)";

}  // namespace

int main(int argc, char** argv) {
  lab::ScenarioReader reader;
  reader.own_protocol = &kMajorityLease;
  const format::ParseResult parsed =
      format::parse_scenario("majority.toml", kText, {}, *reader.zones, reader.own_protocol);
  for (const format::Diagnostic& error : parsed.diagnostics) std::cerr << render(error);
  if (!parsed.scenario) return 1;

  lab::RunsObserver nobody;
  lab::TuneSession session(tune_task(parsed.file(), kText, reader), {.threads = 2}, nobody);
  const auto problems = session.make_settings();
  for (const format::Diagnostic& problem : diagnostics_of(session.task(), problems))
    std::cerr << render(problem);
  if (!problems.empty()) return 1;
  lab::TuneSave save;
  if (save.open(argc > 1 ? argv[1] : "majority.tune", fingerprint_of(session.task()), true)) return 1;
  const lab::TuneFindings& findings = session.run(save);

  const format::TuneMeasure& failover = session.task().tune.objectives.front().measure;
  for (const std::size_t best : findings.judgement.best) {
    for (const format::Override& set : findings.tuning->setting(best).overrides)
      std::cout << set.key << " = " << set.value << ": ";
    std::cout << static_cast<double>(findings.tuning->outcome(best).estimate(failover).value) / 1e9
              << " s without a leader after a crash\n";
  }
  return findings.internal_error.empty() && !findings.judgement.best.empty() ? 0 : 1;
}
