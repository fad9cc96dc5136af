// Measures SQLite beside the file, and not in it.
//
// It makes its own database in the same folder, so on the same disk, with the settings of the reference store, and
// removes it afterwards. It does not open the file itself, takes none of its locks, and does not make its log grow. The
// numbers do not contain the wait for the lock while others write.
//
// Thread rule: as StoreProbe.
#pragma once

#include <string>

#include "adapters/store/store_probe.h"

namespace tenure::sqlite {

// `path` is the database in question; it must exist.
ProbeOpened open_probe(const std::string& path, Duration timeout);

}  // namespace tenure::sqlite
