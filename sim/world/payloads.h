// How clients give schedules their payloads. A schedule gets its number by a put that has no payload, and then the
// payload by its name, which is that number.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <utility>

#include "core/store/store_machine.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// The first version of a schedule that has its payload.
inline constexpr std::uint32_t kVersionWithPayload = 2;

// JSON of that many bytes.
inline std::string data_of(std::int64_t bytes) {
  if (bytes < 2) return bytes == 1 ? "0" : "";
  return "\"" + std::string(static_cast<std::size_t>(bytes - 2), '.') + "\"";
}

// Puts it on version 1 of a schedule. Whether that is paused stays as it is.
inline Request put_payload(ResourceId resource, ScheduleId id, const Definition& definition,
                           const PayloadSetting& payload) {
  reference::PutNamed put;
  put.resource = resource;
  put.name = reference::name_of_number(id);
  put.expected = reference::Edition{id, kVersionWithPayload - 1};
  put.definition = definition;
  put.definition.paused = false;
  put.payload.topic = payload.topic;
  put.payload.type = payload.type;
  put.payload.data = data_of(payload.data_bytes);
  return reference::Request{std::move(put)};
}

}  // namespace tenure::sim
