#include "core/store/reference/problems.h"

#include <algorithm>

#include "core/base/readable_text.h"

namespace tenure::reference {

void Problems::check_text(const std::string& what, std::string_view text, std::size_t bytes) {
  if (text.size() > bytes)
    add(what + " has " + std::to_string(text.size()) + " bytes, and may have " + std::to_string(bytes));
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r';
  };
  if (std::any_of(text.begin(), text.end(), is_control)) add(what + " has a control character");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return add(what + " is no UTF-8 from byte " + std::to_string(at) + " on");
    at += length;
  }
}

void Problems::check(const Payload& payload) {
  const auto& [topic, type, data, labels, description] = payload;
  check_text("payload.topic", topic, kNameBytes);
  check_text("payload.type", type, kNameBytes);
  check_text("payload.data", data, kDataBytes);
  check_text("payload.description", description, kTextBytes);
  if (labels.size() > kLabels)
    add("payload.labels: there are " + std::to_string(labels.size()) + ", and may be " +
        std::to_string(kLabels));
  for (const Label& label : labels) {
    if (label.name.empty()) add("payload.labels: a label has no name");
    check_text("payload.labels: the name `" + readable_text(label.name) + "`", label.name, kNameBytes);
    check_text("payload.labels: the value of `" + readable_text(label.name) + "`", label.value, kTextBytes);
  }
  const auto not_before = [](const Label& one, const Label& next) { return one.name >= next.name; };
  if (std::adjacent_find(labels.begin(), labels.end(), not_before) != labels.end())
    add("payload.labels are not ordered by name, or have one name twice");
}

void Problems::check_duration(Duration duration) {
  if (duration < Duration::micros(1) || duration > kLongestClaim ||
      duration.ns() % Duration::micros(1).ns() != 0)
    add("a claim stands for a time from 1 us to 30 days, in whole microseconds");
}

}  // namespace tenure::reference
