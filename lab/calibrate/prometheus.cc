// A Prometheus histogram: the JSON of the HTTP API's answer to a query, or the text that a target exposes.
//
//   {"status":"success","data":{"resultType":"vector","result":[
//     {"metric":{"le":"0.005"},"value":[1767225600,"123"]}, …]}}
//   lease_update_seconds_bucket{job="a",le="0.005"} 123
//
// Of a range query the last point counts. What follows a value is no count: OpenMetrics puts exemplars there.
// Series that differ in other labels are added up, as `sum by (le)` does. Counts may be rates, with decimals.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "format/syntax/diagnostic.h"
#include "format/syntax/suggest.h"
#include "lab/calibrate/amount.h"
#include "lab/calibrate/readers.h"
#include "lab/calibrate/reduce.h"

namespace tenure::lab {
namespace {

using Json = nlohmann::json;
using Of = sim::DataProblem::Of;

constexpr std::int64_t kCountScale = 1'000'000;  // a rate's decimals
constexpr int kCountDigits = 6;
constexpr std::size_t kShownOfLabel = 60;

struct Series {
  std::string name;  // empty: the query has taken it away
  std::string le;
  std::string count;
  std::string where;          // "bucket 3", "line 12"
  std::uint64_t earlier = 0;  // points of a range
};

sim::DataProblem problem(const DataText& text, const std::string& what, std::string hint = {}) {
  return {Of::file, fmt::format("{}: {}", format::printable(text.name, kShownOfLabel * 3), what),
          std::move(hint)};
}

const Json* member(const Json* from, const char* name) {
  if (from == nullptr || !from->is_object()) return nullptr;
  const auto found = from->find(name);
  return found == from->end() ? nullptr : &*found;
}

std::string text_of(const Json* json) {
  return json != nullptr && json->is_string() ? json->get<std::string>() : std::string{};
}

// A pair of a time and a number as text; of a matrix, the last.
std::string count_of_series(const Json& series, std::uint64_t& earlier) {
  const Json* value = member(&series, "value");
  if (const Json* values = member(&series, "values");
      values != nullptr && values->is_array() && !values->empty()) {
    value = &values->back();
    earlier = values->size() - 1;
  }
  return value != nullptr && value->is_array() && value->size() == 2 ? text_of(&value->back())
                                                                     : std::string{};
}

std::variant<std::vector<Series>, sim::DataProblem> series_of_json(const DataText& text) {
  const Json root = Json::parse(text.bytes, nullptr, false);
  if (root.is_discarded()) return problem(text, "not JSON");
  if (text_of(member(&root, "status")) == "error")
    return problem(text, fmt::format("the query failed: {}",
                                     format::printable(text_of(member(&root, "error")), kShownOfLabel * 3)));
  const Json* result = member(member(&root, "data"), "result");
  if (result == nullptr || !result->is_array())
    return problem(text, "not an answer of Prometheus' API: there is no `data.result`");
  std::vector<Series> all;
  for (const Json& each : *result) {
    const Json* labels = member(&each, "metric");
    std::uint64_t earlier = 0;
    std::string count = count_of_series(each, earlier);
    all.push_back({text_of(member(labels, "__name__")), text_of(member(labels, "le")), std::move(count),
                   fmt::format("series {}", all.size() + 1), earlier});
    if (all.back().le.empty())
      return problem(text, fmt::format("{} has no label `le`", all.back().where),
                     "keep it in the query: sum by (le) (rate(x_bucket[1h]))");
    if (all.back().count.empty()) return problem(text, fmt::format("{} has no value", all.back().where));
  }
  return all;
}

// Where labels that begin at `open` end: at the first brace that is in no quotes.
std::size_t end_of_labels(std::string_view line, std::size_t open) {
  bool quoted = false;
  for (std::size_t at = open; at < line.size(); ++at) {
    if (line[at] == '\\' && quoted)
      ++at;
    else if (line[at] == '"')
      quoted = !quoted;
    else if (line[at] == '}' && !quoted)
      return at;
  }
  return std::string_view::npos;
}

// The value of a label in `a="b",le="0.5"`.
std::string label(std::string_view labels, std::string_view name) {
  const std::string mark = fmt::format("{}=\"", name);
  for (std::size_t at = labels.find(mark); at != std::string_view::npos; at = labels.find(mark, at + 1)) {
    if (at > 0 && labels[at - 1] != ',' && labels[at - 1] != ' ') continue;
    const std::string_view rest = labels.substr(at + mark.size());
    return std::string(rest.substr(0, rest.find('"')));
  }
  return {};
}

std::variant<std::vector<Series>, sim::DataProblem> series_of_text(const DataText& text,
                                                                   std::uint64_t& others) {
  constexpr std::string_view kSuffix = "_bucket";
  std::vector<Series> all;
  LineReader lines(text.bytes);
  while (const auto next = lines.next()) {
    const std::string_view line = trimmed(*next);
    const std::size_t open = line.find('{');
    const std::size_t close =
        open == std::string_view::npos ? std::string_view::npos : end_of_labels(line, open);
    const bool bucket = !line.starts_with('#') && open != std::string_view::npos &&
                        close != std::string_view::npos && line.substr(0, open).ends_with(kSuffix);
    if (!bucket) {
      ++others;
      continue;
    }
    const std::string_view value = trimmed(line.substr(close + 1));
    all.push_back({std::string(line.substr(0, open)), label(line.substr(open + 1, close - open - 1), "le"),
                   std::string(value.substr(0, value.find(' '))), fmt::format("line {}", lines.number())});
    if (all.back().le.empty()) return problem_at(text, lines.number(), "a bucket without the label `le`");
  }
  return all;
}

// Which metric is meant, where there are several; a message when that is not said.
std::optional<sim::DataProblem> choose(const DataText& text, const std::string& wanted,
                                       std::vector<Series>& all) {
  std::set<std::string> names;
  for (const Series& each : all) names.insert(each.name);
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (wanted.empty()) {
    if (names.size() < 2) return std::nullopt;
    return problem(
        text, fmt::format("there are {} histograms in it", names.size()),
        fmt::format("say which: column = \"{}\"", format::printable(*names.begin(), kShownOfLabel)));
  }
  const std::string full = names.contains(wanted) ? wanted : wanted + "_bucket";
  if (!names.contains(full))
    return sim::DataProblem{
        Of::column,
        fmt::format("{} has no histogram `{}`", format::printable(text.name, kShownOfLabel * 3),
                    format::printable(wanted, kShownOfLabel)),
        format::printable(format::suggestion(wanted, known), kShownOfLabel * 3)};
  all.erase(std::remove_if(all.begin(), all.end(), [&](const Series& s) { return s.name != full; }),
            all.end());
  return std::nullopt;
}

struct Histogram {
  std::map<std::int64_t, std::int64_t> up_to;  // counts at or below, by upper end; INT64_MAX: +Inf
};

std::variant<Histogram, sim::DataProblem> add_up(const DataText& text, const std::vector<Series>& all,
                                                 std::int64_t unit) {
  Histogram histogram;
  for (const Series& each : all) {
    std::int64_t upper = INT64_MAX;
    if (each.le != "+Inf" && each.le != "Inf") {
      const Amount amount = parse_amount(each.le, unit);
      if (!amount.problem.empty())
        return problem(text, fmt::format("{}: `le`: {}", each.where, amount.problem));
      upper = amount.length.ns();
    }
    const auto count = parse_scaled(each.count, kCountScale);
    std::int64_t& sum = histogram.up_to[upper];
    if (!count || *count > INT64_MAX - sum)
      return problem(text, fmt::format("{}: `{}` is not a count", each.where,
                                       format::printable(each.count, kShownOfLabel)));
    sum += *count;
  }
  return histogram;
}

}  // namespace

ReadResult read_prometheus(const DataText& text, const sim::DataSource& source) {
  std::uint64_t others = 0;
  auto found = trimmed(text.bytes).starts_with('{') ? series_of_json(text) : series_of_text(text, others);
  if (auto* wrong = std::get_if<sim::DataProblem>(&found)) return std::move(*wrong);
  auto& all = std::get<std::vector<Series>>(found);
  if (all.empty()) return no_sample(text, "there is no histogram in it");
  if (auto wrong = choose(text, source.column, all)) return *std::move(wrong);
  const std::int64_t unit = unit_named(source.unit.empty() ? "s" : source.unit).value();
  auto added = add_up(text, all, unit);
  if (auto* wrong = std::get_if<sim::DataProblem>(&added)) return std::move(*wrong);

  std::vector<Bucket> buckets;
  std::int64_t before = 0;
  std::int64_t above = 0;
  for (const auto& [upper, up_to] : std::get<Histogram>(added).up_to) {
    if (up_to < before)
      return problem(
          text, "the counts go down as `le` goes up: is it a histogram, and are all series of one shape?");
    const bool open = upper == INT64_MAX;
    if (open && buckets.empty()) return problem(text, "there is no bucket but +Inf");
    // Nobody knows how long these took; at the least as long as the last bucket is.
    if (open) above = up_to - before;
    buckets.push_back({open ? buckets.back().upper : Duration::nanos(upper), up_to - before});
    before = up_to;
  }
  if (before == 0) return no_sample(text, "the histogram is empty");
  MeasuredReading reading;
  reading.quantiles = reduce_buckets(buckets);
  reading.what = fmt::format(
      "prometheus, {} in {}",
      before % kCountScale == 0
          ? count_of(static_cast<std::uint64_t>(before / kCountScale), "observation", "observations")
          : format::print_decimal(before, kCountDigits) + " observations",
      count_of(buckets.size(), "bucket", "buckets"));
  if (above > 0)
    reading.what +=
        fmt::format(", of which {} above the last and counted as {}",
                    format::print_decimal(above, kCountDigits), print_duration(buckets.back().upper));
  std::uint64_t earlier = 0;
  for (const Series& each : all) earlier += each.earlier;
  if (earlier > 0)
    reading.skipped.push_back(count_of(earlier, "earlier point of the range", "earlier points of the range"));
  if (others > 0) reading.skipped.push_back(count_of(others, "other line", "other lines"));
  return reading;
}

}  // namespace tenure::lab
