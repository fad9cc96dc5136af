// first-leads: nobody but the first instance believes that it leads. An example of an addition (docs/how-to-add.md).
//
// One opportunity: a belief that is noted.
#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/invariants/kinds.h"

namespace tenure::sim {
namespace {

class FirstLeads final : public CheckerOf<FirstLeads> {
 public:
  using CheckerOf::CheckerOf;

  void on(TrueTime now, const Noted& noted) {
    if (!std::holds_alternative<Believes>(noted.note)) return;
    examined();
    if (noted.who.node.value != 0) violate(now, {noted.who}, {}, "it is not the first");
  }
};

}  // namespace

const char* first_leads::not_applicable(const Scenario&) { return nullptr; }

std::unique_ptr<Checker> first_leads::make(const CheckerSetup& setup) {
  return std::make_unique<FirstLeads>(setup);
}

}  // namespace tenure::sim
