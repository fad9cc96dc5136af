// The election protocols and the schedulers by name: two explicit tables, one row each.
//
// To add one: a folder here with README.md (pseudo-code, weak points, claims), .h and .cc, and a row in registry.cc.
// docs/how-to-add.md walks through it.
//
// Thread rule: immutable after static initialisation.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "core/lease/elector_kind.h"
#include "core/scheduler/scheduler_kind.h"

namespace tenure {

std::span<const std::reference_wrapper<const ElectorKind>> elector_kinds();
const ElectorKind* find_elector_kind(std::string_view name);  // nullptr when there is none

std::span<const std::reference_wrapper<const SchedulerKind>> scheduler_kinds();
const SchedulerKind* find_scheduler_kind(std::string_view name);  // nullptr when there is none

}  // namespace tenure
