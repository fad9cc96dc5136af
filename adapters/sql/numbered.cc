#include "adapters/sql/numbered.h"

#include <utility>

#include "adapters/sql/admission.h"
#include "adapters/sql/placeholders.h"

namespace tenure::sql {

std::variant<std::string, Refusal> numbered(std::string_view sql) {
  try {
    return number_placeholders(sql).sql;
  } catch (const RefusedError& refused) {
    return refusal_at(refused, sql, refused.at);
  }
}

}  // namespace tenure::sql
