// design-error: the program of a design that somebody brought does not fail: no error in it is left to itself.
//
// Reads: notes.
// Not applicable: a protocol and a scheduler of the registry, or of programs in C++, which have no such errors.
// One opportunity: a life.
#include <fmt/format.h>

#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"

namespace tenure::sim {
namespace {

class DesignErrors final : public Checker {
 public:
  explicit DesignErrors(const CheckerSetup& setup) : names_(setup.scenario, setup.nodes) {}

  void see(TrueTime now, const Record& record) override {
    if (std::holds_alternative<NodeStarted>(record)) examined();
    const auto* noted = std::get_if<Noted>(&record);
    const auto* error = noted != nullptr ? std::get_if<DesignError>(&noted->note) : nullptr;
    if (error == nullptr) return;
    violate([&] {
      return Violation{now,
                       fmt::format("the program of {} failed: {}", names_.who(noted->who), error->what),
                       {noted->who},
                       {}};
    });
  }

 private:
  Names names_;
};

}  // namespace

const char* design_error::not_applicable(const Scenario& scenario) {
  const bool brought = scenario.protocol->design != nullptr ||
                       (scenario.scheduler != nullptr && scenario.scheduler->design != nullptr);
  return brought ? nullptr : "neither protocol nor scheduler is a design in a file";
}

std::unique_ptr<Checker> design_error::make(const CheckerSetup& setup) {
  return std::make_unique<DesignErrors>(setup);
}

}  // namespace tenure::sim
