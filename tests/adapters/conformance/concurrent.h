// Several clients on one database at the same time, each with a connection and a thread of its own. Afterwards the
// machine is asked the same in the order of the positions that the engine echoed, at the times that it echoed.
//
// Thread rule: one thread calls; the threads are gone when it returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/adapters/conformance/engines.h"

namespace tenure::conformance {

// nullopt: every reply is the machine's, and each resource's changes are numbered one by one. With a clock that goes
// up, their store times do, too, which shows that it is read behind the lock.
std::optional<std::string> difference_when_concurrent(const Engine& engine, std::uint32_t clients,
                                                      std::uint32_t operations, ClockGoes clock);

}  // namespace tenure::conformance
