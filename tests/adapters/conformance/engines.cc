#include "tests/adapters/conformance/engines.h"

#include <array>

#include "tests/adapters/conformance/sqlite_database.h"

namespace tenure::conformance {
namespace {

constexpr std::array kEngines = {
    Engine{"sqlite", make_sqlite},
};

}  // namespace

std::span<const Engine> engines() { return kEngines; }

}  // namespace tenure::conformance
