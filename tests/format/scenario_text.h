// Scenario texts for properties: generated from the key table, or good ones with damage done to them.
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

#include "format/schema/keys.h"
#include "format/syntax/units.h"
#include "sim/checkers/checker.h"
#include "sim/scenario/names.h"

namespace tenure::sim {

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

class ScenarioGenerator {
 public:
  // What is tuned depends on the protocol's parameters, more than values drawn one by one can: every-key.toml has it.
  static bool is_of_tuning(std::string_view key) { return key == "tune" || key == "profile"; }

  std::string generate() {
    text_ = "format = 1\nname = \"generated\"\n";
    const SectionSpec& file = file_spec();
    for (const KeySpec& key : file.keys)
      if (key.type == ValueType::table && !is_of_tuning(key.name) && (key.required || chance(70)))
        add_table(key, 60);
    for (const KeySpec& key : file.keys)
      if (key.type == ValueType::tables && chance(needs_others(key.name) ? 15 : 60) &&
          (key.name != "schedule" || !has("scheduler = \"none\"")) &&
          (key.name != "worker" || has("scheduler = \"fenced-outbox\"")) &&
          (key.name != "change" || has("name = \"first\"")))
        add_tables(key);
    return text_;
  }

 private:
  // A destination or a worker is right only together with a schedule of its own.
  static bool needs_others(std::string_view table) { return table == "destination" || table == "worker"; }
  // So are the faults that strike them, and those of one store.
  static bool needs_others(const FaultKind& kind) {
    return kind.name.starts_with("destination-") || kind.name.starts_with("worker-") ||
           kind.name == "store-redelivery" || kind.name == "store-minority";
  }

  bool has(std::string_view text) const { return text_.find(text) != std::string::npos; }

  void add_keys(const SectionSpec& section, int percent, std::string_view except = {}) {
    for (const KeySpec& key : section.keys) {
      if (key.name == except) continue;
      // Unsafe settings and instances that are not there are errors; so are faults with several times, and a program in
      // place of the protocol (program_test.cc).
      const bool risky = key.name == "accept" || key.name == "tail" || key.name == "duration" ||
                         key.name == "instances" || key.name == "node" || key.name == "scheduler_node";
      if (key.name == "duration" && key.required) text_ += "duration = \"1h\"\ntail = \"10m\"\n";
      if (risky || key.type == ValueType::tables ||
          (key.type == ValueType::table && section.title.starts_with("[[")))
        continue;
      const bool always = key.required || key.name == "protocol" || key.name == "scheduler";
      if (!always && !chance(percent)) continue;
      if (key.name == "scheduler" && !has("fenced-lease"))
        text_ += one_of<std::string>({"scheduler = \"ticker\"\n", "scheduler = \"none\"\n"});
      else if (key.type == ValueType::table)
        text_ += fmt::format("{} = {}\n", key.name, inline_table(*key.section));
      else
        text_ += fmt::format("{} = {}\n", key.name, values_.value(key));
    }
    for (const KeySpec& key : all_keys(section.open))
      if (section.open == OpenKeys::metrics && chance(30))
        text_ += fmt::format("{} = {}\n", key.name, values_.value(key));
  }

  std::string inline_table(const SectionSpec& section) {
    std::string inside;
    for (const KeySpec& key : section.keys)
      if (chance(60))
        inside += fmt::format("{}{} = {}", inside.empty() ? "" : ", ", key.name, values_.value(key));
    return "{ " + inside + " }";
  }

  void add_table(const KeySpec& key, int percent) {
    text_ += fmt::format("\n[{}]\n", key.name);
    add_keys(*key.section, percent);
  }

  void add_tables(const KeySpec& key) {
    const int count = key.name == "instance" ? 1 : *rc::gen::inRange(1, 4);
    for (int i = 0; i < count; ++i) {
      text_ += fmt::format("\n[[{}]]\n", key.name);
      if (key.name == "fault") {
        add_fault();
      } else if (key.name == "change") {
        add_change(*key.section);
      } else if (key.name == "schedule") {
        text_ += i == 0 ? std::string("name = \"first\"\n") : fmt::format("name = \"other-{}\"\n", i);
        add_definition(*key.section, true);
        if (i > 0 && chance(30)) text_ += "count = 3\n";
      } else {
        add_keys(*key.section, 50);
      }
    }
    // A worker is there because somebody has work for it.
    if (key.name == "worker")
      text_ += "\n[[schedule]]\nname = \"pulled\"\nevery = \"1h\"\ndelivery = \"pull\"\n";
  }

  // An edit of the first schedule, often a good one.
  void add_change(const SectionSpec& section) {
    std::vector<std::string> actions = {"update", "update", "pause", "resume", "delete", "create"};
    if (has("fenced-outbox")) actions.insert(actions.end(), {"trigger", "backfill", "backfill"});
    const std::string action = one_of(actions);
    text_ += fmt::format("at = \"{}s\"\naction = \"{}\"\nschedule = \"first\"\n", *rc::gen::inRange(1, 100),
                         action);
    if (action == "backfill") text_ += "from = \"2025-12-29T00:00:00Z\"\nto = \"2026-01-01T00:00:01Z\"\n";
    if (action != "update" && action != "create") return;
    add_definition(section, action == "create" || chance(50));
  }

  // Of the keys of a definition, some that go together.
  void add_definition(const SectionSpec& section, bool with_recurrence) {
    const auto key_of = [&](std::string_view name) -> const KeySpec& {
      return *std::find_if(section.keys.begin(), section.keys.end(),
                           [&](const KeySpec& key) { return key.name == name; });
    };
    const auto add = [&](std::string_view name) {
      text_ += fmt::format("{} = {}\n", name, values_.value(key_of(name)));
    };
    const std::string times = section.title == "[[schedule]]" ? "at" : "times";
    if (with_recurrence) {
      const std::string when = one_of<std::string>({"every", "cron", "cron", "cron", times, "once"});
      add(when);
      if (when == "cron" && text_.find("@every", text_.rfind("cron = ")) == std::string::npos && chance(70)) {
        add("timezone");
        for (const char* key : {"dst_gap", "dst_overlap"})
          if (chance(40)) add(key);
      }
    }
    if (chance(10)) add("start");
    if (chance(30)) add("end");
    const bool outbox = has("fenced-outbox");
    if (outbox && chance(30)) {
      add("jitter");
      for (const char* key : {"jitter_per", "jitter_seed"})
        if (chance(50)) add(key);
    }
    std::string misfire = section.title == "[[schedule]]" ? "fire_all" : "unchanged";
    if (chance(50)) {
      misfire = one_of<std::string>({"fire_all", "fire_once", "skip"});
      text_ += fmt::format("misfire = \"{}\"\n", misfire);
      if (misfire == "fire_once" && chance(50)) add("fire_once");
      if (outbox && misfire == "fire_all" && chance(50)) add("max_catchup");
    }
    for (const char* key : {"grace", "paused"})
      if (chance(30)) add(key);
    for (const std::string_view key : {"catchup_window", "overlap"})
      if (outbox && chance(30) && (key == "overlap" || misfire.starts_with("fire_"))) add(key);
  }

  void add_fault() {
    const std::span<const FaultKind> kinds = fault_kinds();
    const FaultKind* drawn = &kinds[*rc::gen::inRange<std::size_t>(0, kinds.size())];
    while (needs_others(*drawn)) drawn = &kinds[*rc::gen::inRange<std::size_t>(0, kinds.size())];
    const FaultKind& kind = *drawn;
    text_ += fmt::format("action = \"{}\"\n", kind.name);
    text_ += one_of<std::string>({"at = \"1m\"\n", "at = \"1m..2m\"\n", "on = \"leads\"\nafter = \"1ms\"\n",
                                  "on = \"leads\"\nnth = \"all\"\n", "every = { p50 = \"5m\" }\n",
                                  "every = \"80s..100s\"\n"});
    if (chance(30)) text_ += "optional = true\n";
    if (strikes_nodes(kind))
      for (const KeySpec& key : file_spec().keys)
        if (key.name == "fault")
          for (const KeySpec& inner : key.section->keys)
            if (inner.name == "target") text_ += "target = " + values_.value(inner) + "\n";
    if (kind.lasts) text_ += "duration = \"1s..20s\"\n";
    for (const KeySpec& key : keys_of(kind.parameters))
      if (key.required || chance(50)) text_ += fmt::format("{} = {}\n", key.name, values_.value(key));
  }

  ValueGenerator values_;
  std::string text_;
};

inline rc::Gen<std::string> generated_scenario() {
  return rc::gen::exec([] { return ScenarioGenerator().generate(); });
}

// `text` with one thing done to it: bytes gone, changed or put in, a line moved, doubled or replaced by another's key.
inline rc::Gen<std::string> mutation_of(std::string text) {
  return rc::gen::exec([text] {
    static const std::vector<std::string> kTokens = {"\"",
                                                     "'",
                                                     "\"\"\"",
                                                     "[",
                                                     "]",
                                                     "[[",
                                                     "{",
                                                     "}",
                                                     "=",
                                                     ".",
                                                     ",",
                                                     "\n",
                                                     "#",
                                                     "\\",
                                                     "-",
                                                     "0",
                                                     "9999999999999999999",
                                                     "1e999",
                                                     "nan",
                                                     "true",
                                                     "\"15\"",
                                                     "15s",
                                                     "\"-1s\"",
                                                     "\"1s..\"",
                                                     "n1",
                                                     "\"n9\"",
                                                     "[]",
                                                     "{}",
                                                     "\t",
                                                     "\r\n",
                                                     "\x80",
                                                     "é",
                                                     "[fault]\n",
                                                     "[[sim]]\n",
                                                     "format = 1\n",
                                                     "accept = [\"x\"]\n",
                                                     "count = 100000\n",
                                                     "2026-01-01",
                                                     "\"0s\"",
                                                     "\"leader\""};
    std::string result = text;
    const auto place = [&] { return *rc::gen::inRange<std::size_t>(0, result.size() + 1); };
    switch (*rc::gen::inRange(0, 5)) {
      case 0: {
        const std::size_t at = place();
        result.erase(at, *rc::gen::inRange<std::size_t>(1, 20));
        break;
      }
      case 1: result.insert(place(), one_of(kTokens)); break;
      case 2: {
        const std::size_t at = place();
        if (at < result.size()) result[at] = static_cast<char>(*rc::gen::inRange(0, 256));
        break;
      }
      case 3: {  // a stretch of it again, elsewhere
        const std::string piece = result.substr(place(), *rc::gen::inRange<std::size_t>(1, 80));
        result.insert(place(), piece);
        break;
      }
      default: {  // another value
        const std::size_t equals = result.find("= ", place());
        if (equals == std::string::npos) break;
        const std::size_t end = std::min(result.find('\n', equals), result.size());
        result.replace(equals + 2, end - equals - 2, one_of(kTokens));
        break;
      }
    }
    return result;
  });
}

}  // namespace tenure::sim
