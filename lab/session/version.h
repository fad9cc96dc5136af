// The version of Tenure, and what tells two programs of one version apart.
//
// Thread rule: program() reads a file when it is first called; all else is pure.
#pragma once

#include <string_view>

namespace tenure::lab {

std::string_view version();  // "0.1.0"

// The running program: "0.1.0 0123456789abcdef", with a digest of its executable. The same program, scenario and seed
// give the same run; another program of this version need not. Where the system does not show the file there is no
// digest.
std::string_view program();

}  // namespace tenure::lab
