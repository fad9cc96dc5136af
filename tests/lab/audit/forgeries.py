"""Forged journals of real processes: how each is changed, and what the audit must say.

  forgeries.py TENURE [-o FOLDER] [NAME…]     all forgeries, or these; in FOLDER, the journals and what was said stay
  forgeries.py --planted AUDIT_WITH_MUTANTS   each planted bug hides the forgery of its name (mutants/mutants.txt)

The forger numbers and chains all lines anew. Each forgery fails by the check that is named, or something is lacking, or
the journals are refused.
"""
import pathlib
import subprocess
import sys
import tempfile

from forged import (BELIEF, GRANT, MS, SECOND, TOKEN, Forged, audited, event, is_work, more, refuse, set_all, set_in,
                    token, without)

FORGERIES = []
LACKING = "lacking"


def forgery(of, says, words=""):
    def of_function(function):
        FORGERIES.append((function.__name__, of, says, words, function))
        return function
    return of_function


def forge(name, of, says, words, change):
    FORGERIES.append((name, of, says, words, change))


# ---- beliefs and grants ----

forge("an_epoch_that_was_skipped", "own_work", "granted-as-asked", "had seen epoch",
      lambda j: more(j.nth(1, **GRANT), "epoch", 1))
forge("a_branch_of_the_store_that_went_back", "own_work", "granted-as-asked", "had told branch 7",
      lambda j: set_all((x for x in j.all() if x.get("kind") == "changes"), branch=7))
forge("a_refusal_for_want_of_a_lease_that_names_a_holder", "elections", "granted-as-asked", "somebody holds the lease",
      lambda j: set_in(next(x for x in j[0] if x.get("holder_life", 0)), why_refused="no lease"))
forge("a_commit_that_is_not_marked_as_a_leaders", "own_work", "acts-say-so", "only a leader may",
      lambda j: set_in(j.commits(0)[0], as_leader=False))
forge("a_belief_for_a_thousand_seconds", "elections", "belief-within-grant", "1000s longer",
      lambda j: more(j.nth(0, 1, **BELIEF), "until_mono", 1000 * SECOND))
forge("a_belief_for_a_microsecond_more", "elections", "belief-within-grant", "1us longer",
      lambda j: more(j.nth(1, **BELIEF), "until_mono", 1000))
forge("a_belief_without_its_guard", "own_work", "belief-within-grant", "longer than its grants allow",
      lambda j: more(j.nth(0, **BELIEF), "until_mono", 100 * MS))
forge("a_greater_guard_in_the_settings", "elections", "belief-within-grant", "longer than its grants allow",
      lambda j: j[0][0]["settings"].update({"election.guard": 101 * MS}))
forge("a_renewed_belief_that_is_longer", "kinds", "belief-within-grant", "longer than its grants allow",
      lambda j: more(j.nth(1, 2, **BELIEF), "until_mono", MS))


@forgery("elections", "belief-within-grant", "without an end")
def a_belief_without_an_end(j):
    belief = j.nth(1, **BELIEF)
    del belief["until_mono"]
    belief["open"] = True


forge("a_belief_without_a_token", "elections", "belief-within-grant", "without a token",
      lambda j: without(j.nth(1, **BELIEF), *TOKEN))


@forgery("elections", "belief-within-grant", "without a token")
def an_election_elsewhere_that_asks_for_leases_here(j):
    j[1][0]["election"] = "something else"
    without(j.nth(1, **BELIEF), *TOKEN)


forge("a_belief_before_the_answer", "elections", "belief-within-grant", "no answer had granted",
      lambda j: j.copy(j.nth(0, **BELIEF), j.nth(0, 2, kind="acquire"), MS))
forge("a_belief_after_stepping_down", "kinds", "belief-within-grant", "no answer had granted",
      lambda j: j.copy(j.nth(0, 3, **BELIEF), j.nth(0, event="steps-down")))
forge("a_belief_under_a_token_that_was_given_back", "elections", "belief-within-grant", "given back",
      lambda j: j.copy(j.nth(1, **BELIEF), j.nth(1, kind="release")))
forge("a_belief_under_another_nonce", "elections", "belief-within-grant", "no answer had granted",
      lambda j: set_in(j.nth(1, **BELIEF), nonce="7"))
forge("a_belief_under_an_earlier_epoch", "elections", "belief-within-grant", "",
      lambda j: set_in(j.nth(0, 1, **BELIEF), **token(j.nth(0, **BELIEF))))


@forgery("elections", "belief-within-grant", "no answer had granted")
def a_grant_that_is_unknown(j):
    grant = j.nth(0, **GRANT)
    without(grant, *TOKEN, "store_time_us", "position", "changed", "kind", "duration_ns")
    grant["outcome"] = "unknown"


forge("a_grant_taken_out", "elections", "belief-within-grant", "no answer had granted",
      lambda j: j.drop(j.nth(1, **GRANT)))
forge("a_renewal_taken_out", "kinds", "belief-within-grant", "longer than its grants allow",
      lambda j: j.drop(j.nth(1, 2, **GRANT)))
forge("a_renewal_that_is_refused", "kinds", "belief-within-grant", "",
      lambda j: refuse(j.nth(1, 2, **GRANT), "expired", 0))
forge("a_step_down_taken_out", "elections", "belief-within-grant", "gave back the lease that it believed in",
      lambda j: j.drop(j.nth(1, event="steps-down")))
forge("a_lease_for_longer_than_was_asked", "elections", "granted-as-asked", "had asked for 2s",
      lambda j: set_in(j.nth(0, **GRANT), duration_ns=3 * SECOND))
forge("a_renewal_under_another_token", "kinds", "granted-as-asked", "renewed",
      lambda j: set_in(j.nth(1, 3, **GRANT), nonce="7"))

# ---- acts and beliefs ----

forge("a_belief_taken_out", "elections", "acts-within-belief", "before it had believed",
      lambda j: j.drop(j.nth(1, **BELIEF)))
forge("work_under_another_token", "elections", "acts-within-belief", "while it believed to lead under",
      lambda j: more(j.nth(1, event="work"), "epoch", 1))


@forgery("elections", "acts-within-belief", "when its belief had ended")
def work_after_the_belief(j):
    belief = j.nth(0, **BELIEF)
    after = j[0][j[0].index(belief) + 1]
    piece = {"schedule": 0, "slot_us": 0, "run": "99"}
    work = j.add(after, 1950 * MS, event="work", resource=0, **piece, **token(belief), once=False)
    j.add(work, event="work-done", **piece, result="done")


def commit_again(j, **fields):
    commit = j.commits(0)[0]
    j.copy(commit, j.nth(0, event="steps-down"), request=commit["request"] + 10_000, **fields)


forge("a_commit_after_stepping_down", "kinds", "acts-within-belief", "when its belief had ended", commit_again)
forge("a_commit_after_stepping_down_that_says_it_is_no_act", "kinds", "acts-within-belief", "when its belief had ended",
      lambda j: commit_again(j, as_leader=False))

# ---- the lease ----


@forgery("elections", "granted-as-asked", "its settings say")
def a_lease_of_a_thousand_seconds(j):
    asked = j.nth(0, 2, kind="acquire")
    asked["duration_ns"] = j.answer(asked)["duration_ns"] = 1000 * SECOND
    more(j.nth(0, **BELIEF), "until_mono", 900 * SECOND)


forge("a_lease_of_nothing_in_the_settings", "elections", "granted-as-asked", "its settings say",
      lambda j: j[0][0]["settings"].update({"election.lease_duration": 0}))
forge("a_nonce_that_was_drawn_before", "elections", "lacking", "drawn before",
      lambda j: set_in(j.nth(0, 1, kind="acquire"), nonce=j.nth(0, 0, kind="acquire")["nonce"]))
forge("changes_that_the_feed_passes_over", "kinds", "lacking", "by the change feed",
      lambda j: more(j.nth(1, 0, kind="changes-since"), "from_seq", 1))


@forgery("elections", "belief-within-grant", "longer than its grants allow")
def a_guard_below_zero(j):
    j[0][0]["settings"].update({"election.guard": -1000 * SECOND, "election.max_clock_drift_ppm": -500_000})
    more(j.nth(0, **BELIEF), "until_mono", SECOND)


forge("one_epoch_for_two", "elections", "one-holder-per-epoch", "",
      lambda j: set_all((j.nth(1, **GRANT), j.nth(1, **BELIEF)), epoch=j.nth(0, **GRANT)["epoch"]))
forge("an_epoch_that_goes_back", "elections", "epochs-increase", "", lambda j: set_in(j.nth(1, **GRANT), epoch=1))
forge("a_holder_that_is_refused", "kinds", "promise-kept", "",
      lambda j: refuse(j.nth(1, 2, **GRANT), "other holder", SECOND))
forge("a_position_given_twice", "kinds", "positions-once", "",
      lambda j: set_in(j.answer(j.commits(1)[1]), position=j.answer(j.commits(1)[0])["position"]))
forge("a_life_that_goes_on_after_its_end", "elections", "life-ends-once", "",
      lambda j: j.add(j.nth(1, **GRANT), event="died", how="stopped"))

# ---- rows of the ledger ----


@forgery("own_work", "rows-allowed", "was not late")
def a_row_that_says_missed(j):
    row = j.commits(1)[3]["rows"][0]
    row["what"] = "missed"
    j.take_work_out(row)


forge("a_row_that_says_paused", "own_work", "rows-allowed", "does not allow",
      lambda j: set_in(j.commits(0)[2]["rows"][0], what="paused"))
forge("a_row_that_says_overlapped", "own_work", "rows-allowed", "does not allow",
      lambda j: set_in(j.commits(0)[2]["rows"][0], what="overlapped"))
forge("nothing_ever_fired", "own_work", "rows-allowed", "paused",
      lambda j: (set_all((row for x in j.commits() for row in x["rows"]), what="paused"), j.take_out(is_work)))


@forgery("kinds", "rows-allowed", "the store's to say")
def a_row_that_says_overlapped_where_the_store_judges(j):
    skipping = [x["schedule"] for x in j.changes() if not x.get("deleted") and x["definition"]["overlap"] == "skip"]
    j.row(lambda row: row["schedule"] in skipping)["what"] = "overlapped"


forge("a_row_that_counts_a_slot_more", "kinds", "rows-allowed", "slots",
      lambda j: more(j.row(lambda row: row["slots"] > 1), "slots", 1))


@forgery("kinds", "rows-allowed", "reaches")
def a_fire_that_reaches_over_the_next_slot(j):
    row = j.row(lambda one: one["what"] == "fired" and one["slots"] == 1 and "to_us" in one)
    row["to_us"] += row["to_us"] - row["slot_us"]


def policy(name):
    return lambda one: one["misfire"]["policy"] == name and one["misfire"]["grace_ns"] < SECOND


@forgery("kinds", "rows-allowed", "should have fired")
def a_coalesced_slot_that_is_not_the_one_to_fire(j):
    for one in j.definitions(policy("fire_once")):
        one["misfire"]["once"] = "earliest" if one["misfire"]["once"] == "latest" else "latest"


forge("a_schedule_that_skips_no_late_slots", "kinds", "rows-allowed", "does not allow",
      lambda j: set_all((one["misfire"] for one in j.definitions(policy("skip"))), policy="fire_all"))
forge("a_schedule_that_was_to_skip_late_slots", "kinds", "rows-allowed", "late slots are to be skipped",
      lambda j: set_all((x["misfire"] for x in j.definitions() if x["misfire"].get("max_catchup") == 2), policy="skip"))
forge("a_schedule_without_a_window", "kinds", "rows-allowed", "does not allow",
      lambda j: [one["misfire"].pop("catchup_ns") for one in j.definitions(lambda one: "catchup_ns" in one["misfire"])])


@forgery("kinds", "rows-allowed", "does not allow")
def a_row_of_thirty_years_of_seconds(j):
    set_all((one["cron"] for one in j.definitions(lambda one: "cron" in one)), text="* * * * * *")
    begin = next(x["begin_us"] for x in j.changes() if "cron" in x.get("definition", {}))
    years = 30 * 365 * 86_400
    commit = j.commits(1)[4]
    commit["rows"].append({"schedule": 14, "version": 1, "from_us": begin, "to_us": begin + years * 1_000_000,
                           "slot_us": begin, "due_us": begin, "what": "paused", "slots": years})
    j.answer(commit)["rows"].append("covered")


forge("a_schedule_that_was_not_paused", "kinds", "rows-allowed", "does not allow",
      lambda j: set_all(j.definitions(lambda one: one["paused"]), paused=False))


def is_pushed(one):
    return one["delivery"]["kind"] == "push"


forge("a_row_that_was_moved", "own_work", "commits-follow", "",
      lambda j: j.answer(j.commits(1)[3])["rows"].__setitem__(0, "moved"))


@forgery("own_work", "commits-follow", "are in no commit")
def a_commit_taken_out_with_its_work(j):
    commit = j.commits(1)[3]
    for row in commit["rows"]:
        j.take_work_out(row)
    j.drop(commit, j.answer(commit))


@forgery("own_work", "versions-take-turns")
def a_commit_of_two_versions(j):
    commit = j.commits(0)[2]
    commit["rows"].append(dict(commit["rows"][0], version=commit["rows"][0]["version"] + 1))
    j.answer(commit)["rows"].append("covered")


@forgery("kinds", "commits-follow", "its version begins at")
def the_first_rows_of_a_version_taken_out(j):
    until = j.row(lambda row: row["schedule"] == 1)["to_us"]
    for commit in j.commits():
        kept = [i for i, row in enumerate(commit["rows"]) if row["schedule"] != 1 or row["from_us"] >= until]
        for line in (j.answer(commit), commit):
            line["rows"] = [line["rows"][i] for i in kept]


# ---- slots ----

forge("a_slot_between_two_slots", "own_work", "no-drift", "no slot of the version",
      lambda j: more(j.commits(1)[3]["rows"][0], "slot_us", 125_000))
forge("a_due_time_that_is_earlier", "kinds", "no-drift", "as due at",
      lambda j: more(j.row(lambda row: row["due_us"] > row["slot_us"]), "due_us", -1))


@forgery("kinds", "no-drift", "as due at")
def another_seed_of_a_jitter(j):
    for one in j.definitions(lambda one: "jitter" in one):
        one["jitter"]["seed"] = type(one["jitter"]["seed"])(int(one["jitter"]["seed"]) + 1)


forge("another_period", "own_work", "no-drift", "no slot of the version",
      lambda j: [more(one["every"], "period_us", 2 * one["every"]["period_us"]) for one in j.definitions()])
forge("a_schedule_that_was_paused", "own_work", "no-drift", "while the schedule was paused",
      lambda j: set_all(j.definitions(), paused=True))
forge("a_commit_before_its_slot", "own_work", "never-early", "early",
      lambda j: more(j.answer(j.commits(0)[2]), "store_time_us", -150_000))


def overlap_all(j, schedule, first_ones=0):
    """All fires of the schedule after the first ones are said to overlap."""
    fires = 0
    for commit in (x for i in (0, 1) for x in j.commits(i)):
        for i, row in enumerate(commit["rows"]):
            if row["schedule"] == schedule and row["what"] == "fired":
                fires += 1
                if fires > first_ones:
                    j.answer(commit)["rows"][i] = "overlapped"


forge("all_slots_overlapped_by_nothing", "kinds", "overlaps-an-event", "no event of its schedule",
      lambda j: overlap_all(j, 5))
forge("all_slots_overlapped_by_one_event_though_one_may_queue", "kinds", "overlaps-an-event", "at most one event",
      lambda j: overlap_all(j, 6, 1))

# ---- work ----


@forgery("own_work", "work-was-committed", "which nobody committed")
def work_that_nobody_committed(j):
    work = j.nth(1, 58, event="work")
    j.copy(work, work, slot_us=work["slot_us"] + 125_000)




@forgery("own_work", "fires-begin", "never began")
def a_commit_that_is_unknown_and_never_began(j):
    commit = j.commits(1)[4]
    answer = j.answer(commit)
    without(answer, "store_time_us", "position", "changed", "kind", "rows")
    answer["outcome"] = "unknown"
    for row in commit["rows"]:
        j.take_work_out(row)


@forgery("own_work", "fires-begin", "never began")
def commits_that_are_all_unknown_and_never_began(j):
    for commit in j.commits(1)[4:]:
        answer = j.answer(commit)
        without(answer, "store_time_us", "position", "changed", "kind", "rows")
        answer["outcome"] = "unknown"
        for row in commit["rows"]:
            j.take_work_out(row)


forge("a_committed_fire_that_never_began", "own_work", "fires-begin", "never began",
      lambda j: j.take_work_out(j.nth(1, 3, event="work")))
forge("all_work_taken_out", "own_work", "fires-begin", "never began", lambda j: j.take_out(is_work))


def do_again(j, **fields):
    done = j.nth(1, 30, event="work-done")
    work = next(x for x in j[1] if x["event"] == "work" and event(x) == event(done))
    j.copy(done, j.copy(work, done, **fields))


forge("work_that_was_done_twice", "own_work", "no-duplicate-fire", "executed twice", do_again)
forge("work_that_was_done_twice_and_says_that_it_may_be", "own_work", "no-duplicate-fire", "executed twice",
      lambda j: do_again(j, once=False))
forge("an_acknowledgement_of_work_that_was_not_done", "own_work", "work-was-done", "had not come back",
      lambda j: j.drop(next(x for x in j[1] if x["event"] == "work-done" and
                            event(x) == event(j.nth(1, kind="ack-events")["events"][0]))))
forge("a_limit_that_was_lower", "own_work", "work-within-limit", "",
      lambda j: set_all((j[i][0]["settings"] for i in (0, 1)), **{"scheduling.max_running": 0}))


@forgery("kinds", "work-was-done", "its schedule allows")
def an_event_given_up_too_early(j):
    failed = j.nth(1, event="work-done", result="failed", run="0")
    work = j.nth(1, event="work")
    j.nth(1, kind="ack-events").update(
        kind="give-up-events", **token(work),
        events=[{**dict(zip(("schedule", "slot_us", "run"), event(failed))), "attempts": 1}])


forge("a_wait_that_was_longer", "kinds", "retry-after-honored", "had asked for",
      lambda j: [more(x, "retry_after_ns", 5 * SECOND) for x in j.all() if x.get("retry_after_ns", 0) > 0])


def retry(j):
    """A failed attempt at a slot, and the next one of the same leader."""
    for failed in (x for x in j[1] if x.get("result") == "failed" and x["run"] == "0"):
        for again in j[1][j[1].index(failed):]:
            if again["event"] == "work" and event(again) == event(failed):
                return failed, again


forge("a_retry_before_half_of_its_back_off", "kinds", "dead-or-delivered", "too early",
      lambda j: set_all((one["delivery"] for one in j.definitions(is_pushed)), back_off_ns=60 * SECOND))


@forgery("kinds", "dead-or-delivered", "after 1 attempts of 1 had failed")
def more_attempts_than_are_allowed_beside_a_replay(j):
    set_all((one["delivery"] for one in j.definitions(is_pushed)), attempts=1)
    j.nth(1, kind="end-executions")["kind"] = "redrive"


def forget_acknowledgement(j, work):
    for ack in (x for x in j[1] if x.get("kind") == "ack-events"):
        ack["events"] = [one for one in ack["events"] if event(one) != event(work)]


@forgery("kinds", "begun-in-order", "although that was not over")
def an_event_begun_before_another_in_strict_order_was_over(j):
    strict = j.nth(1, event="work-done", schedule=4, result="done")
    strict["result"] = "failed"
    forget_acknowledgement(j, strict)


@forgery("own_work", "begun-in-order", "although that was committed first")
def two_slots_begun_in_the_wrong_order(j):
    first, second = (j.nth(1, n, event="work") for n in (20, 21))
    first["slot_us"], second["slot_us"] = second["slot_us"], first["slot_us"]
    done = [x for x in j[1] if x["event"] == "work-done" and event(x) in (event(first), event(second))]
    done[0]["slot_us"], done[1]["slot_us"] = done[1]["slot_us"], done[0]["slot_us"]


def dead(j, work, attempts):
    """The acknowledgement becomes one that gives this event up."""
    ack = j.nth(1, kind="ack-events")
    answer = j.answer(ack)
    ack.update(kind="give-up-events", as_leader=True, **token(work),
               events=[{**dict(zip(("schedule", "slot_us", "run"), event(work))), "attempts": attempts}])
    answer["kind"] = "given-up"
    return answer


@forgery("kinds", "work-was-done", "although it is dead")
def a_dead_event_that_is_tried_again(j):
    failed, again = retry(j)
    j.copy(again, dead(j, again, 1), MS)


@forgery("kinds", "work-was-done", "although it is dead")
def a_dead_event_that_was_replayed_before_it_was_dead(j):
    a_dead_event_that_is_tried_again(j)
    j.nth(0, kind="trigger-schedule").update(kind="redrive")
    without(j.nth(0, kind="redrive"), "schedule", "run")


@forgery("kinds", "acts-within-belief", "when its belief had ended")
def a_give_up_after_stepping_down(j):
    down = j.nth(1, event="steps-down")
    ack = j.nth(1, kind="ack-events")
    j.copy(ack, down, kind="give-up-events", request=ack["request"] + 10_000, **token(j.nth(1, event="work")),
           events=[{**one, "attempts": 30} for one in ack["events"][:1]])


def said_of_rows(result):
    def change(j):
        for commit in j.commits(1)[4:]:
            j.answer(commit)["rows"] = [result] * len(commit["rows"])
            for row in commit["rows"]:
                piece = {**row, "run": "0"}
                j.take_work_out(row)
                forget_acknowledgement(j, piece)
    return change


forge("rows_that_were_moved_by_nobody", "own_work", "answers-agree", "covered nothing", said_of_rows("moved"))


@forgery("own_work", "answers-agree", "which were")
def rows_that_were_due_and_are_said_not_to_be(j):
    said_of_rows("not due")(j)
    set_all((j.answer(commit) for commit in j.commits(1)[4:]), changed=False)


forge("an_answer_of_another_kind", "own_work", "answers-agree", "nothing that was asked",
      lambda j: set_in(j.nth(1, kind="outbox"), kind="due"))
forge("a_position_that_went_back", "own_work", "positions-once", "had been told",
      lambda j: set_in(j.nth(1, kind="outbox"), position=0))
forge("a_release_of_a_token_that_was_not_granted", "elections", "granted-as-asked", "had not been granted that",
      lambda j: more(j.nth(0, kind="release"), "branch", 1))
forge("a_version_that_begins_at_two_times", "own_work", LACKING, "two definitions",
      lambda j: more(next(x for x in j[0] if x.get("changes"))["changes"][0], "begin_us", -1000))
forge("a_store_whose_clock_went_back_for_an_answer", "own_work", LACKING, "its clock went back",
      lambda j: set_in(j.nth(0, kind="due"), store_time_us=0))

# ---- manual runs ----


@forgery("kinds", "runs-were-asked-for", "began")
def a_run_that_nobody_asked_for(j):
    done = j.nth(1, 3, event="work-done", result="done")
    work = next(x for x in j[1] if x["event"] == "work" and event(x) == event(done))
    j.copy(done, j.copy(work, done, run="99"), run="99")


forge("a_run_that_was_made_twice", "kinds", "runs-were-asked-for", "and again",
      lambda j: j.nth(1, kind="end-executions").update(
          {key: j.nth(1, kind="backfill-schedule")[key] for key in ("kind", "schedule", "run")}))

# ---- the store's clock, its branches and its hold ----

forge("an_alarm_without_a_hold", "own_work", "held-after-alarm", "and had set no hold",
      lambda j: j.add(j.commits(1)[2], event="clock-alarm", jump_ns=60 * SECOND))


@forgery("own_work", LACKING, "with which settings")
def an_alarm_of_a_life_that_does_not_say_how_it_judges_clocks(j):
    j[1][0]["settings"].pop("scheduling.clock_tolerance")
    j.add(j.commits(1)[2], event="clock-alarm", jump_ns=60 * SECOND)


@forgery("own_work", "held-after-alarm", "its answers showed")
def a_jump_without_an_alarm(j):
    after = j[1][j[1].index(j.commits(1)[4]):]
    set_all((x for x in after if "store_time_us" in x), store_time_us=0)
    for x in after:
        if "store_time_us" in x:
            x["store_time_us"] = j.answer(j.commits(1)[3])["store_time_us"] + (x["at"] - after[0]["at"]) // 1000 + 10**7


forge("a_feed_of_a_later_branch", "kinds", "granted-as-asked", "had told branch 7",
      lambda j: set_in(j.nth(1, 2, kind="changes"), branch=7))
forge("a_feed_of_an_earlier_branch", "kinds", "granted-as-asked", "had told branch 1",
      lambda j: set_in(j.nth(1, 6, kind="changes"), branch=0))
forge("a_last_feed_of_a_later_branch", "kinds", "lacking", "was granted",
      lambda j: set_in([x for x in j[0] if x.get("kind") == "changes"][-1], branch=7))


@forgery("kinds", "none-while-held", "had set a hold")
def commits_under_a_hold(j):
    commit = j.commits(1)[4]
    asked = j.add(j[1][j[1].index(commit) - 2], event="submitted", part="scheduler", request=10_000, store=0,
                  as_leader=True, kind="set-hold", resource=0, **token(commit), text="")
    answer = j.answer(commit)
    j.add(asked, event="answered", part="scheduler", request=10_000, store=0, outcome="applied",
          store_time_us=answer["store_time_us"], position=answer["position"] - 1, changed=True, kind="hold-set",
          text="")


# ---- overlaps, workers ----


@forgery("kinds", "overlaps-an-event", "was not over")
def a_fire_beside_an_event_that_was_pushed(j):
    set_all(j.definitions(lambda one: one["delivery"].get("destination") == "crm"), overlap="skip")
    for ack in (x for x in j.all() if x.get("kind") == "ack-events"):
        ack["events"] = [one for one in ack["events"] if one["schedule"] != 3]


@forgery("kinds", "work-was-committed", "for those who pull")
def a_leader_that_works_on_what_is_pulled(j):
    done = j.nth(1, 3, event="work-done", result="done")
    work = next(x for x in j[1] if x["event"] == "work" and event(x) == event(done))
    row = j.row(lambda one: one["schedule"] == 8 and one["what"] == "fired")
    piece = {"schedule": 8, "slot_us": row["slot_us"]}
    j.copy(done, j.copy(work, done, **piece), **piece)


# ---- lines that are missing ----


def rename_life(j, old, new):
    for line in j.all():
        if (line["node"], line["life"]) == old:
            line["node"], line["life"] = new
        if (line.get("holder_node"), line.get("holder_life")) == old:
            line["holder_node"], line["holder_life"] = new


forge("a_participant_left_out", "elections", LACKING, "no journal here", lambda j: j.lines.pop("1"))
forge("two_lives_of_one_node_at_once", "elections", LACKING, "two lives at once",
      lambda j: rename_life(j, (j[1][0]["node"], j[1][0]["life"]), (j[0][0]["node"], j[1][0]["life"])))
forge("one_life_of_two_nodes", "elections", LACKING, "both have a life",
      lambda j: rename_life(j, (j[1][0]["node"], j[1][0]["life"]), (j[1][0]["node"], j[0][0]["life"])))
forge("settings_taken_out_of_an_election", "elections", LACKING, "which settings it has",
      lambda j: j[0][0]["settings"].pop("election.guard"))
forge("settings_taken_out_of_a_scheduler", "kinds", LACKING, "which settings it has",
      lambda j: j[0][0]["settings"].pop("scheduling.max_running"))
forge("a_batch_that_was_smaller", "kinds", LACKING, "scheduling.batch",
      lambda j: set_all((j[i][0]["settings"] for i in (0, 1)), **{"scheduling.batch": 1}))
forge("a_batch_that_is_not_told", "kinds", LACKING, "which settings it has",
      lambda j: j[0][0]["settings"].pop("scheduling.batch"))
forge("two_edits_whose_numbers_are_exchanged", "kinds", LACKING, "one of them is not true",
      lambda j: (set_in(j.nth(1, 0, event="client"), change_seq=2), set_in(j.nth(1, 1, event="client"), change_seq=1)))


def slowed(line, by=5):
    """All that is a time, so that a leader leads for long enough."""
    for key, value in line.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                slowed(one)
        is_time = key.endswith(("_us", "_ns", "_mono")) or key in ("at", "mono") or "." in key
        if isinstance(value, int) and is_time and (value >= MS or key.endswith("_us")):
            line[key] = value * by
        elif key == "times_us":
            line[key] = [one * by for one in value]


@forgery("own_work", LACKING, "did not begin")
def work_that_failed_and_never_began_again(j):
    set_all((j[i][0]["settings"] for i in (0, 1)), **{"scheduling.work_retry": 100 * MS})
    for line in j.all():
        slowed(line)
    work = j.nth(1, 5, event="work-done")
    work["result"] = "failed"
    forget_acknowledgement(j, work)


@forgery("kinds", LACKING, "did not begin")
def a_push_that_failed_and_was_never_sent_again(j):
    failed = j.nth(1, event="work-done", schedule=3, result="failed")
    works = [x for x in j[1] if is_work(x) and event(x) == event(failed)]
    j.drop(*works[works.index(failed) + 1:])


@forgery("own_work", LACKING, "of slots that were due")
def a_schedule_that_never_fires_and_is_deleted(j):
    for line in j.all():
        slowed(line)
    feeds = [x for i in (0, 1) for x in j[i] if x.get("kind") == "changes"]
    first = next(x for x in feeds if x["changes"])["changes"][0]
    silent = {**first, "schedule": first["schedule"] + 1, "seq": first["seq"] + 1}
    for i in (0, 1):
        told = [x for x in j[i] if x.get("kind") == "changes" and x["changes"]][0]
        told["changes"] = told["changes"] + [silent]
    for ask in (x for x in j.all() if x.get("kind") == "changes-since" and x["from_seq"] == first["seq"]):
        ask["from_seq"] = silent["seq"]
    last = [x for x in j[1] if x.get("kind") == "changes"][-1]
    gone = {"seq": silent["seq"] + 1, "schedule": silent["schedule"], "version": silent["version"],
            "begin_us": last["store_time_us"], "cursor_us": last["store_time_us"], "deleted": True}
    last["changes"] = last["changes"] + [gone]


@forgery("kinds", LACKING, "told by no journal")
def an_unknown_request_long_before_a_missing_change(j):
    for late in (x for x in j[1] if x.get("position", 0) > 50):
        late["position"] += 1
    asked = [x for x in j[0] if x.get("kind") == "read-outbox"][-1]
    answer = j.answer(asked)
    asked.update(kind="renew", part="elector", duration_ns=3 * SECOND, **token(j.nth(0, event="work")))
    without(answer, "store_time_us", "position", "changed", "kind")
    answer.update(outcome="unknown", part="elector")


forge("a_beginning_taken_out", "elections", LACKING, "does not say that it began", lambda j: j.drop(j[2][0]))
forge("a_refusal_taken_out", "elections", LACKING, "no answer", lambda j: j.drop(j.nth(0, kind="refused")))
forge("the_epoch_that_it_saw_taken_out", "elections", LACKING, "no answer told it",
      lambda j: j.drop(j.nth(0, 2, kind="refused")))
forge("the_answer_to_a_release_taken_out", "elections", LACKING, "no answer",
      lambda j: j.drop(j.nth(1, kind="released")))
forge("a_step_down_taken_out_before_an_acquire", "elections", LACKING, "stepped down",
      lambda j: j.drop(j.nth(0, event="steps-down")))
forge("a_belief_taken_out_that_nothing_rests_on", "kinds", LACKING, "does not say that it believes",
      lambda j: j.drop(j.nth(0, 1, **BELIEF)))
forge("a_stop_taken_out", "elections", LACKING, "does not say that it had stopped",
      lambda j: j.drop(j.nth(0, event="stopped")))
forge("an_end_of_work_taken_out", "elections", LACKING, "did not end", lambda j: j.drop(j.nth(0, event="work-done")))
forge("an_answer_to_a_read_taken_out", "own_work", LACKING, "no answer", lambda j: j.drop(j.nth(1, kind="due")))


@forgery("elections", LACKING, "by the numbers of the others")
def a_refused_request_taken_out(j):
    refused = j.nth(0, 1, kind="refused")
    j.drop(j[0][j[0].index(refused) - 1], refused)


forge("a_change_of_a_client_taken_out", "kinds", LACKING, "told by no journal",
      lambda j: j.drop(j.nth(1, 11, event="client")))


@forgery("own_work", LACKING, "refused as stale")
def work_that_was_refused_as_stale(j):
    work = [x for x in j[1] if x["event"] == "work-done"][-1]
    work["result"] = "fenced"
    forget_acknowledgement(j, work)


forge("a_definition_taken_out", "own_work", LACKING, "name versions",
      lambda j: [x["changes"].clear() for x in j.all() if x.get("kind") == "changes"])
forge("a_definition_that_is_told_in_two_ways", "own_work", LACKING, "two definitions",
      lambda j: set_in(next(x for x in j[0] if x.get("changes"))["changes"][0]["definition"], paused=True))
forge("a_store_that_one_does_not_name", "kinds", LACKING, "does not say which store answered it",
      lambda j: j.drop(j.nth(1, event="store")))
forge("a_tail_cut_off", "own_work", LACKING, "", lambda j: j.drop(*j[0][j[0].index(j.commits(0)[4]):]))

# ---- what makes no sense ----

REFUSED = "refused"
forge("a_request_taken_out", "elections", REFUSED, "never submitted", lambda j: j.drop(j.nth(0, kind="acquire")))
forge("an_answer_of_another_store", "elections", REFUSED, "another store than the one that was asked",
      lambda j: set_in(j.nth(0, kind="refused"), store=1))
forge("committed_rows_that_were_not_asked_for", "own_work", REFUSED, "other rows than were asked for",
      lambda j: j.answer(j.commits(1)[3])["rows"].append("covered"))
forge("a_clock_that_goes_back", "elections", REFUSED, "`mono` goes back",
      lambda j: more(j.nth(1, kind="release"), "mono", -3 * SECOND))
forge("commits_to_another_store", "own_work", REFUSED, "this asks another store than 0",
      lambda j: [line.update(store=1) for line in j[1] if line.get("part") == "scheduler"])
forge("a_journal_of_another_store", "kinds", REFUSED, "another store",
      lambda j: set_in(j.nth(1, event="store"), identity="0" * 32))


def is_said(says, words, status, said):
    if says == REFUSED:
        return status not in (0, 1, 2) and words in said
    label = f"  {LACKING} " if says == LACKING else f"{says}: "
    lines = [line for line in said.splitlines() if label in line and words in line]
    return lines and status == (2 if says == LACKING else 1)


def audit_of(command, name, folder):
    """What the audit says of the forgery, and whether that is what it must say."""
    _, of, says, words, change = next(one for one in FORGERIES if one[0] == name)
    journals = Forged(of)
    change(journals)
    journals.number_anew()
    journals.chain_anew()
    status, said = audited(command, journals.write(f"{folder}/{name}"))
    return said, None if is_said(says, words, status, said) else f"{says} {words!r} expected, {status} came"


def not_needed(program):
    """The rules without which the forgeries of their names are found all the same."""
    planted = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    with tempfile.TemporaryDirectory() as folder:
        def is_found(bug, name):
            return not audit_of([program, bug], name.replace("-", "_"), f"{folder}/{bug}")[1]
        return [one for one in planted if is_found(one, one) or not is_found("none", one)]


def main():
    tenure, *names = sys.argv[1:]
    if tenure == "--planted":
        survivors = not_needed(*names)
        sys.exit("\n".join(f"NOT NOTICED {name}" for name in survivors) or 0)
    folder = None
    if names[:1] == ["-o"]:
        folder = pathlib.Path(names[1])
        names = names[2:]
    missed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for name, *_ in FORGERIES:
            if names and name not in names:
                continue
            said, wrong = audit_of([tenure], name, folder or temporary)
            if folder:
                (folder / f"{name}.said").write_text(said)
            if wrong:
                missed += 1
                print(f"MISSED {name}: {wrong}:\n{said}")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
