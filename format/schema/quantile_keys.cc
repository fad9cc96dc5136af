#include "format/schema/quantile_keys.h"

namespace tenure::sim {
namespace {

using Type = ValueType;

constexpr KeySpec quantile(std::string_view name, std::string_view doc) {
  return {.name = name, .type = Type::duration, .doc = doc, .min = 0, .max = kYearNs};
}

constexpr KeySpec kQuantileKeys[] = {
    quantile("min", "the smallest; half of p50 when left out"),
    quantile("p1", "1% are below"),
    quantile("p5", "5% are below"),
    quantile("p10", "10% are below"),
    quantile("p25", "a quarter is below"),
    {.name = "p50",
     .type = Type::duration,
     .doc = "half are below",
     .required = true,
     .min = 0,
     .max = kYearNs},
    quantile("p75", "three quarters are below"),
    quantile("p90", "90% are below"),
    quantile("p95", "95% are below"),
    quantile("p98", "98% are below"),
    quantile("p99", "99% are below"),
    quantile("p995", "99.5% are below"),
    quantile("p999", "99.9% are below"),
    quantile("p9999", "99.99% are below"),
    quantile("max", "the largest; the largest of the others when left out"),
};

constexpr KeySpec kDataKeys[] = {
    {.name = "file", .type = Type::text, .doc = "the file, relative to this one", .required = true},
    {.name = "column",
     .type = Type::text,
     .doc = "of a CSV file: the column's name; of a Prometheus one: the metric's"},
    {.name = "unit",
     .type = Type::choice,
     .doc = "of numbers that say none; left out, the header may say it",
     .choices = kDataUnits},
    {.name = "format",
     .type = Type::choice,
     .doc = "what the file is; left out, it is told from the content",
     .choices = kDataFormats},
    {.name = "take",
     .type = Type::choice,
     .doc = "of a GC log: how long the pauses are, or the gaps between them",
     .fallback = "lengths",
     .choices = kDataTakes},
};

}  // namespace

constexpr SectionSpec kQuantilesSection = {
    "a distribution", kQuantileKeys, OpenKeys::closed,
    "A distribution of durations: a table of quantiles, linear between "
    "them. A single duration stands for itself, always."};
constexpr SectionSpec kDataSection = {"a file of measurements", kDataKeys, OpenKeys::closed,
                                      "A distribution that is read from a file: docs/calibration.md."};

}  // namespace tenure::sim
