#include "tests/judge/beliefs.h"

#include <algorithm>
#include <utility>

namespace tenure::judging {
namespace {

// The beliefs that go on, by who has them and over what.
using Lasting = std::map<std::pair<Incarnation, ResourceId>, std::size_t>;

// Ends a belief by what happens at `place`, unless its time was over before.
void end_by(Belief& belief, sim::TrueTime at, std::size_t place) {
  if (belief.end <= at) return;
  belief.end = at;
  belief.until = place;
}

void end_all_of(Incarnation who, std::vector<Belief>& all, Lasting& lasting, sim::TrueTime at,
                std::size_t place) {
  for (auto it = lasting.begin(); it != lasting.end();) {
    if (it->first.first != who) {
      ++it;
      continue;
    }
    end_by(all[it->second], at, place);
    it = lasting.erase(it);
  }
}

}  // namespace

std::vector<Belief> beliefs(const History& history) {
  std::vector<Belief> all;
  Lasting lasting;
  for (std::size_t place = 0; place < history.facts.size(); ++place) {
    const Kept& kept = history.facts[place];
    if (const auto* note = std::get_if<KeptNote>(&kept.fact)) {
      if (const auto* believes = std::get_if<Believes>(&note->note)) {
        const std::pair key{note->who, believes->resource};
        sim::TrueTime since = kept.at;
        if (const auto before = lasting.find(key); before != lasting.end()) {
          if (all[before->second].end > kept.at) since = all[before->second].leads_since;
          end_by(all[before->second], kept.at, place);
        }
        lasting[key] = all.size();
        all.push_back({note->who, believes->resource, believes->token, kept.at, std::max(note->end, kept.at),
                       place, place, note->end > kept.at ? history.facts.size() : place, since});
      } else if (const auto* down = std::get_if<StepsDown>(&note->note)) {
        const auto before = lasting.find({note->who, down->resource});
        if (before == lasting.end()) continue;
        end_by(all[before->second], kept.at, place);
        lasting.erase(before);
      }
    } else if (const auto* died = std::get_if<sim::NodeDied>(&kept.fact)) {
      end_all_of(died->who, all, lasting, kept.at, place);
    } else if (const auto* change = std::get_if<KeptClockChange>(&kept.fact)) {
      for (auto& [key, index] : lasting) {
        Belief& belief = all[index];
        if (key.first.node != change->node) continue;
        const auto known = change->ends.find(belief.declared);
        if (known == change->ends.end()) continue;  // a declaration that was forged
        const sim::TrueTime end = known->second;
        if (belief.end > kept.at && end <= kept.at) {
          end_by(belief, kept.at, place);
        } else if (belief.end > kept.at) {
          belief.end = end;
        } else if (end > kept.at) {
          Belief again = belief;
          again.begin = again.leads_since = kept.at;
          again.end = end;
          again.from = place;
          again.until = history.facts.size();
          index = all.size();
          all.push_back(again);
        }
      }
    }
  }
  return all;
}

bool lasts_at(const Belief& belief, const History& history, std::size_t place) {
  return belief.from < place && place < belief.until &&
         (history.facts[place].at < belief.end || belief.until < history.facts.size());
}

const Belief* belief_at(const std::vector<Belief>& beliefs, const History& history, Incarnation who,
                        ResourceId resource, std::size_t place) {
  for (const Belief& belief : beliefs)
    if (belief.who == who && belief.resource == resource && lasts_at(belief, history, place)) return &belief;
  return nullptr;
}

}  // namespace tenure::judging
