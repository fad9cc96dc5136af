#include "cli/trend/trend.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <iterator>
#include <set>

#include "cli/reports/text/text_format.h"
#include "lab/session/json_writer.h"
#include "lab/session/version.h"

namespace tenure::cli {
namespace {

std::string name_of(const Figure& figure) { return fmt::format("{}: {}", figure.where, figure.what); }

// "12.4 [11.9..13]"
std::string shown(const Figure& figure) {
  return fmt::format("{:.4g} [{:.4g}..{}]", figure.value, figure.low,
                     figure.high ? fmt::format("{:.4g}", *figure.high) : "");
}

// Whether all of the interval is above all of the other.
bool is_above(const Figure& a, const Figure& b) { return b.high && a.low > *b.high; }

std::string sentence_of(const Trend& trend) {
  if (trend.changes.empty() && trend.same == 0) return "Nothing to compare with the baseline.";
  if (trend.changes.empty())
    return fmt::format("Nothing changed beyond noise, in {}.", counted(trend.same, "figure"));
  return fmt::format("{} worse and {} better beyond noise, {} as before.", trend.worse(),
                     trend.changes.size() - trend.worse(), trend.same);
}

constexpr std::string_view kRule = "beyond noise: intervals of 95 % that have no value in common";

}  // namespace

std::size_t Trend::worse() const {
  return static_cast<std::size_t>(std::count_if(changes.begin(), changes.end(),
                                                [](const FigureChange& change) { return change.is_worse; }));
}

std::optional<Baseline> Baseline::read(const std::string& path, Streams& streams) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    print_error(streams, fmt::format("cannot read {}, the file of --baseline", path));
    return std::nullopt;
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Baseline baseline;
  baseline.path_ = path;
  try {
    baseline.figures_ = figures_of(text);
  } catch (const std::exception&) {
    // Told below: it is no such JSON.
  }
  if (!baseline.figures_.empty()) return baseline;
  print_error(streams,
              fmt::format("{} holds no result to compare with: --baseline takes what an earlier run with "
                          "--seeds, hunt, tune or compare printed with --format json",
                          path));
  return std::nullopt;
}

Trend Baseline::compare(const std::string& documents) const {
  Trend trend;
  trend.baseline = path_;
  const std::vector<Figure> now = figures_of(documents);
  const auto find = [](const std::vector<Figure>& figures, const Figure& wanted) {
    return std::find_if(figures.begin(), figures.end(), [&](const Figure& each) {
      return each.where == wanted.where && each.what == wanted.what;
    });
  };
  std::set<std::string> places;
  for (const Figure& after : now) {
    places.insert(after.where);
    const auto before = find(figures_, after);
    if (before == figures_.end())
      trend.only_now.push_back(name_of(after));
    else if (is_above(after, *before) || is_above(*before, after))
      trend.changes.push_back({is_above(after, *before) != after.low_is_bad, *before, after});
    else
      ++trend.same;
  }
  for (const Figure& before : figures_)
    if (places.contains(before.where) && find(now, before) == now.end())
      trend.only_before.push_back(name_of(before));
  std::stable_partition(trend.changes.begin(), trend.changes.end(),
                        [](const FigureChange& change) { return change.is_worse; });
  return trend;
}

ExitCode exit_code_of(const Trend& trend) {
  if (trend.worse() > 0) return ExitCode::fail;
  return trend.changes.empty() && trend.same == 0 ? ExitCode::inconclusive : ExitCode::pass;
}

std::string trend_text(const Trend& trend) {
  std::string text = row("baseline", fmt::format("{}: {}", trend.baseline, sentence_of(trend)));
  for (const FigureChange& change : trend.changes)
    text += row(change.is_worse ? "worse" : "better", fmt::format("{}  {} -> {}", name_of(change.after),
                                                                  shown(change.before), shown(change.after)));
  if (!trend.changes.empty()) text += row("", std::string(kRule));
  if (!trend.only_now.empty()) text += row("only now", counted(trend.only_now.size(), "figure"));
  if (!trend.only_before.empty()) text += row("only before", counted(trend.only_before.size(), "figure"));
  return text;
}

std::string trend_json(const Trend& trend) {
  lab::JsonWriter json;
  const auto number = [&](std::string_view key, std::optional<double> value) {
    json.key(key);
    if (value)
      json.nano(static_cast<std::int64_t>(*value * 1e9 + (*value < 0 ? -0.5 : 0.5)));
    else
      json.null();
  };
  const auto figure = [&](std::string_view key, const Figure& of) {
    json.key(key).begin_object();
    number("value", of.value);
    number("low", of.low);
    number("high", of.high);
    json.end_object();
  };
  json.begin_object().field("kind", "trend").field("format", 1).field("tenure", lab::version());
  json.field("baseline", trend.baseline).field("worse", trend.worse());
  json.field("better", trend.changes.size() - trend.worse()).field("same", trend.same);
  json.key("changes").begin_array();
  for (const FigureChange& change : trend.changes) {
    json.begin_object().field("where", change.after.where).field("what", change.after.what);
    json.field("change", change.is_worse ? "worse" : "better");
    figure("before", change.before);
    figure("after", change.after);
    json.end_object();
  }
  json.end_array().list("only_now", trend.only_now).list("only_before", trend.only_before);
  return json.end_object().take() + "\n";
}

void tell_trend(const Trend& trend, bool as_json, Streams& streams) {
  write_results(streams, as_json ? trend_json(trend) : "\n" + trend_text(trend));
}

PageSection section_of(const Trend& trend) {
  PageSection section{.title = "against the baseline " + trend.baseline, .sentence = sentence_of(trend)};
  section.notes.push_back(fmt::format("What counts as a change, {}.", kRule));
  PageTable table{"Changes beyond noise", {"change", "where", "what", "before", "now"}};
  for (const FigureChange& change : trend.changes)
    table.rows.push_back({{change.is_worse ? "worse" : "better", change.after.where, change.after.what,
                           shown(change.before), shown(change.after)},
                          {},
                          {change.is_worse ? PageTone::bad : PageTone::good}});
  section.tables.push_back(std::move(table));
  const auto list = [&](std::string caption, const std::vector<std::string>& names) {
    PageTable folded{std::move(caption), {"figure"}};
    folded.folded = true;
    for (const std::string& name : names) folded.rows.push_back({{name}});
    section.tables.push_back(std::move(folded));
  };
  list(fmt::format("{} only now", counted(trend.only_now.size(), "figure")), trend.only_now);
  list(fmt::format("{} only before", counted(trend.only_before.size(), "figure")), trend.only_before);
  return section;
}

}  // namespace tenure::cli
