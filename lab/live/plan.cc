#include "lab/live/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/lease/elector_kind.h"
#include "core/scheduler/scheduler_kind.h"

namespace tenure::lab {
namespace {

enum class Needs : std::uint8_t { process, wall_clock, own_instance, lease_row, network, own_server };

struct LiveFault {
  std::string_view action;
  Needs needs;
};
constexpr std::array kLiveFaults = {
    LiveFault{"kill", Needs::process},
    LiveFault{"restart", Needs::process},
    LiveFault{"stop", Needs::process},
    LiveFault{"rolling-restart", Needs::process},
    LiveFault{"crash-loop", Needs::process},
    LiveFault{"pause", Needs::process},
    LiveFault{"slow-node", Needs::process},
    LiveFault{"clock-step", Needs::wall_clock},
    LiveFault{"vm-pause", Needs::own_instance},
    LiveFault{"store-lock-held", Needs::lease_row},
    LiveFault{"partition", Needs::network},
    LiveFault{"delay", Needs::network},
    LiveFault{"loss", Needs::network},
    LiveFault{"store-down", Needs::network},
    LiveFault{"store-hang", Needs::network},
    LiveFault{"store-slow", Needs::network},
    LiveFault{"store-ack-lost", Needs::network},
    LiveFault{"store-request-lost", Needs::network},
    LiveFault{"store-session-loss", Needs::network},
    LiveFault{"store-failover", Needs::own_server},
};

// A parameter's text; empty: it has none of that name.
std::string_view text_of(const sim::FaultSetting& fault, std::string_view name) {
  for (const sim::FaultParameter& parameter : fault.parameters)
    if (parameter.name == name)
      if (const auto* text = std::get_if<std::string>(&parameter.value)) return *text;
  return {};
}

class Objections {
 public:
  Objections(const sim::Scenario& scenario, const LiveMeans& means) : scenario_(scenario), means_(means) {}

  std::vector<NotLive> take() {
    look_at_design();
    look_at_surroundings();
    for (const sim::FaultSetting& fault : scenario_.faults) look_at(fault);
    return std::move(found_);
  }

 private:
  void look_at_design() {
    if (!means_.own_instances) return;
    if (scenario_.protocol != &kFencedLease)
      object(0, {}, fmt::format("protocol `{}` runs in the simulator alone", scenario_.protocol->name),
             "give the command that runs it: tenure live FILE -- COMMAND…");
    if (scenario_.scheduler != nullptr && scenario_.scheduler != &kFencedOutbox)
      object(0, {}, fmt::format("scheduler `{}` runs in the simulator alone", scenario_.scheduler->name),
             "give the command that runs it: tenure live FILE -- COMMAND…");
  }

  void look_at_surroundings() {
    if (!scenario_.destinations.empty())
      object(0, {}, "destinations cannot be live: nothing here receives events over HTTP",
             "leave the [[destination]] tables out");
    if (!scenario_.workers.empty())
      object(0, {}, "workers cannot be live: nothing here claims events", "leave the [[worker]] tables out");
    for (const sim::ChangeSetting& change : scenario_.changes)
      if (change.action == sim::ChangeAction::backfill)
        object(0, {},
               fmt::format("the backfill of `{}` names slots of a date that is not today's",
                           change.schedule_name),
               "leave that [[change]] out");
  }

  void look_at(const sim::FaultSetting& fault) {
    const auto row = std::find_if(kLiveFaults.begin(), kLiveFaults.end(),
                                  [&](const LiveFault& each) { return each.action == fault.action; });
    const std::string& name = fault.action;
    if (row == kLiveFaults.end())
      return object(fault.line, name, fmt::format("`{}` cannot be done to real processes and stores", name),
                    "leave this fault out; `tenure run` simulates it");
    if (fault.with_election && !means_.own_instances)
      object(fault.line, name, "a command's settings cannot be changed by `with`", "leave `with` out");
    if (text_of(fault, "surge") == "yes")
      object(fault.line, "surge", "a deploy that brings up the next process first cannot be done live",
             "leave `surge` out");
    if (text_of(fault, "peers") == "instances")
      object(fault.line, name, "instances send each other nothing: there is no link to break",
             "name the store in `peers`");
    switch (row->needs) {
      case Needs::process:
      case Needs::wall_clock: return;
      case Needs::own_instance:
        if (!means_.own_instances)
          object(fault.line, name, fmt::format("`{}` needs an instance whose clock we hand in", name),
                 "leave this fault out, or run without a command");
        return;
      case Needs::lease_row:
        if (!means_.own_instances && means_.has_network)
          object(fault.line, name,
                 fmt::format("`{}` needs to know the row in which a command keeps its lease", name),
                 "leave this fault out");
        if (!means_.has_network && text_of(fault, "mode") == "share")
          object(fault.line, name, fmt::format("{} has no row locks that are shared", means_.store),
                 "use --store postgres, or mode = \"exclusive\"");
        return;
      case Needs::network:
        if (!means_.has_network)
          object(
              fault.line, name,
              fmt::format("`{}` needs a proxy of ours before the store, and {} has none", name, means_.store),
              "use --store postgres");
        return;
      case Needs::own_server:
        if (!means_.own_server)
          object(fault.line, name,
                 fmt::format("`{}` needs a server of our own, and {} is none", name, means_.store),
                 "use --store postgres");
        return;
    }
  }

  void object(int line, std::string_view subject, std::string message, std::string hint) {
    found_.push_back({line, std::string(subject), std::move(message), std::move(hint)});
  }

  const sim::Scenario& scenario_;
  const LiveMeans& means_;
  std::vector<NotLive> found_;
};

}  // namespace

std::vector<NotLive> what_cannot_be_live(const sim::Scenario& scenario, const LiveMeans& means) {
  return Objections(scenario, means).take();
}

}  // namespace tenure::lab
