// The price at which designs are compared: `--equal failover_p99=20s`, `--equal requests=2000`. Without it a long lease
// looks good, because what it costs stands in another column.
//
//   1. A design is brought to a price by one factor on all durations of its election. So it keeps the proportions that
//      its author gave it, or the command line.
//   2. A duration of whole seconds stays one, from two seconds on: many stores have no shorter ones. Others keep two
//      digits.
//   3. What it pays is at most the price, and at least kLeastPaidPercent of it.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/parameters.h"
#include "format/plans/tune_setting.h"
#include "format/syntax/document.h"
#include "lab/tune/tuning.h"

namespace tenure::lab {

struct Price {
  enum class Kind : std::uint8_t {
    failover_p99,  // nanoseconds, in the situation `crash`
    requests,      // of the store in an hour, in the situation `quiet`
  };
  Kind kind = Kind::failover_p99;
  std::int64_t most = 0;
  std::string text;  // as it was written
};

struct ReadPrice {
  std::optional<Price> price;
  std::string problem = {};  // why there is none, for people
  std::string hint = {};
};
ReadPrice read_price(std::string_view text);

// Of what a price is asked: an objective that every run of a tuning measures.
format::TuneSetting tuning_to(const Price& price, std::uint64_t seeds);

// What durations are multiplied by.
struct Factor {
  std::int64_t of = 1;
  std::int64_t in = 1;
  bool operator==(const Factor&) const = default;
};
// From one on, to 32 or to 1/32: dearer and dearer, or cheaper and cheaper.
std::vector<Factor> powers_of_two(Price::Kind kind, bool dearer);
// Between a factor that is cheap enough and the next power of two, which is not; dearer and dearer.
std::vector<Factor> narrow_factors(Price::Kind kind, Factor cheap_enough);
// Each duration of an election that is not zero, times that. Empty: it has none.
std::vector<format::Override> scaled(const Parameters& own, Factor factor);

// What a setting of a tuning costs, in the price's unit; nullopt: it was not seen often enough.
std::optional<std::int64_t> cost_of(const Price& price, const Tuning& tuning, std::size_t setting);

inline constexpr std::int64_t kLeastPaidPercent = 80;
bool pays(const Price& price, std::int64_t cost);
// "19.3s", "1,998"
std::string amount_in_words(Price::Kind kind, std::int64_t amount);

}  // namespace tenure::lab
