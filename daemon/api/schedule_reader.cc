// What a client says of a schedule, as a definition and a payload.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "daemon/api/body_reader.h"
#include "daemon/api/schedule_json.h"
#include "daemon/api/schedule_words.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/suggest.h"
#include "format/syntax/units.h"

namespace tenure::daemon {
namespace {

constexpr std::size_t kTimes = 10'000;
// A schedule that fires more often keeps all others waiting.
constexpr Duration kShortestPeriod = Duration::millis(1);
constexpr std::array<std::string_view, 4> kWhen = {"every", "cron", "once", "at"};
constexpr std::array<std::string_view, 3> kZoneKeys = {"timezone", "dst_gap", "dst_overlap"};

class ScheduleReader {
 public:
  ScheduleReader(const Json& object, const std::string& pointer, const TimeZones& zones,
                 const std::vector<std::string>& destinations, std::vector<FieldError>& errors)
      : errors_(errors), reader_(object, pointer, errors), zones_(zones), destinations_(destinations) {}

  ScheduleBody read(const std::string& name, std::span<const std::string_view> more_keys) {
    if (const auto given = reader_.text("name"); given && *given != name)
      reader_.complain("name", fmt::format("is `{}`, and the path says `{}`", *given, name));
    reader_.find("status");
    for (const std::string_view key : more_keys) reader_.find(key);
    recurrence();
    zone();
    bounds();
    jitter();
    misfire();
    if (const auto overlap = reader_.choice("overlap", words::kOverlaps))
      body_.definition.overlap = static_cast<Overlap>(*overlap);
    const std::size_t before = errors_.size();
    delivery();
    // Of what is right by itself, only the overlap can be wrong beside it.
    if (const std::string why = problem_of_delivery(body_.definition);
        !why.empty() && errors_.size() == before)
      reader_.complain("overlap", why);
    payload();
    reader_.finish();
    return std::move(body_);
  }
  // That some slot ever comes.
  void check_slots(const Definition& definition) {
    if (!slot_at_or_after(definition, StoreTime::min()))
      reader_.complain(reader_.has("end") ? "end" : when_, "no slot ever comes",
                       "there must be one at `start` or after, and before `end`");
  }

 private:
  void recurrence() {
    body_.definition.recurrence = Interval{{}, Duration::seconds(1)};
    std::vector<std::string_view> given;
    for (const std::string_view key : kWhen) {
      if (reader_.has(key)) given.push_back(key);
      reader_.find(key);
    }
    const std::string one_of = fmt::format("one of `{}`", fmt::join(kWhen, "`, `"));
    if (given.empty())
      return reader_.complain("every", "the schedule does not say when", "it needs " + one_of);
    when_ = given.front();
    if (given.size() > 1)
      return reader_.complain(given[1], fmt::format("`{}` and `{}` in one schedule", given[0], given[1]),
                              one_of);
    if (when_ == "every") return every();
    if (when_ == "cron") return cron();
    if (when_ == "at") {
      if (auto times = reader_.instants("at", kTimes)) set_times(*std::move(times));
    } else if (const auto once = reader_.instant("once")) {
      set_times({*once});
    }
  }
  void set_times(std::vector<StoreTime> times) {
    body_.definition.recurrence = Times{std::make_shared<const std::vector<StoreTime>>(std::move(times))};
  }
  void every() {
    if (const auto period = reader_.duration("every", kShortestPeriod)) set_period("every", *period);
  }
  void set_period(std::string_view key, Duration period) {
    if (period.ns() % 1'000 != 0)
      return reader_.complain(key, "must be in whole microseconds", "a store keeps no more");
    body_.definition.recurrence = Interval{{}, period};
  }
  void cron() {
    const auto text = reader_.text("cron");
    if (!text) return;
    const auto refuse = [&](const CronError& error) {
      reader_.complain_within("cron", *text, error.at, error.length, error.message, error.hint);
    };
    if (const auto period = parse_every(*text)) {
      if (const auto* error = std::get_if<CronError>(&*period)) return refuse(*error);
      if (const auto fits = reader_.bounded("cron", std::get<Duration>(*period), *text, kShortestPeriod))
        set_period("cron", *fits);
      return;
    }
    is_calendar_ = true;
    auto parsed = Cron::parse(*text);
    if (const auto* error = std::get_if<CronError>(&parsed)) return refuse(*error);
    body_.definition.recurrence =
        CronRule{.cron = std::make_shared<const Cron>(std::get<Cron>(std::move(parsed)))};
  }

  void zone() {
    CronRule none;
    auto* rule = std::get_if<CronRule>(&body_.definition.recurrence);
    if (rule == nullptr) rule = &none;  // the expression may be wrong; the zone is looked at all the same
    if (const auto name = reader_.text("timezone")) {
      if (auto zone = zones_.find(*name))
        rule->zone = std::move(zone);
      else
        reader_.complain("timezone", fmt::format("unknown time zone `{}`", sim::printable(*name, 60)),
                         sim::zone_suggestion(*name, zones_.names()));
    }
    if (const auto gap = reader_.choice("dst_gap", words::kGaps)) rule->gap = static_cast<DstGap>(*gap);
    if (const auto overlap = reader_.choice("dst_overlap", words::kDstOverlaps))
      rule->overlap = static_cast<DstOverlap>(*overlap);
    for (const std::string_view key : kZoneKeys)
      if (reader_.has(key) && !is_calendar_ && !when_.empty() && when_ != "cron")
        reader_.complain(key, fmt::format("`{}` means nothing to `{}`", key, when_),
                         "it is for calendar fields");
  }

  void bounds() {
    const auto start = reader_.instant("start");
    if (auto* interval = std::get_if<Interval>(&body_.definition.recurrence)) {
      interval->start = start.value_or(StoreTime{});
    } else if (start) {
      body_.definition.not_before = *start;
    }
    if (const auto end = reader_.instant("end")) body_.definition.until = *end;
  }

  void needs(std::string_view key, bool there, std::string_view other) {
    if (reader_.has(key) && !there)
      reader_.complain(key, fmt::format("`{}` means nothing without `{}`", key, other));
  }
  void jitter() {
    Jitter& jitter = body_.definition.jitter;
    if (const auto max = reader_.duration("jitter", Duration::micros(1))) jitter.max = *max;
    if (const auto per = reader_.choice("jitter_per", words::kPer))
      jitter.per = static_cast<Jitter::Per>(*per);
    if (const auto seed = reader_.whole_number("jitter_seed", 0, INT64_MAX))
      jitter.seed = static_cast<std::uint64_t>(*seed);
    needs("jitter_per", reader_.has("jitter"), "jitter");
    needs("jitter_seed", reader_.has("jitter"), "jitter");
  }
  void misfire() {
    Misfire& misfire = body_.definition.misfire;
    if (const auto policy = reader_.choice("misfire", words::kPolicies))
      misfire.policy = static_cast<Misfire::Policy>(*policy);
    if (const auto once = reader_.choice("fire_once", words::kOnce))
      misfire.once = static_cast<Misfire::Which>(*once);
    if (const auto grace = reader_.duration("grace", Duration{})) misfire.grace = *grace;
    if (const auto window = reader_.duration("catchup_window", Duration{})) misfire.catchup_window = *window;
    if (const auto most = reader_.whole_number("max_catchup", 1, 1'000'000'000)) misfire.max_catchup = *most;
    needs("fire_once", misfire.policy == Misfire::Policy::fire_once, "misfire = \"fire_once\"");
    needs("max_catchup", misfire.policy == Misfire::Policy::fire_all, "misfire = \"fire_all\"");
    if (reader_.has("catchup_window") && misfire.policy == Misfire::Policy::skip)
      reader_.complain("catchup_window", "means nothing with `misfire = \"skip\"`", "no late slot fires");
  }

  void retries(Delivery& delivery) {
    if (const auto attempts = reader_.whole_number("attempts", 1, kMostAttempts))
      delivery.attempts = static_cast<std::uint32_t>(*attempts);
    const auto length_of = [this](std::string_view key) {
      return reader_.duration(key, Duration::micros(1), kLongestBackOff);
    };
    if (const auto first = length_of("back_off")) delivery.back_off = *first;
    const auto longest = length_of("back_off_max");
    if (longest && *longest < delivery.back_off)
      reader_.complain("back_off_max",
                       fmt::format("is shorter than `back_off`, {}", sim::print_duration(delivery.back_off)));
    // A `back_off` that is given alone may be longer than what is usual.
    delivery.longest_back_off = longest.value_or(std::max(delivery.longest_back_off, delivery.back_off));
  }

  void delivery() {
    const auto name = reader_.text("destination");
    Delivery& delivery = body_.definition.delivery;
    delivery = usual_delivery(name ? Delivery::Kind::push : Delivery::Kind::pull);
    if (const auto strict = reader_.flag("strict_order")) delivery.strict_order = *strict;
    retries(delivery);
    if (!name) return;
    delivery.destination = *name;
    if (std::find(destinations_.begin(), destinations_.end(), *name) != destinations_.end()) return;
    const std::vector<std::string_view> known(destinations_.begin(), destinations_.end());
    reader_.complain("destination", fmt::format("unknown destination `{}`", sim::printable(*name, 60)),
                     sim::suggestion(*name, known));
  }

  void payload() {
    reference::Payload& payload = body_.payload;
    payload.topic = reader_.kept_text("topic", reference::kNameBytes).value_or("");
    payload.type = reader_.kept_text("type", reference::kNameBytes).value_or("");
    payload.description = reader_.kept_text("description", reference::kTextBytes).value_or("");
    if (const Json* data = reader_.find("data")) payload.data = dump(*data);
    if (payload.data.size() > reference::kDataBytes)
      reader_.complain("data", fmt::format("it has {} bytes, and may have {}", payload.data.size(),
                                           reference::kDataBytes));
    const Json* labels = reader_.find("labels");
    if (labels == nullptr) return;
    if (!labels->is_object()) return reader_.complain("labels", "must be an object of texts");
    if (labels->size() > reference::kLabels)
      reader_.complain("labels",
                       fmt::format("there are {}, and may be {}", labels->size(), reference::kLabels));
    BodyReader each(*labels, reader_.pointer_to("labels"), errors_);
    for (const auto& [name, value] : labels->items())
      if (auto text = each.kept_text(name, reference::kTextBytes))
        payload.labels.push_back({name, *std::move(text)});
    std::sort(payload.labels.begin(), payload.labels.end(),
              [](const auto& one, const auto& other) { return one.name < other.name; });
  }

  std::vector<FieldError>& errors_;
  BodyReader reader_;
  const TimeZones& zones_;
  const std::vector<std::string>& destinations_;
  ScheduleBody body_;
  std::string_view when_;     // the key that says when
  bool is_calendar_ = false;  // it is a cron expression, if a wrong one
};

}  // namespace

std::optional<ScheduleBody> read_schedule(const Json& object, const std::string& pointer,
                                          const std::string& name, const TimeZones& zones,
                                          const std::vector<std::string>& destinations,
                                          std::span<const std::string_view> more_keys,
                                          std::vector<FieldError>& errors) {
  const std::size_t before = errors.size();
  ScheduleReader reader(object, pointer, zones, destinations, errors);
  ScheduleBody body = reader.read(name, more_keys);
  if (errors.size() == before) reader.check_slots(body.definition);
  if (errors.size() > before) return std::nullopt;
  return body;
}

}  // namespace tenure::daemon
