// Of a request or reply of a store, its family: for tests that ask and answer one by one
// (tests/support/scripted_env.h).
#pragma once

#include <utility>

#include "sim/stores/lease_table/requests.h"
#include "sim/stores/placement/requests.h"
#include "sim/stores/record/requests.h"
#include "sim/stores/schedule_table/requests.h"

namespace tenure::lease_table {
inline Request family_of(Request family) { return family; }
inline Reply family_of(Reply family) { return family; }
}  // namespace tenure::lease_table
namespace tenure::placement {
inline Request family_of(Request family) { return family; }
inline Reply family_of(Reply family) { return family; }
}  // namespace tenure::placement
namespace tenure::record {
inline Request family_of(Request family) { return family; }
inline Reply family_of(Reply family) { return family; }
}  // namespace tenure::record
namespace tenure::schedule_table {
inline Request family_of(Request family) { return family; }
inline Reply family_of(Reply family) { return family; }
}  // namespace tenure::schedule_table
