#include "lab/tune/frontier.h"

#include "format/syntax/tune_values.h"

namespace tenure::lab {
namespace {

// How many parts of a range whose ends are safe are looked at.
constexpr std::int64_t kParts = 8;

std::string written(const format::TuneFrontier& frontier, std::int64_t value) {
  const std::string text = format::print_tune_value(frontier.type, value);
  std::string result = frontier.write;
  for (std::size_t at = result.find("{}"); at != std::string::npos; at = result.find("{}", at + text.size()))
    result.replace(at, 2, text);
  return result;
}

}  // namespace

Frontier::Frontier(const format::TuneFrontier& frontier)
    : frontier_(frontier),
      checkers_(frontier.checkers.empty() ? std::vector<std::string>{""} : frontier.checkers),
      seen_(rows()) {}

std::size_t Frontier::rows() const { return frontier_.parameter ? frontier_.parameter->values.size() : 1; }

std::vector<format::Override> Frontier::overrides_of(const FrontierTry& what) const {
  std::vector<format::Override> overrides;
  if (frontier_.parameter)
    overrides.push_back(
        {frontier_.parameter->key,
         format::print_tune_value(frontier_.parameter->type, frontier_.parameter->values[what.row])});
  overrides.push_back({frontier_.against, written(frontier_, what.value)});
  return overrides;
}

FrontierCell Frontier::cell(std::size_t row, const std::string& checker) const {
  FrontierCell cell;
  cell.row = row;
  cell.checker = checker;
  for (const auto& [value, seen] : seen_[row]) {
    if (!seen.none) ++cell.tried;
    // Below the first value that makes a setting there is nothing to be safe or unsafe.
    if (seen.none && !cell.safe && !cell.unsafe && value == frontier_.span.low) continue;
    const auto& broken = seen.outcome.broken();
    const auto failed = checker.empty() ? broken.begin() : broken.find(checker);
    const bool fails = failed != broken.end();
    const std::string unknown = seen.none || fails ? "" : seen.unknown.at(checker);
    const bool safe = !seen.none && !fails && unknown.empty();
    if (safe && !cell.unsafe) cell.safe = value;
    if (safe && cell.unsafe) cell.broken_order = true;
    if (safe || cell.unsafe) continue;
    cell.unsafe = value;
    cell.unknown = unknown;
    if (!fails) continue;
    cell.checker = failed->first;
    cell.seed = failed->second.first_seed;
  }
  return cell;
}

std::vector<FrontierCell> Frontier::cells() const {
  std::vector<FrontierCell> cells;
  for (const std::string& checker : checkers_)
    for (std::size_t row = 0; row < rows(); ++row) cells.push_back(cell(row, checker));
  return cells;
}

std::vector<FrontierTry> Frontier::next_round() {
  std::vector<FrontierTry> tries;
  for (std::size_t row = 0; row < rows(); ++row) {
    if (seen_[row].empty()) {
      tries.push_back({row, frontier_.span.low});
      if (frontier_.span.high != frontier_.span.low) tries.push_back({row, frontier_.span.high});
      continue;
    }
    std::set<std::int64_t> values;
    const std::int64_t second = frontier_.span.low + frontier_.resolution;
    if (seen_[row].begin()->second.none && !seen_[row].contains(second)) values.insert(second);
    for (const std::string& checker : checkers_) add_next(cell(row, checker), values);
    for (const std::int64_t value : values) tries.push_back({row, value});
  }
  return tries;
}

// Between the largest safe value and the first that is not; or, of a range without one, between its ends.
void Frontier::add_next(const FrontierCell& found, std::set<std::int64_t>& values) const {
  if (!found.safe) return;
  const std::int64_t step = frontier_.resolution;
  const std::int64_t low = found.unsafe ? *found.safe : frontier_.span.low;
  const std::int64_t steps = (found.unsafe.value_or(frontier_.span.high) - low + step - 1) / step;
  if (found.unsafe) {
    if (steps > 1) values.insert(low + steps / 2 * step);
    return;
  }
  for (std::int64_t part = 1; part < kParts; ++part) {
    const std::int64_t value = low + steps * part / kParts * step;
    if (!seen_[found.row].contains(value)) values.insert(value);
  }
}

void Frontier::take(const FrontierTry& what, const sim::Scenario& scenario,
                    const std::vector<RunNumbers>& runs) {
  Seen& seen = seen_[what.row].try_emplace(what.value, Seen{SettingOutcome(nothing_)}).first->second;
  for (const RunNumbers& run : runs) seen.outcome.add(run);
  for (const std::string& checker : checkers_) {
    std::vector<std::string> others = checkers_;
    std::erase(others, checker);
    seen.unknown[checker] = seen.outcome.why_inconclusive(scenario, others);
  }
}

void Frontier::take_none(const FrontierTry& what, const std::string& why) {
  seen_[what.row].try_emplace(what.value, Seen{SettingOutcome(nothing_)}).first->second.none = true;
  if (why_none_.empty()) why_none_ = why;
}

}  // namespace tenure::lab
