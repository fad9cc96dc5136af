// Values for properties, drawn from the key table.
//
// Thread rule: tests.
#pragma once

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/parse/parse.h"
#include "format/schema/keys.h"
#include "format/syntax/units.h"
#include "sim/scenario/names.h"

namespace tenure::format {

template <class T>
T one_of(const std::vector<T>& values) {
  return *rc::gen::elementOf(values);
}

inline bool chance(int percent) { return *rc::gen::inRange(0, 100) < percent; }

// A good value for a key, as TOML text. Some keys need more than a good value; then the file is not good.
class ValueGenerator {
 public:
  std::string value(const KeySpec& key) const {
    switch (key.type) {
      case ValueType::boolean: return chance(50) ? "true" : "false";
      case ValueType::count:
      case ValueType::ppm: return fmt::format("{}", number(key));
      case ValueType::fraction: return print_decimal(number(key), 6);
      case ValueType::text:
        return key.name == "protocol" || key.name == "scheduler" ? name(key.name) : "\"some \\\"text\\\"\"";
      case ValueType::name: return name(key.name);
      case ValueType::choice:
        return quoted(one_of(std::vector<std::string_view>(key.choices.begin(), key.choices.end())));
      case ValueType::names: return names(key.name);
      case ValueType::duration: return quoted(print_duration(Duration::nanos(number(key))));
      case ValueType::duration_range: {
        const std::int64_t a = number(key);
        const std::int64_t b = number(key);
        return quoted(
            print_duration_range({Duration::nanos(std::min(a, b)), Duration::nanos(std::max(a, b))}));
      }
      case ValueType::count_range:
      case ValueType::ppm_range: {
        const std::int64_t a = number(key);
        const std::int64_t b = number(key);
        return quoted(print_integer_range({std::min(a, b), std::max(a, b)}));
      }
      case ValueType::instant: return instant(key.name);
      case ValueType::instants:
        return one_of<std::string>({"[\"2026-01-03T00:00:00Z\", \"2026-01-01T01:00:00.000002+01:00\"]",
                                    "[\"2026-01-01T00:01:00Z\"]"});
      case ValueType::cron:
        return quoted(one_of<std::string>({"*/5 * * * *", "30 2 * * MON-FRI", "0 0 L * ?", "15 30 1 ? * 5#2",
                                           "0 * * * *", "@daily", "@every 1m30s", "@every 2h"}));
      case ValueType::zone: return quoted(one_of<std::string>({"UTC", "Europe/Berlin", "Europe/Berlin"}));
      case ValueType::quantiles: return quantiles();
      case ValueType::lengths:
        return chance(50) ? one_of<std::string>({"\"2s\"", "\"1s..20s\""}) : quantiles();
      case ValueType::target: return target();
      case ValueType::permanent_id:
        return chance(50) ? fmt::format("{}", *rc::gen::inRange(100, 100'000)) : "\"0xffffffffffffffff\"";
      case ValueType::overlap: return one_of<std::string>({"\"forbidden\"", "\"report\"", "\"1.5s\""});
      case ValueType::nth: return chance(50) ? "\"all\"" : "3";
      case ValueType::thresholds:
        return one_of<std::string>({"\"p90 < 20\"", "[\"max <= 3.5\", \"mean>0\"]", "[]"});
      case ValueType::sweep:
      case ValueType::table:
      case ValueType::tables: break;
    }
    return "{}";
  }

  static std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

 private:
  // Times of a size that often fits together, anything within the key's range otherwise.
  static std::int64_t number(const KeySpec& key) {
    const bool time = key.type == ValueType::duration || key.type == ValueType::duration_range;
    const std::int64_t low = std::max(key.min, time ? std::int64_t{0} : std::int64_t{-1'000'000});
    const std::int64_t high = std::min(key.max, time ? 10'000'000'000 : std::int64_t{10});
    if (low >= high) return low;
    const std::int64_t drawn = *rc::gen::inRange<std::int64_t>(low, high);
    return time ? std::max(drawn / 1'000 * 1'000, low) : drawn;
  }

  static std::string instant(std::string_view key) {
    if (key == "end") return "\"2026-03-01T00:00:00Z\"";
    if (key == "from") return "\"2025-12-29T00:00:00Z\"";
    if (key == "to") return "\"2026-01-01T00:00:01Z\"";
    return "\"2026-01-01T00:00:07.000001Z\"";
  }

  static std::string name(std::string_view key) {
    if (key == "tzdb") return quoted("2025b");
    if (key == "protocol")
      return quoted(one_of<std::string>({"fenced-lease", "fenced-lease", "fenced-lease", "fenced-lease",
                                         "db-lease", "heartbeat-lock", "client-go", "token-ring"}));
    if (key == "scheduler")
      return quoted(
          one_of<std::string>({"ticker", "fenced-outbox", "fenced-outbox", "fenced-outbox", "none"}));
    if (key == "engine") return quoted("machine");
    if (key == "schedule") return quoted("first");
    if (key == "fails") return quoted("leader-elected");
    if (key == "checker") return quoted("no-lost-fire");
    if (key == "write") return quoted("{}");
    return quoted(fmt::format("name-{}", *rc::gen::inRange(0, 1'000'000)));
  }

  static std::string names(std::string_view key) {
    if (key == "names") return one_of<std::string>({"[\"n1\"]", "[\"n1\", \"n2\"]", "[\"n2\"]"});
    if (key == "sometimes") return "[\"failover\"]";
    if (key == "always") return one_of<std::string>({"[]", "[\"one-believer\"]"});
    if (key == "families") return one_of<std::string>({"[\"pause\"]", "[\"store\", \"store-clock\"]"});
    if (key == "eventually") return one_of<std::string>({"[]", "[\"leader-elected\"]"});
    return "[]";
  }

  static std::string quantiles() {
    return one_of<std::string>(
        {"\"5ms\"", "{ p50 = \"1ms\" }", "{ min = \"1ms\", p50 = \"1ms\", max = \"1ms\" }",
         "{ min = \"1ms\", p50 = \"4ms\", p90 = \"5ms\", p99 = \"5ms\", p999 = \"1s\", max = \"2s\" }",
         "{ min = \"1ms\", p1 = \"1ms\", p25 = \"2ms\", p50 = \"4ms\", p9999 = \"9ms\", max = \"2s\" }"});
  }

  static std::string target() {
    return one_of<std::string>({"\"leader\"", "\"one\"", "\"all\"", "\"n1\"", "[\"n1\", \"n2\"]"});
  }
};

// Some keys of every-key.toml with other values: often a good file still.
class OverrideGenerator {
 public:
  std::vector<Override> overrides() const {
    std::vector<const KeySpec*> tables;
    for (const KeySpec& key : file_spec().keys)
      if (key.type == ValueType::table || key.type == ValueType::tables) tables.push_back(&key);
    std::vector<Override> sets;
    for (int count = *rc::gen::inRange(1, 5); count > 0; --count) {
      const KeySpec& table = *one_of(tables);
      std::vector<KeySpec> keys = all_keys(table.section->open);
      keys.insert(keys.end(), table.section->keys.begin(), table.section->keys.end());
      const KeySpec key = one_of(keys);
      const std::string place =
          table.type == ValueType::tables ? fmt::format("{}.", *rc::gen::inRange(1, 13)) : "";
      sets.push_back({fmt::format("{}.{}{}", table.name, place, key.name), value(key)});
    }
    return sets;
  }

 private:
  std::string value(const KeySpec& key) const {
    if (key.type != ValueType::table) return values_.value(key);
    std::string inside;
    for (const KeySpec& inner : key.section->keys)
      if (chance(60))
        inside += fmt::format("{}{} = {}", inside.empty() ? "" : ", ", inner.name, values_.value(inner));
    return "{ " + inside + " }";
  }

  ValueGenerator values_;
};

}  // namespace tenure::format
