// A list of a struct's fields that leaves one out.
#include "core/base/fields.h"

namespace asked {

struct Asked {
  int who = 0;
  int since = 0;
};
#ifdef ALL
TENURE_FIELDS(Asked, who, since)
#else
TENURE_FIELDS(Asked, who)
#endif

int sum(const Asked& asked) {
  int total = 0;
  visit_fields(asked, [&](const auto&... field) { total = (field + ...); });
  return total;
}

}  // namespace asked
