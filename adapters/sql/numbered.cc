#include "adapters/sql/numbered.h"

#include "adapters/sql/admission.h"
#include "adapters/sql/placeholders.h"

namespace tenure::sql {

std::optional<std::string> numbered(std::string_view sql, std::string& problem) {
  try {
    return number_placeholders(sql).sql;
  } catch (const RefusedError& refused) {
    problem = refusal_at(refused, sql, refused.at).message();
    return std::nullopt;
  }
}

}  // namespace tenure::sql
