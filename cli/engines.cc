#include "cli/engines.h"

#include <array>
#include <memory>

#include "adapters/sqlite/sqlite_machine.h"
#include "cli/load.h"

namespace tenure::cli {
namespace {

std::unique_ptr<StoreMachine> make_sqlite() { return std::make_unique<SqliteMachine>(system_zones()); }

constexpr std::array kEngines = {
    StoreKind{"sqlite", "the reference store on SQLite, in memory", make_sqlite, RowLock::update},
};

}  // namespace

std::span<const StoreKind> store_engines() { return kEngines; }

}  // namespace tenure::cli
