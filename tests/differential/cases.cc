#include "tests/differential/cases.h"

#include <fmt/format.h>

#include "core/base/hash.h"

namespace tenure::differential {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kFirst = 946'684'800;   // 2000-01-01
constexpr std::int64_t kLast = 2'114'380'800;  // 2037-01-01

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : seed_(seed) {}
  // In [0, n).
  std::int64_t operator()(std::int64_t n) {
    return static_cast<std::int64_t>(
        reduce(Hasher{seed_}.add(++drawn_).value(), static_cast<std::uint64_t>(n)));
  }
  int in(int low, int high) { return low + static_cast<int>((*this)(high - low + 1)); }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

std::string part(Draw& draw, int low, int high) {
  const int a = draw.in(low, high);
  const int b = draw.in(low, high);
  switch (draw(5)) {
    case 0: return a == b ? fmt::format("{}", a) : fmt::format("{}-{}", std::min(a, b), std::max(a, b));
    case 1:
      if (a != b) return fmt::format("{}-{}/{}", std::min(a, b), std::max(a, b), draw.in(1, high));
      [[fallthrough]];
    default: return fmt::format("{}", a);
  }
}

// `free` of ten are stars.
std::string field(Draw& draw, int low, int high, int free) {
  if (draw(10) < free) return "*";
  if (draw(4) == 0) return fmt::format("*/{}", draw.in(2, high));
  std::string text = part(draw, low, high);
  for (std::int64_t more = draw(6) == 0 ? draw.in(1, 3) : 0; more > 0; --more)
    text += "," + part(draw, low, high);
  return text;
}

std::string weekday(Draw& draw) {
  constexpr const char* kNames[] = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};
  switch (draw(8)) {
    case 0: return kNames[draw(7)];
    case 1: return fmt::format("{}#{}", draw(7), draw.in(1, 5));
    case 2: return fmt::format("{}L", draw(7));
    default: return field(draw, 0, 6, 5);
  }
}

std::array<std::string, 5> fields(Draw& draw) {
  std::array<std::string, 5> drawn = {field(draw, 0, 59, 1), field(draw, 0, 23, 2), field(draw, 1, 31, 6),
                                      field(draw, 1, 12, 7), draw(2) == 0 ? "*" : weekday(draw)};
  if (draw(12) == 0) drawn[2] = "L";
  if (draw(40) == 0) {
    drawn[2] = "29";
    drawn[3] = "2";
    drawn[4] = "*";
  }
  return drawn;
}

}  // namespace

std::string expression_of(const Case& one) {
  return fmt::format("{} {} {} {} {}", one.fields[0], one.fields[1], one.fields[2], one.fields[3],
                     one.fields[4]);
}

std::vector<Case> kept_cases() { return {{{"19", "7", "*/15", "*", "*"}, "UTC", 1'298'459'784}}; }

std::vector<Case> draw_utc(std::uint64_t seed, int count) {
  Draw draw(seed);
  std::vector<Case> cases;
  std::int64_t from = 0;
  for (int i = 0; i < count; ++i) {
    if (i % 20 == 0) from = kFirst + draw(kLast - kFirst);
    cases.push_back({fields(draw), "UTC", from});
  }
  return cases;
}

std::vector<Case> draw_near_changes(std::uint64_t seed, int count, const TimeZone& zone) {
  Draw draw(seed);
  std::vector<std::int64_t> changes;
  for (const TimeZone::Period& period : zone.periods())
    if (period.begin > kFirst && period.begin < kLast) changes.push_back(period.begin);
  std::vector<Case> cases;
  for (int i = 0; i < count; ++i) {
    Case one{fields(draw), zone.name(), kFirst + draw(kLast - kFirst)};
    if (!changes.empty() && draw(8) != 0) {
      // At some time of the night, a day or so before the change.
      one.from =
          changes[static_cast<std::size_t>(draw(static_cast<std::int64_t>(changes.size())))] - draw(2 * kDay);
      one.fields[1] = draw(3) == 0 ? field(draw, 0, 4, 3) : fmt::format("{}", draw(4));
      one.fields[2] = one.fields[3] = one.fields[4] = "*";
    }
    cases.push_back(one);
  }
  return cases;
}

}  // namespace tenure::differential
