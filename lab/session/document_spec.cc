#include "lab/session/document_spec.h"

namespace tenure::lab {

std::span<const DocumentSpec* const> document_specs() {
  static const DocumentSpec* const kAll[] = {&run_spec(),     &hunt_spec(),  &tune_spec(),
                                             &compare_spec(), &trace_spec(), &journal_spec()};
  return kAll;
}

}  // namespace tenure::lab
