#include "adapters/sql_postgres/session.h"

#include <utility>

#include "core/base/check.h"
#include "sim/stores/statements/requests.h"

namespace tenure::sql_postgres {

std::optional<Reply> Session::begin(std::uint64_t ticket, const statements::Request& request) {
  CHECK(!under_way_, "a session executes one request at a time");
  const auto& asked = std::visit(
      [](const auto& one) -> const std::vector<statements::SqlStatement>& { return one.statements; },
      request);
  ticket_ = ticket;
  steps_.clear();
  results_.clear();
  failed_.reset();
  step_ = 0;
  transaction_ = asked.size() > 1;
  for (const statements::SqlStatement& each : asked) {
    std::string problem;
    std::optional<std::string> numbered = number_(each.text, problem);
    if (!numbered)
      return statements::Reply{statements::SqlFailed{"", "this statement is refused, " + problem}};
    steps_.push_back({*std::move(numbered), each.parameters});
  }
  if (transaction_) {
    steps_.insert(steps_.begin(), {"BEGIN", {}});
    steps_.push_back({"COMMIT", {}});
  }
  under_way_ = true;
  return follow(backend_.execute(steps_.front()));
}

std::optional<Reply> Session::time_out() {
  if (under_way_) return follow(backend_.time_out());
  backend_.time_out();
  return std::nullopt;
}

std::optional<Reply> Session::follow(std::optional<Outcome> outcome) {
  while (outcome) {
    if (auto* failed = std::get_if<statements::SqlFailed>(&*outcome)) {
      if (!failed_) failed_ = std::move(*failed);
    } else {
      results_.push_back(std::get<statements::SqlRows>(std::move(*outcome)));
    }
    outcome = next();
    if (!under_way_) {
      failed_as_lost_ = backend_.lost();
      return Reply{answer()};
    }
  }
  return std::nullopt;
}

// A transaction that has failed is rolled back, which takes no lock and so waits for none.
std::optional<Outcome> Session::next() {
  const bool rolled_back = step_ == steps_.size();
  if (failed_ && transaction_ && !rolled_back && !backend_.lost()) {
    step_ = steps_.size();
    return backend_.execute({"ROLLBACK", {}});
  }
  if (failed_ || rolled_back || ++step_ == steps_.size()) {
    under_way_ = false;
    return std::nullopt;
  }
  return backend_.execute(steps_[step_]);
}

statements::Reply Session::answer() {
  if (failed_) return *failed_;
  if (transaction_) {  // neither BEGIN nor COMMIT was asked for
    results_.pop_back();
    results_.erase(results_.begin());
  }
  return statements::Executed{std::move(results_)};
}

}  // namespace tenure::sql_postgres
