// store-partial: one connection, or one kind of request, does not work, and the rest does: a pool that is exhausted, a
// statement that always meets its timeout, a table that is locked or damaged.
#include <array>

#include "sim/faults/faults.h"
#include "sim/faults/outage_words.h"
#include "sim/faults/stores.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

constexpr std::array<std::string_view, 2> kAnswers = {"rejected", "none"};
constexpr FaultParameterSpec kStorePartialParameters[] = {
    {.name = "of",
     .type = FaultParameterSpec::Type::choice,
     .default_text = "scheduler",
     .choices = kOutageWords,
     .doc = "what fails: a connection (elector, scheduler), or a kind of request"},
    {.name = "answer",
     .type = FaultParameterSpec::Type::choice,
     .default_text = "rejected",
     .choices = kAnswers,
     .doc = "what is answered; either way it is not executed"},
    {.name = "rate",
     .type = FaultParameterSpec::Type::fraction,
     .default_text = "1",
     .choices = {},
     .doc = "the share that fails, 0 to 1"}};

void fail_in_part(World& world, const FaultInjection& strike) {
  break_stores(world, strike,
               {.of = outage_named(strike.choice("of")),
                .nodes = strike.nodes,
                .ppm = strike.number("rate"),
                .silent = strike.choice("answer") == "none"});
}

}  // namespace

const FaultKind kStorePartial = {
    .name = "store-partial",
    .summary = "`of` fails with probability `rate`, for the target or for all, and all else works",
    .acts = FaultKind::Acts::on_nodes,
    .family = FaultFamily::store,
    .harm = {FaultCause::store, Manner::cuts},
    .lasts = true,
    .needs_target = false,
    .needs_store = true,
    .needs_traffic = true,
    .parameters = kStorePartialParameters,
    .breaks = break_prompt_store,
    .begin = fail_in_part,
    .end = turn_stores_back};

}  // namespace tenure::sim
