// Every statement that requests use, prepared once for a connection.
//
// The texts are in queries.cc, in the order of the members here; the columns are those of schema.sql.
//
// Thread rule: as Connection.
#pragma once

#include "adapters/sqlite/statement.h"

namespace tenure::sqlite {

struct Queries {
  explicit Queries(const SqliteConnection& connection);

  Statement begin_read;
  Statement begin_write;
  Statement commit;

  Statement head;  // of the store and of a resource; the resource's columns are null when there is none
  Statement save_head;

  Statement schedule;
  Statement save_schedule;
  Statement schedule_named;  // that is not deleted
  Statement largest_number;  // of any schedule that there ever was
  Statement read_named;
  Statement list_named;
  Statement segment;
  Statement segments_of;
  Statement add_segment;
  Statement close_segment;
  Statement forget_segment;
  Statement covered_until;   // by any version of a schedule
  Statement cut_segments;    // a schedule's closed segments that reach further
  Statement forget_drained;  // of a schedule
  Statement remember;        // keeps what a drained segment had covered, in the segment in force
  Statement false_begins;    // versions in force that begin in the future
  Statement draw_back;
  Statement
      advance;  // a segment over a row, if it stands where the row begins and the row does not reach its end
  Statement rules;  // of a version
  Statement due;
  Statement finished;  // schedules without a slot or an event left

  Statement exception_before;
  Statement add_exception;
  Statement extend_exception;
  Statement prune_exceptions;
  Statement exceptions;
  Statement watermarks;

  Statement definition;
  Statement add_change;
  Statement close_change;
  Statement changes;
  Statement log;
  Statement prune_changes;

  Statement payload;  // of a version
  Statement add_payload;
  Statement close_payload;
  Statement prune_payloads;

  Statement add_event;
  Statement acknowledge;
  Statement outbox;
  Statement event_version;

  Statement add_dead;  // from what is in the outbox
  Statement dead_version;
  Statement redrive;
  Statement dead;
  Statement discard;
  Statement discarded;
  Statement prune_dead;

  Statement add_run;
  Statement run;
  Statement prune_runs;

  Statement add_waiting;
  Statement waiting_event;
  Statement waiting_of;       // a schedule
  Statement count_waiting;    // of a schedule, up to two
  Statement is_first;         // no event of the schedule that is pulled has a lower number
  Statement is_kept_waiting;  // a claim stands that keeps an event of the schedule waiting (invariant 3)
  Statement waiting_number;   // the event of that number
  Statement waiting_named;    // of a kind and a topic or destination
  Statement waiting_kind;     // of a kind
  Statement timed_out;        // of a topic: attempts that have not ended, and whose claims are over
  // Candidates for a claim: their number, schedule and turn, whether they are ready, and whether an attempt has not
  // ended.
  Statement all_in_order;   // of a topic
  Statement fresh;          // that nobody has tried
  Statement first_of_next;  // the first fresh one of the next schedule that hands out one at a time
  Statement over;           // that were tried, and whose time has come
  Statement save_attempt;
  Statement count_again;
  Statement count_all_again;  // what is claimed, too
  Statement forget_waiting;
  Statement add_ended;
  Statement ended;
  Statement prune_ended;
  Statement bury;
  Statement dead_event;
  Statement outbox_depth;
  Statement waiting_depth;
  Statement ahead;
  Statement dead_depth;

  Statement add_history;
  Statement first_history;
  Statement history;
  Statement history_back;
  Statement history_of;  // a schedule
  Statement history_of_back;
  Statement prune_history;

  Statement node_by_key;
  Statement add_node;
  Statement see_node;
  Statement nodes;
  Statement prune_nodes;
};

}  // namespace tenure::sqlite
