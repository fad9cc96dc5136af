// first-leads: nobody but the first instance believes that it leads. An example of an addition (docs/how-to-add.md).
//
// One opportunity: a belief that is noted.
#include "core/model/describe.h"
#include "sim/checkers/invariants/kinds.h"

namespace tenure::sim {
namespace {

class FirstLeads final : public Checker {
 public:
  void see(TrueTime now, const Record& record) override {
    const auto* noted = std::get_if<Noted>(&record);
    if (noted == nullptr || !std::holds_alternative<Believes>(noted->note)) return;
    examined();
    if (noted->who.node.value != 0) violate({now, "it is not the first", {noted->who}, {}});
  }
};

}  // namespace

const char* first_leads::not_applicable(const Scenario&) { return nullptr; }

std::unique_ptr<Checker> first_leads::make(const CheckerSetup&) { return std::make_unique<FirstLeads>(); }

}  // namespace tenure::sim
