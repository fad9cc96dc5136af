#include "adapters/design/life.h"

#include <utility>
#include <variant>

#include "core/base/readable_text.h"

namespace tenure::design {
namespace {

constexpr int kMostWakes = 10'000;  // at one instant
constexpr Duration kLeastSync = Duration::micros(100);
constexpr Duration kMostSync = Duration::millis(10);

}  // namespace

Leadership Life::leadership(const Clock& clock) const {
  if (!belief_) return {};
  if (const auto* mono = std::get_if<MonoTime>(&*belief_)) return {token_, *mono};
  if (const auto* wall = std::get_if<WallTime>(&*belief_)) {
    if (clock.wall() >= *wall) return {};
    return {token_, clock.mono() + (*wall - clock.wall())};
  }
  return {token_, MonoTime::max()};
}

void Life::believe(const Until& until, std::optional<Token> token, Env& env) {
  belief_ = until;
  token_ = token;
  env.journal.note(Believes{resource_, token_, *belief_});
}

void Life::step_down(std::string_view why, Env& env) {
  if (!belief_) return;
  belief_.reset();
  env.journal.note(StepsDown{resource_, readable_text(why)});
}

void Life::remark(std::string_view text, std::int64_t value, Env& env) {
  env.journal.note(Annotation{readable_text(text), value});
}

bool Life::spins(MonoTime now) {
  wakes_ = std::exchange(woken_, now) == now ? wakes_ + 1 : 0;
  return wakes_ >= kMostWakes;
}

void Life::stop(Env& env) {
  end("asked to stop", env);
  // A scheduler stops before its election, which says so for both.
  if (timer_.part == Part::elector) env.journal.note(Stopped{});
}

void Life::fail(std::string_view what, Env& env) {
  env.journal.note(DesignError{readable_text(what)});
  end("its program failed", env);
}

void Life::end(std::string_view why, Env& env) {
  step_down(why, env);
  over_ = true;
  env.clock.cancel_timer(timer_);
}

std::string_view problem_of_token(bool has_tokens, std::optional<std::int64_t> token) {
  if (token && !has_tokens) return "a token needs a design with tokens = true";
  if (has_tokens && token.value_or(0) < 1)
    return "the design has tokens, so token = a whole number above 0 belongs to a belief";
  return {};
}

std::optional<Token> token_of(std::optional<std::int64_t> token) {
  return token ? std::optional(Token{1, static_cast<std::uint64_t>(*token), 0}) : std::nullopt;
}

Duration sync_time(Env& env) {
  const auto spread = static_cast<std::uint64_t>((kMostSync - kLeastSync).ns());
  return kLeastSync + Duration::nanos(static_cast<std::int64_t>(env.random.choose(spread, "disk sync")));
}

}  // namespace tenure::design
