#include <algorithm>

#include "core/store/reference/segments.h"
#include "tests/judge/forge.h"
#include "tests/judge/forging.h"

namespace tenure::judging {
namespace {

constexpr auto kBegun = [](const KeptArrival& f) { return f.landing == sim::DeliveryOutcome::begun; };
// Commits of which at least one row was covered.
constexpr auto kCommits = [](const KeptApplied& f) {
  const auto* reply = as_reference<reference::Committed>(f.reply);
  return reply != nullptr &&
         std::count(reply->rows.begin(), reply->rows.end(), reference::RowResult::covered) > 0;
};

reference::CommitFires& commit_in(KeptApplied& applied) {
  return message_in<reference::CommitFires>(applied.request);
}

template <class Change>
bool change_commit(History& history, std::uint64_t draw, Change change) {
  return change_one<KeptApplied>(history, draw, kCommits,
                                 [&](KeptApplied& applied, std::size_t) { change(applied); });
}
// Of the covered rows of a commit.
template <class Change>
bool change_row(History& history, std::uint64_t draw, Change change) {
  return change_commit(history, draw, [&](KeptApplied& applied) {
    auto& results = message_in<reference::Committed>(applied.reply).rows;
    std::vector<std::size_t> covered;
    for (std::size_t i = 0; i < results.size(); ++i)
      if (results[i] == reference::RowResult::covered) covered.push_back(i);
    const std::size_t i = drawn(covered, mix64(draw, 2));
    change(commit_in(applied).rows[i], results[i]);
  });
}
template <class Change>
bool change_landing(History& history, std::uint64_t draw, Change change) {
  return change_one<KeptArrival>(history, draw, kBegun, change);
}

// What ends the work of a landing is of another incarnation, or event, as well.
void change_ending(History& history, const KeptArrival& was, const KeptArrival& is) {
  for (Kept& kept : history.facts)
    if (auto* ended = std::get_if<KeptEnding>(&kept.fact);
        ended != nullptr && ended->who == was.who && ended->item.event == was.item.event) {
      ended->who = is.who;
      ended->item.event = is.item.event;
    }
}

// ---- commits -----------------------------------------------------------------------------------------------

bool commit_again(History& history, std::uint64_t draw) {
  return change_one<KeptApplied>(history, draw, kCommits, [&](const KeptApplied&, std::size_t place) {
    Kept again = history.facts[place];
    std::get<KeptApplied>(again.fact).id.counter += 1'000'000;  // a request of its own
    put_in(history, place + 1, again);
  });
}
bool row_lost(History& history, std::uint64_t draw) {
  return change_row(history, draw, [](reference::LedgerRow&, reference::RowResult& result) {
    result = reference::RowResult::moved;
  });
}
bool slot_off_the_grid(History& history, std::uint64_t draw) {
  return change_row(history, draw, [draw](reference::LedgerRow& row, reference::RowResult&) {
    row.slot += draw % 2 == 0 ? Duration::micros(1) : -Duration::micros(1);
  });
}
// Where it covers its own slot alone it goes on to do so, and no edit's answer becomes impossible.
void cover_no_more(reference::LedgerRow& row) { row.to = reference::covered_end(row); }
bool other_disposition(History& history, std::uint64_t draw) {
  return change_row(history, draw, [draw](reference::LedgerRow& row, reference::RowResult&) {
    constexpr reference::Disposition kAll[] = {
        reference::Disposition::fired, reference::Disposition::coalesced, reference::Disposition::missed,
        reference::Disposition::paused, reference::Disposition::overlapped};
    cover_no_more(row);
    row.what = kAll[reduce(mix64(draw, 5), std::size(kAll))];
  });
}
bool other_version(History& history, std::uint64_t draw) {
  return change_row(history, draw, [draw](reference::LedgerRow& row, reference::RowResult&) {
    row.version = row.version > 1 && draw % 2 == 0 ? row.version - 1 : row.version + 1;
  });
}
bool miscounted(History& history, std::uint64_t draw) {
  return change_row(history, draw, [](reference::LedgerRow& row, reference::RowResult&) {
    cover_no_more(row);
    row.slots += 1;
  });
}
bool other_due(History& history, std::uint64_t draw) {
  return change_row(history, draw, [draw](reference::LedgerRow& row, reference::RowResult&) {
    row.due += draw % 2 == 0 ? Duration::micros(1) : -Duration::micros(1);
  });
}
bool commit_early(History& history, std::uint64_t draw) {
  return change_commit(history, draw, [draw](KeptApplied& applied) {
    const Duration before = draw % 2 == 0 ? Duration::micros(1) : Duration::seconds(1);
    applied.store_now = commit_in(applied).rows.front().due - before;
  });
}
// At the very end of the lease, as far as the last grant before it says, or just after it.
bool commit_after_the_lease(History& history, std::uint64_t draw) {
  return change_one<KeptApplied>(history, draw, kCommits, [&](KeptApplied& applied, std::size_t place) {
    for (std::size_t before = place; before-- > 0;) {
      const auto* grant = std::get_if<KeptApplied>(&history.facts[before].fact);
      const auto* granted = grant != nullptr ? as_reference<reference::Granted>(grant->reply) : nullptr;
      if (granted == nullptr) continue;
      applied.store_now = grant->store_now + granted->duration + Duration::micros(draw % 2 == 0 ? 0 : 1);
      return true;
    }
    return false;
  });
}
bool commit_under_another_token(History& history, std::uint64_t draw) {
  return change_commit(history, draw, [draw](KeptApplied& applied) {
    Token& token = commit_in(applied).token;
    token = another_token(token, draw);
  });
}
bool commit_of_another(History& history, std::uint64_t draw) {
  return change_commit(history, draw, [&](KeptApplied& applied) {
    applied.who = commit_in(applied).holder = another(history, applied.who, draw);
  });
}
bool two_versions_at_once(History& history, std::uint64_t draw) {
  const auto has_rows = [](const KeptSubmission& f) {
    const auto* commit = as_reference<reference::CommitFires>(f.submission.request);
    return commit != nullptr && !commit->rows.empty();
  };
  return change_one<KeptSubmission>(history, draw, has_rows, [](KeptSubmission& sent, std::size_t) {
    auto& rows = message_in<reference::CommitFires>(sent.submission.request).rows;
    rows.push_back(reference::LedgerRow(rows.front()));
    rows.back().version += 1;
  });
}
// A definition says something else than the leader knows.
bool another_definition(History& history, std::uint64_t draw) {
  const auto edits = [](const KeptApplied& f) {
    return as_reference<reference::PutSchedule>(f.request) != nullptr &&
           as_reference<reference::Edited>(f.reply) != nullptr;
  };
  return change_one<KeptApplied>(history, draw, edits, [draw](KeptApplied& applied, std::size_t) {
    Definition& definition = message_in<reference::PutSchedule>(applied.request).definition;
    definition.paused = definition.paused != (draw % 2 == 0);
    if (draw % 2 == 1) definition.misfire = {.max_catchup = Misfire::kNoLimit};
  });
}

// ---- work --------------------------------------------------------------------------------------------------

// Once more; or another piece of work, of somebody else.
bool work_begins_again(History& history, std::uint64_t draw) {
  return change_landing(history, draw, [&](const KeptArrival&, std::size_t place) {
    const std::size_t to = later(history, place, draw, history.facts.size());
    Kept again = again_at(history, place, to);
    auto& landing = std::get<KeptArrival>(again.fact);
    landing.store_now = again.store_now;
    if (draw % 2 == 0) {
      landing.who = another(history, landing.who, draw | 1u);
      landing.item.event.run = 1'000'000;
    }
    put_in(history, to,
           {again.at, again.store_now, KeptEnding{landing.who, landing.item, sim::Ending::done}});
    put_in(history, to, again);
  });
}
bool work_never_ends(History& history, std::uint64_t draw) { return forget_one<KeptEnding>(history, draw); }
bool work_under_another_token(History& history, std::uint64_t draw) {
  return change_landing(history, draw, [draw](KeptArrival& landing, std::size_t) {
    if (draw % 3 == 0)
      landing.item.token.reset();
    else if (landing.item.token)
      landing.item.token = another_token(*landing.item.token, draw);
  });
}
bool work_of_another(History& history, std::uint64_t draw) {
  return change_landing(history, draw, [&](KeptArrival& landing, std::size_t) {
    const KeptArrival was = landing;
    landing.who = another(history, landing.who, draw);
    change_ending(history, was, landing);
  });
}
bool work_early(History& history, std::uint64_t draw) {
  return change_landing(history, draw, [&](KeptArrival& landing, std::size_t) {
    const KeptArrival was = landing;
    landing.item.event.slot += draw % 2 == 0 ? Duration::seconds(60) : Duration::micros(1);
    change_ending(history, was, landing);
  });
}
bool release_while_working(History& history, std::uint64_t draw) {
  return change_landing(history, draw, [&](const KeptArrival& landing, std::size_t place) {
    if (!landing.item.token) return false;
    const Token token = *landing.item.token;
    const Request request = reference::Request{reference::Release{landing.item.resource, landing.who, token}};
    const auto [at, store_now, fact] = history.facts[place];
    put_in(history, place + 1,
           {at, store_now,
            KeptApplied{
                token.branch, store_now, landing.who, {}, request, reference::Reply{reference::Released{}}}});
    return true;
  });
}
// Its leader takes an event from the outbox as it asks for its work, or as that begins.
bool acknowledged_early(History& history, std::uint64_t draw) {
  auto acks = places_of<KeptSubmission>(history, [](const KeptSubmission& f) {
    return as_reference<reference::AckEvents>(f.submission.request) != nullptr;
  });
  if (acks.empty()) return false;
  auto ack = std::get<KeptSubmission>(history.facts[drawn(acks, draw)].fact);
  const auto forge = [&](const auto& work, std::size_t place) {
    ack.who = work.who;
    ack.submission.request =
        reference::Request{reference::AckEvents{work.item.resource, {{work.item.event}}}};
    put_in(history, place + 1, {history.facts[place].at, history.facts[place].store_now, ack});
  };
  return draw % 2 == 0 ? change_one<KeptWorkAsked>(history, draw, kAny, forge)
                       : change_landing(history, draw, forge);
}

constexpr Forgery kOfWork[] = {
    {"a commit is applied again", commit_again},
    {"a row is lost", row_lost},
    {"a slot off the grid", slot_off_the_grid},
    {"another disposition", other_disposition},
    {"another version", other_version},
    {"miscounted slots", miscounted},
    {"another due time", other_due},
    {"a commit too early", commit_early},
    {"a commit after the lease", commit_after_the_lease},
    {"a commit under another token", commit_under_another_token},
    {"a commit of another", commit_of_another},
    {"two versions at once", two_versions_at_once},
    {"another definition", another_definition},
    {"work begins again", work_begins_again},
    {"work never ends", work_never_ends},
    {"work under another token", work_under_another_token},
    {"work of another", work_of_another},
    {"work too early", work_early},
    {"a release while work runs", release_while_working},
    {"acknowledged early", acknowledged_early},
};

}  // namespace

std::span<const Forgery> forgeries_of_work() { return kOfWork; }

}  // namespace tenure::judging
