// rights-lost: the store's account of one instance may not do some things any more, as after a REVOKE: they are refused
// at once, and all else goes on. A leader that may renew and may not commit is the worst of them: nobody takes over.
#include <array>

#include "sim/faults/faults.h"
#include "sim/faults/outage_words.h"
#include "sim/faults/stores.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

constexpr FaultParameterSpec kRightsLostParameters[] = {{.name = "of",
                                                         .type = FaultParameterSpec::Type::choice,
                                                         .default_text = "commits",
                                                         .choices = kOutageWords,
                                                         .doc = "what is refused"}};

void take_rights(World& world, const FaultInjection& strike) {
  break_stores(
      world, strike,
      {.of = outage_named(strike.choice("of")), .nodes = strike.nodes, .why = Rejection::not_permitted});
}

}  // namespace

const FaultKind kRightsLost = {
    .name = "rights-lost",
    .summary = "the target's account may not do `of` any more: the store refuses that, and answers all else",
    .acts = FaultKind::Acts::on_nodes,
    .family = FaultFamily::store,
    .harm = {FaultCause::store, Manner::cuts},
    .lasts = true,
    .needs_store = true,
    .needs_traffic = true,
    .parameters = kRightsLostParameters,
    .breaks = break_prompt_store,
    .begin = take_rights,
    .end = turn_stores_back};

}  // namespace tenure::sim
