// Hunts a protocol of this project, keeps what fails as a file, and replays it: what `tenure hunt` and `tenure replay`
// do for the protocols that Tenure knows.
//
//   hunts FOLDER
#include <iostream>
#include <string>

#include "lab/session/hunt_session.h"
#include "lab/session/replays.h"
#include "majority_lease.h"

namespace {

using namespace tenure;

constexpr const char* kText = R"(
format = 1
name = "trusting"
[sim]
duration = "1m"
tail = "1m"
[cluster]
instances = 3
protocol = "trusting-lease"
[hunt]
families = ["process", "pause", "network"]
faults = "1..8"
)";

class Printer final : public lab::HuntObserver {
 public:
  void found(const lab::HuntFindings&, const lab::Finding& finding) override {
    std::cout << finding.saved.failure.checker << " fails with seed " << finding.seed << ", kept as "
              << finding.saved.path << " with " << finding.saved.file.scenario.faults.size() << " fault(s)\n";
  }
};

lab::HuntSetup setup_for(const std::string& folder) {
  lab::HuntSetup setup;
  setup.cases = 2'000;
  setup.threads = 2;
  setup.folder = folder;
  setup.reader.own_protocol = &kTrustingLease;
  return setup;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "regressions";
  const format::ParseResult parsed =
      format::parse_scenario("trusting.toml", kText, {}, only_utc(), &kTrustingLease);
  for (const format::Diagnostic& error : parsed.diagnostics) std::cerr << render(error);
  if (!parsed.scenario) return 1;
  const format::ScenarioFile file = parsed.file();
  const lab::HuntSetup setup = setup_for(folder);

  Printer printer;
  lab::HuntSession hunt(setup, file, printer);
  const lab::HuntFindings& findings = hunt.run();
  if (verdict_of(findings) != sim::Verdict::fail || findings.findings.empty()) {
    std::cerr << "the hunt found nothing in " << findings.cases << " cases\n";
    return 1;
  }

  std::size_t failing = 0;
  const lab::KeptBefore kept = lab::regressions_of(file.scenario, lab::read_folder(folder, setup.reader));
  lab::replay_all(kept.files, setup.threads, [&](std::size_t, const lab::ReplayedFile& replayed) {
    const bool same = replayed.replayed.same_failure;
    failing += same ? 1U : 0U;
    std::cout << replayed.scenario.path << (same ? " fails as it did\n" : " does not fail as it did\n");
  });
  return failing == findings.findings.size() ? 0 : 1;
}
