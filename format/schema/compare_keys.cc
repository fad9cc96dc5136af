#include "format/schema/compare_keys.h"

namespace tenure::sim {
namespace {

using Type = ValueType;

constexpr KeySpec kCompareKeys[] = {
    {.name = "stretch",
     .type = Type::text,
     .doc = "the key of a duration that is as long as the design is slow, like fault.1.duration",
     .required = true},
    {.name = "percent",
     .type = Type::count,
     .doc = "how long it is then, in parts of the design's own failover time: the median after a crash",
     .fallback = "150",
     .min = 1,
     .max = 10'000},
    {.name = "write",
     .type = Type::text,
     .doc = "how the duration is written, {} standing for it, like -{}",
     .fallback = "{}"},
};

}  // namespace

const SectionSpec kCompareSection = {"[compare]", kCompareKeys, OpenKeys::closed,
                                     "How `tenure compare` makes the scenario harder for slow designs: it "
                                     "runs it twice, as it is, and with this. "
                                     "`tenure run` takes no notice."};

}  // namespace tenure::sim
