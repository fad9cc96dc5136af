// A design's process as an elector, so that any scheduler runs on it.
//
// Thread rule: as Node.
#pragma once

#include <memory>

#include "adapters/lua/design.h"
#include "core/model/instance.h"

namespace tenure::lua {

std::unique_ptr<Elector> make_elector(const Design& design, const ElectorSetup& setup);

}  // namespace tenure::lua
