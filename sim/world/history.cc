#include "sim/world/history.h"

#include "sim/world/digest.h"

namespace tenure::sim {
namespace {

constexpr std::size_t kMostly = 24;  // no kind of record has more observers in most runs

}  // namespace

void History::add(Observer& observer) {
  const std::uint32_t wanted = observer.wants();
  for (std::size_t kind = 0; kind < observers_.size(); ++kind) {
    if (((wanted >> kind) & 1U) == 0) continue;
    if (observers_[kind].empty()) observers_[kind].reserve(kMostly);
    observers_[kind].push_back(&observer);
  }
}

void History::emit(const Record& record) {
  if (((kForPictures >> record.index()) & 1U) == 0) timeline_.mix(digest(record));
  for (Observer* observer : observers_[record.index()]) observer->see(timeline_.now(), record);
}

}  // namespace tenure::sim
