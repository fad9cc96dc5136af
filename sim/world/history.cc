#include "sim/world/history.h"

#include "sim/world/digest.h"

namespace tenure::sim {

void History::add(Observer& observer) {
  for (std::size_t kind = 0; kind < observers_.size(); ++kind)
    if (((observer.wants() >> kind) & 1U) != 0) observers_[kind].push_back(&observer);
}

void History::emit(const Record& record) {
  if (((kForPictures >> record.index()) & 1U) == 0) timeline_.mix(digest(record));
  for (Observer* observer : observers_[record.index()]) observer->see(timeline_.now(), record);
}

}  // namespace tenure::sim
