// SQLite, measured beside the file and not in it.
//
// A database of its own is made in the same folder, so on the same disk, with the settings of the reference store,
// and is removed afterwards: the file itself is not opened, none of its locks are taken and its log does not grow.
// What is not in the numbers is the wait for the lock while others write.
//
// Thread rule: as StoreProbe.
#pragma once

#include <string>

#include "adapters/store/store_probe.h"

namespace tenure::sqlite {

// `path` is the database that is meant; it must be there.
ProbeOpened open_probe(const std::string& path, Duration timeout);

}  // namespace tenure::sqlite
