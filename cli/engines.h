// The engines that a scenario's reference store can run on, besides the machine.
//
// Thread rule: immutable.
#pragma once

#include <span>

#include "core/store/store_kind.h"

namespace tenure::cli {

std::span<const StoreKind> store_engines();

}  // namespace tenure::cli
