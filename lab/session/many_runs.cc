#include "lab/session/many_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "lab/hunt/throwing_checks.h"
#include "lab/session/cancellation.h"

namespace tenure::lab {
namespace {

constexpr std::uint64_t kRunsOfPiece = 10;

}  // namespace

template <class Numbers>
auto ManyRuns<Numbers>::make(const Piece& piece, bool mine) const -> Made {
  const Group& group = *piece.group;
  Made made;
  for (std::uint64_t seed = piece.first_seed; seed < piece.first_seed + piece.count; ++seed) {
    if (mine && !save_.is_mine(group.name, seed)) continue;
    const Numbers* saved = save_.find(group.name, seed);
    if (saved != nullptr && (!group.answers || group.answers(*saved))) {
      made.runs.push_back(*saved);
      continue;
    }
    const auto broken = broken_invariant_in([&] { made.fresh.push_back(group.make(seed)); });
    if (!broken) {
      made.runs.push_back(made.fresh.back());
      continue;
    }
    if (made.internal_error.empty())
      made.internal_error = fmt::format("{}, seed {}: {}", group.title, seed, *broken);
    if (group.broken) made.runs.push_back(group.broken(seed));
  }
  return made;
}

template <class Numbers>
void ManyRuns<Numbers>::keep(const Piece& piece, const Made& made) {
  for (const Numbers& run : made.fresh) save_.put(piece.group->name, run);
  save_.flush();
  if (internal_error_.empty()) internal_error_ = made.internal_error;
}

template <class Numbers>
bool ManyRuns<Numbers>::run(const std::vector<Group>& groups, const Take& take) {
  std::vector<Piece> pieces;
  progress_.planned = progress_.done;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    for (std::uint64_t done = 0; done < group.count; done += kRunsOfPiece)
      pieces.push_back({&group, i, group.first_seed + done, std::min(kRunsOfPiece, group.count - done)});
    progress_.planned += group.count;
  }
  if (is_part() && !share(pieces)) return false;
  const JobsEnd end = make_in_order(
      pieces.size(), threads_, [&](std::size_t i) { return make(pieces[i], false); },
      [&](std::size_t i, Made made) {
        keep(pieces[i], made);
        progress_.done += pieces[i].count;
        progress_.from_before += made.runs.size() - made.fresh.size();
        take(pieces[i].place, std::move(made.runs));
        observer_.progressed(progress_);
        return true;
      },
      when_interrupted_);
  return end == JobsEnd::done || interrupt();
}

template <class Numbers>
bool ManyRuns<Numbers>::share(const std::vector<Piece>& pieces) {
  std::vector<std::pair<const Group*, Numbers>> all;  // not known while threads look for runs
  const JobsEnd end = make_in_order(
      pieces.size(), threads_, [&](std::size_t i) { return make(pieces[i], true); },
      [&](std::size_t i, Made made) {
        keep(pieces[i], made);
        for (Numbers& run : made.fresh) all.emplace_back(pieces[i].group, std::move(run));
        return true;
      },
      when_interrupted_);
  for (const auto& [group, run] : all) save_.know(group->name, run);
  if (end == JobsEnd::done && wait_for_others(pieces)) return true;
  return is_cancelled() ? interrupt() : false;
}

template <class Numbers>
bool ManyRuns<Numbers>::wait_for_others(const std::vector<Piece>& pieces) {
  std::vector<std::pair<const Group*, std::uint64_t>> wanted;
  for (const Piece& piece : pieces)
    for (std::uint64_t seed = piece.first_seed; seed < piece.first_seed + piece.count; ++seed)
      if (!save_.is_mine(piece.group->name, seed)) wanted.emplace_back(piece.group, seed);
  auto came = std::chrono::steady_clock::now();
  while (true) {
    if (save_.refresh()) came = std::chrono::steady_clock::now();
    std::erase_if(wanted,
                  [&](const auto& run) { return save_.find(run.first->name, run.second) != nullptr; });
    missing_ = wanted.size();
    if (missing_ == 0) return true;
    observer_.waiting(missing_);
    if (is_cancelled() || std::chrono::steady_clock::now() - came > kPatience) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

template <class Numbers>
bool ManyRuns<Numbers>::interrupt() {
  if (when_interrupted_ == WhenInterrupted::leave) observer_.interrupted(progress_);
  return false;
}

template class ManyRuns<RunNumbers>;
template class ManyRuns<CaseNumbers>;

}  // namespace tenure::lab
