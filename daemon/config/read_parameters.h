// The parameters of the election or the scheduler, from their table.
//
// Thread rule: pure functions.
#pragma once

#include "core/model/parameters.h"
#include "daemon/config/table_reader.h"

namespace tenure::daemon {

// Those that are given and well-formed replace what `parameters` has.
void read_parameters(TableReader& table, Parameters& parameters);

}  // namespace tenure::daemon
