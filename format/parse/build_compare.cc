// [compare]: what `tenure compare` stretches to a design's own failover time.

#include <string>

#include "format/parse/build.h"

namespace tenure::format {

void build_compare(Build& build) {
  if (!build.file.given("compare")) return;
  const Section section = build.section("compare");
  CompareSetting compare;
  compare.stretch = section.text("stretch");
  compare.place = place_of(section.place("stretch"));
  compare.percent = section.number("percent");
  compare.write = section.text("write");
  if (section.good("write") && compare.write.find("{}") == std::string::npos)
    build.diagnostics.add(section.place("write"), "it has no place for the value", "{} stands for the value");
  build.plans.compare = std::move(compare);
}

}  // namespace tenure::format
