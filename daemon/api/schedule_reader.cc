// What a client says of a schedule, as a definition and a payload.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/api/body_reader.h"
#include "daemon/api/schedule_json.h"
#include "format/syntax/read_definition.h"

namespace tenure::daemon {
namespace {

using Field = ScheduleField;

// A schedule that fires more often keeps all others waiting.
constexpr Duration kShortestPeriod = Duration::millis(1);

template <class T>
Field::Value value_or_nothing(std::optional<T> read) {
  return read ? Field::Value{*std::move(read)} : Field::Value{};
}

// The fields in a body.
class BodyFields final : public format::FieldSource {
 public:
  explicit BodyFields(BodyReader& reader) : reader_(reader) {
    for (const Field& field : schedule_fields())
      if (field.in_api) reader_.find(field.name);
  }

  bool given(const Field& field) const override { return field.in_api && reader_.has(field.name); }
  Field::Value read(const Field& field) override {
    const std::string_view name = field.name;
    switch (field.type) {
      case Field::Type::flag: return value_or_nothing(reader_.flag(name));
      case Field::Type::count: return value_or_nothing(reader_.whole_number(name, field.min, field.max));
      case Field::Type::seed: {
        const auto seed = reader_.whole_number(name, field.min, field.max);
        return seed ? Field::Value{static_cast<std::uint64_t>(*seed)} : Field::Value{};
      }
      case Field::Type::duration: {
        const Duration min = name == "every" ? kShortestPeriod : Duration::nanos(field.min);
        return value_or_nothing(reader_.duration(name, min, Duration::nanos(field.max)));
      }
      case Field::Type::instant: return value_or_nothing(reader_.instant(name));
      case Field::Type::instants: return value_or_nothing(reader_.instants(name, kMostTimes));
      case Field::Type::choice: {
        const auto place = reader_.choice(name, field.words);
        return place ? Field::Value{std::string(field.words[*place])} : Field::Value{};
      }
      case Field::Type::name:
      case Field::Type::cron:
      case Field::Type::zone: return value_or_nothing(reader_.text(name));
    }
    return {};
  }
  void complain(const Field& field, std::string message, std::string hint) override {
    reader_.complain(field.name, std::move(message), std::move(hint));
  }
  void complain_of_key(const Field& field, std::string message, std::string hint) override {
    complain(field, std::move(message), std::move(hint));
  }
  void complain_within(const Field& field, const std::string& text, const CronError& error) override {
    reader_.complain_within(field.name, text, error.at, error.length, error.message, error.hint);
  }

 private:
  BodyReader& reader_;
};

std::vector<reference::Label> read_labels(BodyReader& reader, std::vector<FieldError>& errors) {
  std::vector<reference::Label> labels;
  const Json* given = reader.find("labels");
  if (given == nullptr) return labels;
  if (!given->is_object()) {
    reader.complain("labels", "must be an object of texts");
    return labels;
  }
  if (given->size() > reference::kLabels)
    reader.complain("labels", fmt::format("there are {}, and may be {}", given->size(), reference::kLabels));
  BodyReader each(*given, reader.pointer_to("labels"), errors);
  for (const auto& [name, value] : given->items())
    if (auto text = each.kept_text(name, reference::kTextBytes)) labels.push_back({name, *std::move(text)});
  std::ranges::sort(labels, {}, &reference::Label::name);
  return labels;
}

reference::Payload read_payload(BodyReader& reader, std::vector<FieldError>& errors) {
  reference::Payload payload;
  payload.topic = reader.kept_text("topic", reference::kNameBytes).value_or("");
  payload.type = reader.kept_text("type", reference::kNameBytes).value_or("");
  payload.description = reader.kept_text("description", reference::kTextBytes).value_or("");
  if (const Json* data = reader.find("data")) payload.data = dump(*data);
  if (payload.data.size() > reference::kDataBytes)
    reader.complain(
        "data", fmt::format("it has {} bytes, and may have {}", payload.data.size(), reference::kDataBytes));
  payload.labels = read_labels(reader, errors);
  return payload;
}

}  // namespace

std::optional<ScheduleBody> read_schedule(const Json& object, const std::string& pointer,
                                          const std::string& name, const TimeZones& zones,
                                          const std::vector<std::string>& destinations,
                                          std::span<const std::string_view> more_keys,
                                          std::vector<FieldError>& errors) {
  const std::size_t before = errors.size();
  BodyReader reader(object, pointer, errors);
  if (const auto given = reader.text("name"); given && *given != name)
    reader.complain("name", fmt::format("is `{}`, and the path says `{}`", *given, name));
  reader.find("status");
  for (const std::string_view key : more_keys) reader.find(key);
  BodyFields fields(reader);
  format::LaidOver read = read_definition(fields,
                                          {.title = "the schedule",
                                           .zones = zones,
                                           .destinations = {destinations.begin(), destinations.end()},
                                           .shortest_period = kShortestPeriod,
                                           .delivery = Delivery::Kind::pull},
                                          nullptr);
  ScheduleBody body{std::move(read.definition), read_payload(reader, errors)};
  reader.finish();
  if (errors.size() > before) return std::nullopt;
  return body;
}

}  // namespace tenure::daemon
