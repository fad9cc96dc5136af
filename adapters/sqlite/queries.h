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
  Statement due;

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
  Statement prune_dead;

  Statement add_run;
  Statement prune_runs;
};

}  // namespace tenure::sqlite
