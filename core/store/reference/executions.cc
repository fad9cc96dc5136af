#include "core/store/reference/executions.h"

#include "core/store/reference/problems.h"

namespace tenure::reference {

std::string problem_of(const ClaimExecutions& asked) {
  Problems problems;
  problems.check_text("topic", asked.topic, kNameBytes);
  problems.check_text("worker", asked.worker, kNameBytes);
  problems.check_duration(asked.duration);
  return problems.take();
}

std::string problem_of(const ExtendExecutions& asked) {
  Problems problems;
  if (asked.duration != Duration{}) problems.check_duration(asked.duration);
  return problems.take();
}

std::string problem_of(const EndExecutions& asked) {
  Problems problems;
  for (const ExecutionEnd& end : asked.ends) problems.add(problem_of_reason(end.why));
  return problems.take();
}

std::string problem_of(const RegisterNode& asked) {
  Problems problems;
  if (asked.key.empty()) problems.add("the key is empty: draw one at random");
  problems.check_text("key", asked.key, kNameBytes);
  problems.check_text("name", asked.name, kNameBytes);
  return problems.take();
}

DeliveryRules rules_of(const Definition& definition) { return {definition.overlap, definition.delivery}; }

bool is_overlapped(const DeliveryRules& rules, std::size_t waiting) {
  switch (rules.overlap) {
    case Overlap::allow:
    case Overlap::replace: return false;
    case Overlap::skip: return waiting > 0;
    case Overlap::queue_one: return waiting > 1;
  }
  return false;
}

}  // namespace tenure::reference
