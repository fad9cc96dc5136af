// Events as CloudEvents 1.0 in the structured JSON format (https://github.com/cloudevents/spec, json-format.md).
//
// Extension attributes:
//   sequence       orders the events of one schedule: twenty digits, so that text compares as numbers do
//   attempt        counts from 1
//   fencingtoken   who delivers it: "branch.epoch" with as many digits as these can have, so that text compares as
//                  tokens do. A receiver that remembers the greatest can refuse what an old leader sends late
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "adapters/webhook/delivery.h"

namespace tenure::webhook {

inline constexpr std::string_view kContentType = "application/cloudevents+json; charset=utf-8";

// REQUIRES: delivery.data is JSON or empty (is_json).
std::string cloud_event_of(const WebhookDelivery& delivery);

bool is_json(std::string_view text);

}  // namespace tenure::webhook
