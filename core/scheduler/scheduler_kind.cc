#include "core/scheduler/scheduler_kind.h"

#include <algorithm>

namespace tenure {

Duration usual_progress_bound(const Parameters&, Duration answer) {
  constexpr std::int64_t kAnswers = 5;
  return std::max(Duration::seconds(10), answer * kAnswers + Duration::seconds(1));
}

}  // namespace tenure
