#include "format/parse/parse.h"

#include <utility>

#include "format/parse/build.h"
#include "sim/faults/load.h"

namespace tenure::format {

ParseResult parse_scenario(std::string_view path, std::string_view text, std::span<const Override> sets,
                           const TimeZones& zones, const ElectorKind* own, std::span<const StoreKind> engines,
                           const sim::DataFiles* data_files, Unsafe unsafe, const sim::DesignFiles* designs) {
  Diagnostics diagnostics(path, text, sets);
  const Item root = read_document(text, sets, diagnostics);
  // With nothing to judge, every key would be missing.
  if (root.entries.empty() && diagnostics.count() > 0) return {std::nullopt, {}, diagnostics.take()};

  Build build(read_section(&root, file_spec(), {}, diagnostics), zones, own, engines, data_files,
              diagnostics);
  build.designs = designs;
  build.takes_unsafe = unsafe == Unsafe::is_taken;
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
  build_destinations(build);
  build_schedules(build);
  build_changes(build);
  build_workers(build);
  build_faults(build);
  build_expect(build);
  build_thresholds(build);
  build_hunt(build);
  build_exhaustive(build);
  build_tune(build);
  build_profile(build);
  build_compare(build);
  build_regression(build);
  judge_unsafe(build);
  judge_tail(build);
  judge_slots(build);
  if (diagnostics.count() > 0) return {std::nullopt, {}, diagnostics.take(), build.needs_tail};
  for (std::string& why : sim::overloads(build.scenario)) build.scenario.warnings.push_back(std::move(why));
  return {std::move(build.scenario), std::move(build.plans), {}};
}

}  // namespace tenure::format
