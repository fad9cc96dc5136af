// Protocols that users brought: in a file that a scenario names by a path from its own folder, or as a program that it
// says how to start.
//
// Thread rule: as DataFiles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/scenario.h"

namespace tenure::sim {

class DesignFiles {
 public:
  virtual ~DesignFiles() = default;
  // Whether this name of a protocol is that of a file.
  virtual bool names_one(std::string_view protocol) const = 0;

  // A protocol; or why there is none, for people. The kind lives as long as this.
  struct Found {
    const ElectorKind* kind = nullptr;
    std::string problem = {};
    std::string hint = {};
  };
  virtual Found find(std::string_view protocol, std::string_view scenario_path) const = 0;
  // The same for a program, which is started to be asked what it is. `folder`: it runs there, from the scenario's own.
  virtual Found find_program(const std::vector<std::string>& command, std::string_view folder,
                             std::string_view scenario_path) const {
    static_cast<void>(command), static_cast<void>(folder), static_cast<void>(scenario_path);
    return {nullptr, "no program is started here"};
  }
};

// The one that a scenario has already, for its own text.
class DesignOf final : public DesignFiles {
 public:
  explicit DesignOf(const Scenario& scenario) : name_(scenario.design), kind_(scenario.protocol) {}

  bool names_one(std::string_view protocol) const override { return !name_.empty() && protocol == name_; }
  Found find(std::string_view, std::string_view) const override { return {kind_}; }
  Found find_program(const std::vector<std::string>&, std::string_view, std::string_view) const override {
    return {kind_};
  }

 private:
  std::string name_;
  const ElectorKind* kind_;
};

}  // namespace tenure::sim
