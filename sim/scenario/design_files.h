// Protocols and schedulers that users brought: in a file that a scenario names by a path from its own folder; or as a
// program that it says how to start.
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
  // Whether this name of a protocol or a scheduler is that of a file.
  virtual bool names_one(std::string_view name) const = 0;

  // What the file offers, one of them or both; or why there is none, for people. Kinds live as long as this.
  struct Found {
    const ElectorKind* kind = nullptr;
    std::string problem = {};
    std::string hint = {};
    const SchedulerKind* scheduler = nullptr;
    std::vector<std::string> warnings = {};  // of what the design does, and may not mean
  };
  virtual Found find(std::string_view name, std::string_view scenario_path) const = 0;
  // The same for a program, which is started to be asked what it is. `folder`: it runs there, from the scenario's own.
  virtual Found find_program(const std::vector<std::string>& command, std::string_view folder,
                             std::string_view scenario_path) const {
    static_cast<void>(command), static_cast<void>(folder), static_cast<void>(scenario_path);
    return {nullptr, "no program is started here"};
  }

  // Why our own engine does not run this kind's schema, for people. REQUIRES: the kind makes no store.
  virtual std::string refusal_of(const StoreKind& kind) const {
    static_cast<void>(kind);
    return "there are no databases here";
  }

  // One database with the schemas of both; null, and `problem` says why.
  virtual const StoreKind* join(const StoreKind& one, const StoreKind& other, std::string& problem) const {
    static_cast<void>(one);
    static_cast<void>(other);
    problem = "there are no databases here";
    return nullptr;
  }
};

// The one that a scenario has already, for its own text.
class DesignOf final : public DesignFiles {
 public:
  explicit DesignOf(const Scenario& scenario) : scenario_(scenario) {}

  bool names_one(std::string_view name) const override {
    return !name.empty() && (name == scenario_.design || name == scenario_.scheduler_design);
  }
  Found find(std::string_view name, std::string_view) const override {
    return {name == scenario_.design ? scenario_.protocol : nullptr,
            {},
            {},
            name == scenario_.scheduler_design ? scenario_.scheduler : nullptr};
  }
  Found find_program(const std::vector<std::string>& command, std::string_view folder,
                     std::string_view) const override {
    const bool elects = command == scenario_.command && folder == scenario_.design;
    const bool schedules = command == scenario_.scheduler_command && folder == scenario_.scheduler_design;
    return {elects ? scenario_.protocol : nullptr, {}, {}, schedules ? scenario_.scheduler : nullptr};
  }
  const StoreKind* join(const StoreKind&, const StoreKind&, std::string&) const override {
    return scenario_.joint_store;
  }

 private:
  const Scenario& scenario_;
};

}  // namespace tenure::sim
