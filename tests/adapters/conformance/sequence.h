// One client's operations on an engine and on the machine, side by side: every reply must agree, and at the end all
// that is stored.
//
// Thread rule: one thread.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/adapters/conformance/client.h"
#include "tests/adapters/conformance/engines.h"

namespace tenure::conformance {

// Of a thousand operations each.
inline rc::Gen<std::vector<Operation>> histories() {
  const auto number = rc::gen::inRange<std::uint32_t>(0, 1'000'000);
  const auto operation = rc::gen::map(rc::gen::tuple(number, number, number), [](const auto& drawn) {
    return Operation{std::get<0>(drawn), std::get<1>(drawn), std::get<2>(drawn)};
  });
  return rc::gen::container<std::vector<Operation>>(1'000, operation);
}

// How often what was there to be compared: "Granted", "Edited", "row 0", …
using Reached = std::map<std::string, std::uint64_t>;

// nullopt: they agree; otherwise what differs, and after which request.
std::optional<std::string> difference(const Engine& engine, const std::vector<Operation>& operations,
                                      Reached* reached = nullptr);

// What operations drawn at random hardly come to, step by step: what is to be asked, so long after the step before.
struct Step {
  Duration after;
  reference::Request request;
};
std::optional<std::string> difference(const Engine& engine, const std::vector<Step>& steps,
                                      Reached* reached = nullptr);
// An event is claimed, a later slot asks for its place, and its worker gives it back, twice; another claim follows.
std::vector<Step> gives_back_what_gives_way();

}  // namespace tenure::conformance
