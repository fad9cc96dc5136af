// No two incarnations believe at once that they lead.
#include <algorithm>

#include "core/model/describe.h"
#include "tests/judge/beliefs.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {

std::vector<Wrong> one_believer(const Case& run) {
  // A belief that was extended is one: the pieces touch, and say the same of who believes.
  std::vector<Belief> whole;
  for (const Belief& piece : beliefs(run.history)) {
    const auto before = std::find_if(whole.begin(), whole.end(), [&](const Belief& belief) {
      return belief.who == piece.who && belief.resource == piece.resource && belief.end == piece.begin;
    });
    if (before != whole.end())
      before->end = piece.end;
    else
      whole.push_back(piece);
  }
  std::vector<Wrong> wrongs;
  for (const Belief& a : whole)
    for (const Belief& b : whole)
      if (a.who < b.who && a.resource == b.resource && std::max(a.begin, b.begin) < std::min(a.end, b.end))
        wrongs.push_back(
            {std::max(a.begin, b.begin), describe(a.who) + " and " + describe(b.who) + " believe"});
  return wrongs;
}

}  // namespace tenure::judging
