#include "sim/scenario/toml/parse.h"

#include <utility>

#include "sim/scenario/toml/build.h"

namespace tenure::sim {

ParseResult parse_scenario(std::string_view path, std::string_view text, std::span<const Override> sets) {
  Diagnostics diagnostics(path, text, sets);
  const Item root = read_document(text, sets, diagnostics);
  // With nothing to judge, every key would be missing.
  if (root.entries.empty() && diagnostics.count() > 0) return {std::nullopt, diagnostics.take()};

  Build build(read_section(&root, file_spec(), {}, diagnostics), diagnostics);
  build.scenario.path = std::string(path);
  build.scenario.name = build.file.text("name");
  build.scenario.summary = build.file.text("summary");
  for (const Word& tag : build.file.words("tags")) {
    if (printable(tag.text, tag.text.size()) != tag.text)
      diagnostics.add(tag.place, "a tag has control characters");
    build.scenario.tags.push_back(tag.text);
  }
  build_sim(build);
  build_cluster(build);
  build_instances(build);
  build_surroundings(build);
  build_schedules(build);
  build_changes(build);
  build_faults(build);
  build_expect(build);
  build_thresholds(build);
  judge_unsafe(build);
  judge_tail(build);
  judge_slots(build);
  if (diagnostics.count() > 0) return {std::nullopt, diagnostics.take()};
  return {std::move(build.scenario), {}};
}

}  // namespace tenure::sim
