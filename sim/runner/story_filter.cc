#include "sim/runner/story_filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/checkers/names.h"

namespace tenure::sim {
namespace {

// A line of the result, and how many lines of the story it stands for.
struct Row {
  NarratedEvent told;
  std::uint64_t times = 1;
  TrueTime last;
};

bool is_same(const Row& row, const NarratedEvent& told) {
  if (row.told.node != told.node || row.told.kind != told.kind) return false;
  return told.routine ? row.told.routine
                      : row.told.line ==
                            StoryLine{row.told.line.at, told.line.who, told.line.text, told.line.is_fault};
}

// The line that this one adds to; nullptr: none. Fires of several nodes may come by turns.
Row* row_for(std::vector<Row>& rows, const NarratedEvent& told) {
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    if (is_same(*row, told)) return &*row;
    if (!told.routine || !row->told.routine) return nullptr;
  }
  return nullptr;
}

NarratedEvent told_once(const Row& row) {
  NarratedEvent told = row.told;
  if (row.times == 1) return told;
  const std::string last = time_text(row.last);
  told.line.text = told.routine
                       ? fmt::format("executes {} fires, the last at {}", row.times, last)
                       : fmt::format("{} ({} times, the last at {})", told.line.text, row.times, last);
  return told;
}

}  // namespace

std::vector<NarratedEvent> filter_story(const std::vector<NarratedEvent>& story) {
  std::vector<Row> rows;
  for (const NarratedEvent& told : story) {
    if (told.kind == StoryKind::check) continue;
    if (Row* row = row_for(rows, told)) {
      ++row->times;
      row->last = told.line.at;
    } else {
      rows.push_back({told, 1, told.line.at});
    }
  }
  std::vector<NarratedEvent> result;
  result.reserve(rows.size());
  std::transform(rows.begin(), rows.end(), std::back_inserter(result), told_once);
  return result;
}

}  // namespace tenure::sim
