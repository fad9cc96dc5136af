// What a store's events and editions are called outside of Tenure.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/ids.h"
#include "core/store/reference/named.h"

namespace tenure {

// The event's UUID, version 5: of the name `resource/schedule/slot/run` in the space of the store's identity, with the
// slot in microseconds since 1970 and all four as decimal numbers. It is the same for each delivery, from any process,
// and after a failover that lost the fire. nullopt: the identity (StoreBackend::identity) is none.
std::optional<std::string> event_uuid(std::string_view identity, ResourceId resource,
                                      const reference::EventId& event);

// "7.3" for version 3 of schedule 7, without the quotes of an ETag.
std::string text_of(const reference::Edition& edition);
// nullopt: it is no edition.
std::optional<reference::Edition> read_edition(std::string_view text);

}  // namespace tenure
