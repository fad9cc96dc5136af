// Libraries that are preloaded into programs: where they are.
//
// Thread rule: pure but for the file system.
#pragma once

#include <string>
#include <string_view>

namespace tenure::local_postgres {

// The path of "libtenure_….so": beside this program, or in ../lib/tenure from there, as it is installed. `asker`: who
// needs it, for the HostFailure if it is in neither.
std::string library_of_ours(std::string_view name, std::string_view asker);

}  // namespace tenure::local_postgres
