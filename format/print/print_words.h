// Parts of what is printed; internal to this room.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "format/plans/plans.h"
#include "format/print/print.h"
#include "sim/scenario/scenario.h"

namespace tenure::format {

std::string_view value_of(sim::ChangeAction action);

// The keys of [work] that say more than their defaults do.
std::string lines_of(const sim::ProgramSetting& program);
// Whether a file says the same of both.
bool same(const Parameters& a, const Parameters& b);
bool same(const sim::InstanceSetting& a, const sim::InstanceSetting& b);

// Of a schedule whose events carry something, and of a [[destination]]; `latency` as it is written.
std::string lines_of(const sim::PayloadSetting& payload);
std::string lines_of(const sim::DestinationSetting& destination, std::string_view latency);
// Of a [[worker]]; `duration` as it is written.
std::string lines_of(const sim::WorkerSetting& worker, std::string_view duration);

// The sections [tune], [profile] and [compare]; empty when there is none.
std::string print_tune(const Plans& plans);

}  // namespace tenure::format
