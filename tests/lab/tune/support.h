// Settings of small scenarios, for tests of the tuning room.
//
// Thread rule: tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "format/parse/parse.h"
#include "lab/tune/plan.h"
#include "lab/tune/setting.h"
#include "lab/tune/tuning.h"

namespace tenure::lab {

// Three instances for five minutes, whose leader dies now and then, with whatever the test adds.
inline TuneFile tune_file(const std::string& more, const std::string& protocol = "fenced-lease") {
  return {
      "tuned.toml",
      "format = 1\nname = \"tuned\"\n[sim]\nduration = \"5m\"\ntail = \"150s\"\n[cluster]\nprotocol = \"" +
          protocol +
          "\"\n[[fault]]\nevery = { min = \"40s\", p50 = \"60s\", max = \"90s\" }\naction = \"kill\"\n"
          "target = \"leader\"\nduration = \"10s\"\n" +
          more,
      {},
      &only_utc(),
      {}};
}

inline format::ScenarioFile parsed(const TuneFile& file) {
  const format::ParseResult result = format::parse_scenario(file.path, file.text, file.sets, *file.zones);
  for (const format::Diagnostic& diagnostic : result.diagnostics) ADD_FAILURE() << format::render(diagnostic);
  return result.file();
}

inline Setting made(const TuneFile& file, std::vector<format::Override> overrides = {}) {
  MadeSetting setting = make_setting(file, std::move(overrides));
  for (const format::Diagnostic& diagnostic : setting.problems) ADD_FAILURE() << format::render(diagnostic);
  return std::move(*setting.setting);
}

inline std::vector<Setting> all_settings(const TuneFile& file, const format::TuneSetting& tune) {
  std::vector<Setting> settings;
  const std::vector<TunePoint> points = plan_points(tune).value();
  for (const TunePoint& point : points) {
    MadeSetting setting = make_setting(file, overrides_of(tune.parameters, point));
    if (setting.setting) settings.push_back(std::move(*setting.setting));
  }
  return settings;
}

// All rounds, one run after the other; the runs of each.
inline std::vector<std::uint64_t> run_all(Tuning& tuning) {
  std::vector<std::uint64_t> runs;
  for (std::vector<TuneWork> works = tuning.next_round(); !works.empty(); works = tuning.next_round()) {
    runs.push_back(0);
    for (const TuneWork& work : works) {
      std::vector<RunNumbers> numbers;
      for (std::uint64_t seed = work.first_seed; seed < work.first_seed + work.count; ++seed)
        numbers.push_back(measure_run(tuning.setting(work.setting), seed, tuning.questions()));
      runs.back() += work.count;
      tuning.take(work, numbers);
    }
  }
  return runs;
}

}  // namespace tenure::lab
