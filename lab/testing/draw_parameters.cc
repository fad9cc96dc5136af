// Parameters of a protocol, drawn from its own table.
#include <algorithm>

#include "core/base/int128.h"
#include "format/parse/tail.h"
#include "lab/hunt/simplify_definition.h"
#include "lab/hunt/swarm.h"
#include "lab/testing/draws.h"

namespace tenure::testing {
namespace {

constexpr std::uint64_t kTries = 300;
constexpr Duration kLargestDraw = Duration::minutes(1);

// A power of two times the value, from a sixteenth to sixteen times.
std::int64_t scaled(std::int64_t value, sim::KeyedRng rng) {
  const auto power = rng.between(-4, 4);
  return power < 0 ? value >> -power : mul_div_floor(value, std::int64_t{1} << power, 1);
}

std::int64_t draw_value(const ParameterSpec& spec, sim::KeyedRng rng) {
  std::int64_t value = 0;
  switch (spec.type) {
    case ParameterSpec::Type::duration: {
      const Duration milli = Duration::millis(1);
      value = spec.default_value != 0 ? scaled(spec.default_value, rng)
                                      : lab::draw_magnitude(rng, milli, kLargestDraw).ns();
      value = milli.ns() * (value / milli.ns());
      break;
    }
    case ParameterSpec::Type::count:
    case ParameterSpec::Type::ppm:
      value = spec.default_value != 0 ? scaled(spec.default_value, rng) : rng.between(0, 10);
      break;
    case ParameterSpec::Type::choice: value = rng.between(spec.min, spec.max); break;
    case ParameterSpec::Type::boolean: value = 1 - spec.default_value; break;
  }
  return std::clamp(value, spec.min, spec.max);
}

Parameters draw_any(const ElectorKind& protocol, sim::KeyedRng rng) {
  const std::span<const ParameterSpec> specs = protocol.parameters();
  Parameters parameters(specs);
  // All times together, as somebody would who wants everything quicker, and then one or the other apart.
  const auto power = rng.of("all").between(-3, 3);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const ParameterSpec& spec = specs[i];
    const auto index = static_cast<int>(i);
    if (spec.type == ParameterSpec::Type::duration)
      parameters.set(index, std::clamp(power < 0 ? spec.default_value >> -power : spec.default_value << power,
                                       spec.min, spec.max));
    if (rng.of("apart").of(i).below(3) == 0) parameters.set(index, draw_value(spec, rng.of(spec.name)));
  }
  return parameters;
}

}  // namespace

std::optional<Safety> safety_of(const ElectorKind& protocol, const Parameters& parameters) {
  const std::vector<Complaint> complaints = protocol.validate(parameters);
  const auto ill_formed = [](const Complaint& complaint) { return complaint.accept.empty(); };
  if (std::any_of(complaints.begin(), complaints.end(), ill_formed)) return std::nullopt;
  return complaints.empty() ? Safety::safe : Safety::unsafe;
}

std::optional<Parameters> draw_parameters(const ElectorKind& protocol, Safety safety, sim::KeyedRng rng) {
  for (std::uint64_t attempt = 0; attempt < kTries; ++attempt) {
    Parameters drawn = draw_any(protocol, rng.of(attempt));
    if (safety_of(protocol, drawn) == safety) return drawn;
  }
  return std::nullopt;
}

std::vector<Parameters> plainer_parameters(const Parameters& parameters) {
  std::vector<Parameters> plainer;
  for (std::size_t i = 0; i < parameters.specs().size(); ++i) {
    const ParameterSpec& spec = parameters.specs()[i];
    const auto index = static_cast<int>(i);
    const std::int64_t value = parameters.value(index);
    if (value == spec.default_value) continue;
    const auto add = [&](std::int64_t plain) {
      plainer.push_back(parameters);
      plainer.back().set(index, plain);
    };
    add(spec.default_value);
    if (spec.type != ParameterSpec::Type::duration) continue;
    for (const Duration rounded : lab::rounder(Duration::nanos(value)))
      if (rounded.ns() >= spec.min) add(rounded.ns());
  }
  return plainer;
}

void put_election(sim::Scenario& scenario, const Parameters& parameters) {
  for (sim::InstanceSetting& instance : scenario.instances) instance.election = parameters;
  scenario.tail = std::max(scenario.tail, format::needed_tail(scenario));
  scenario.accepted.clear();
  for (const Complaint& complaint : scenario.protocol->validate(parameters))
    if (std::find(scenario.accepted.begin(), scenario.accepted.end(), complaint.accept) ==
        scenario.accepted.end())
      scenario.accepted.emplace_back(complaint.accept);
}

}  // namespace tenure::testing
