#include "format/schema/quantile_keys.h"

#include "format/schema/make_key.h"

namespace tenure::format {
namespace keys {
namespace {

constexpr KeySpec kQuantileKeys[] = {
    duration("min", "the smallest; half of p50 when left out"),
    duration("p1", "1% are below"),
    duration("p5", "5% are below"),
    duration("p10", "10% are below"),
    duration("p25", "a quarter is below"),
    required(duration("p50", "half are below")),
    duration("p75", "three quarters are below"),
    duration("p90", "90% are below"),
    duration("p95", "95% are below"),
    duration("p98", "98% are below"),
    duration("p99", "99% are below"),
    duration("p995", "99.5% are below"),
    duration("p999", "99.9% are below"),
    duration("p9999", "99.99% are below"),
    duration("max", "the largest; the largest of the others when left out"),
};

constexpr KeySpec kDataKeys[] = {
    required(text("file", "the file, relative to this one")),
    text("column", "of a CSV file: the column's name; of a Prometheus one: the metric's"),
    choice("unit", "of numbers that say none; left out, the header may say it", kDataUnits),
    choice("format", "what the file is; left out, it is told from the content", kDataFormats),
    choice("take", "of a GC log: how long the pauses are, or the gaps between them", kDataTakes, "lengths"),
};

}  // namespace
}  // namespace keys

constexpr SectionSpec kQuantilesSection = {
    "a distribution", keys::kQuantileKeys, OpenKeys::closed,
    "A distribution of durations: a table of quantiles, linear between "
    "them. A single duration stands for itself, always."};
constexpr SectionSpec kDataSection = {"a file of measurements", keys::kDataKeys, OpenKeys::closed,
                                      "A distribution that is read from a file: docs/calibration.md."};

}  // namespace tenure::format
