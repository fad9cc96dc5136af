#include "adapters/webhook/cloud_event.h"

#include <date/date.h>
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

namespace tenure::webhook {
namespace {

// RFC 3339, with a fraction only if there is one.
std::string rfc3339(StoreTime time) {
  using std::chrono::microseconds;
  const std::chrono::time_point<std::chrono::system_clock, microseconds> at{microseconds(time.ns() / 1'000)};
  const auto whole = date::floor<std::chrono::seconds>(at);
  return whole == at ? date::format("%FT%TZ", whole) : date::format("%FT%TZ", at);
}

}  // namespace

std::string cloud_event_of(const WebhookDelivery& delivery) {
  nlohmann::ordered_json event;
  event["specversion"] = "1.0";
  event["id"] = delivery.event_id;
  event["source"] = delivery.source;
  event["type"] = delivery.type.empty() ? "tenure.fire" : delivery.type;
  event["subject"] = delivery.schedule;
  event["time"] = rfc3339(delivery.slot);
  event["sequence"] = fmt::format("{:020}", delivery.sequence);
  event["attempt"] = delivery.attempt;
  if (delivery.token)
    event["fencingtoken"] = fmt::format("{:010}.{:020}", delivery.token->branch, delivery.token->epoch);
  if (!delivery.data.empty()) event["datacontenttype"] = "application/json";
  std::string text = event.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  if (delivery.data.empty()) return text;
  // The data as it was put: numbers that no double can hold stay what they are.
  text.pop_back();
  return text + ",\"data\":" + delivery.data + "}";
}

bool is_json(std::string_view text) { return nlohmann::json::accept(text); }

}  // namespace tenure::webhook
