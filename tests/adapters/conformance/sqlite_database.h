// A fresh SQLite file.
//
// Thread rule: as Database.
#pragma once

#include <memory>

#include "tests/adapters/conformance/engines.h"

namespace tenure::conformance {

std::unique_ptr<Database> make_sqlite();

}  // namespace tenure::conformance
