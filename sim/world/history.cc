#include "sim/world/history.h"

#include "sim/world/digest.h"

namespace tenure::sim {

void History::emit(const Record& record) {
  timeline_.mix(digest(record));
  for (Observer* observer : observers_) observer->see(timeline_.now(), record);
}

}  // namespace tenure::sim
