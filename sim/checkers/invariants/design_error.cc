// design-error: the program of a design that somebody brought does not fail: no error in it is left to itself.
//
// Reads: notes.
// Not applicable: a protocol and a scheduler of the registry, or of programs in C++, which have no such errors.
// One opportunity: a life.
#include <fmt/format.h>

#include "sim/checkers/invariants/checker_of.h"

namespace tenure::sim {
namespace {

class DesignErrors final : public CheckerOf<DesignErrors> {
 public:
  using CheckerOf::CheckerOf;

  void on(TrueTime, const NodeStarted&) { examined(); }
  void on(TrueTime now, const Noted& noted) {
    if (const auto* error = std::get_if<DesignError>(&noted.note))
      violate(now, {noted.who}, {},
              fmt::format("the program of {} failed: {}", names_.who(noted.who), error->what));
  }

 private:
};

}  // namespace

const char* design_error::not_applicable(const Scenario& scenario) {
  const bool brought = scenario.protocol->design != nullptr ||
                       (scenario.scheduler != nullptr && scenario.scheduler->design != nullptr);
  return brought ? nullptr : "neither protocol nor scheduler is a design in a file";
}

TENURE_MADE_AS(design_error, DesignErrors)

}  // namespace tenure::sim
