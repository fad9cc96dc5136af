#include "adapters/sqlite/queries.h"

#include <string>

namespace tenure::sqlite {
namespace {

// The begins of statements that read the same columns.
const std::string kReadWaiting =
    "SELECT seq, slot_us, schedule, run, version, name, delivery, at_us, attempt, nonce, claimed, cancelled, "
    "from_us, until_us, worker, why, released FROM tenure_waiting ";
const std::string kWaiting = kReadWaiting + "WHERE resource = ?1 ";
const std::string kHistory =
    "SELECT seq, schedule, version, what, slot_us, run, from_us, to_us, slots, at_us FROM tenure_history "
    "WHERE resource = ?1 ";

}  // namespace

Queries::Queries(const SqliteConnection& c)
    : begin_read(c, "BEGIN"),
      // Locks first: whoever writes has the database for himself before anything is read, the clock included.
      begin_write(c, "BEGIN IMMEDIATE"),
      commit(c, "COMMIT"),

      head(c,
           "SELECT m.schema_version, m.branch, r.commits, r.holder_node, r.holder_life, r.epoch, r.nonce, "
           "r.branch, "
           "r.written_us, r.expires_us, r.change_seq, r.outbox_seq, r.history_seq, r.next_node, "
           "r.attempts_us, r.clients_events, r.boot, r.booted_us, r.seen_us, "
           "r.hold_since_us, r.hold_jump_ns "
           "FROM tenure_meta m LEFT JOIN tenure_resource r ON r.resource = ?1"),
      save_head(
          c,
          "INSERT INTO tenure_resource (resource, commits, holder_node, holder_life, epoch, nonce, branch, "
          "written_us, expires_us, change_seq, outbox_seq, hold_since_us, hold_jump_ns, history_seq, "
          "next_node, "
          "attempts_us, clients_events, boot, booted_us, seen_us) "
          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, "
          "?20) "
          "ON CONFLICT (resource) DO UPDATE SET commits = ?2, holder_node = ?3, holder_life = ?4, epoch = "
          "?5, "
          "nonce = ?6, branch = ?7, written_us = ?8, expires_us = ?9, change_seq = ?10, outbox_seq = ?11, "
          "hold_since_us = ?12, hold_jump_ns = ?13, history_seq = ?14, next_node = ?15, attempts_us = ?16, "
          "clients_events = ?17, boot = ?18, booted_us = ?19, seen_us = ?20"),

      schedule(c,
               "SELECT version, change_seq, since_us, deleted, name, pause_actor, pause_why, pause_us "
               "FROM tenure_schedule WHERE resource = ?1 AND schedule = ?2"),
      save_schedule(
          c,
          "INSERT INTO tenure_schedule (resource, schedule, version, change_seq, since_us, deleted, name, "
          "pause_actor, pause_why, pause_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6, nullif(?7, ''), ?8, ?9, ?10) "
          "ON CONFLICT (resource, schedule) DO UPDATE SET version = ?3, change_seq = ?4, since_us = ?5, "
          "deleted = ?6, pause_actor = ?8, pause_why = ?9, pause_us = ?10"),
      schedule_named(c,
                     "SELECT schedule FROM tenure_schedule WHERE resource = ?1 AND deleted = 0 "
                     "AND coalesce(name, CAST(schedule AS TEXT)) = ?2"),
      largest_number(c, "SELECT max(schedule) FROM tenure_schedule WHERE resource = ?1"),
      read_named(
          c,
          "SELECT coalesce(s.name, CAST(s.schedule AS TEXT)), s.schedule, s.version, s.since_us, "
          "s.pause_actor, s.pause_why, s.pause_us, max(g.begin_us, g.covered_us), d.definition "
          "FROM tenure_schedule s JOIN tenure_change d ON d.resource = s.resource AND d.seq = s.change_seq "
          "JOIN tenure_segment g ON g.resource = s.resource AND g.schedule = s.schedule AND g.version = "
          "s.version "
          "WHERE s.resource = ?1 AND s.deleted = 0 AND coalesce(s.name, CAST(s.schedule AS TEXT)) = ?2"),
      list_named(
          c,
          "SELECT coalesce(s.name, CAST(s.schedule AS TEXT)), s.schedule, s.version, s.since_us, "
          "s.pause_actor, s.pause_why, s.pause_us, max(g.begin_us, g.covered_us), d.definition "
          "FROM tenure_schedule s JOIN tenure_change d ON d.resource = s.resource AND d.seq = s.change_seq "
          "JOIN tenure_segment g ON g.resource = s.resource AND g.schedule = s.schedule AND g.version = "
          "s.version "
          "WHERE s.resource = ?1 AND s.deleted = 0 AND coalesce(s.name, CAST(s.schedule AS TEXT)) > ?2 "
          "ORDER BY coalesce(s.name, CAST(s.schedule AS TEXT)) LIMIT ?3"),
      segment(
          c,
          "SELECT schedule, version, begin_us, end_us, cursor_us, covered_us, delivery FROM tenure_segment "
          "WHERE resource = ?1 AND schedule = ?2 AND version = ?3"),
      segments_of(c,
                  "SELECT schedule, version, begin_us, end_us, cursor_us FROM tenure_segment "
                  "WHERE resource = ?1 AND schedule = ?2 ORDER BY version"),
      add_segment(
          c,
          "INSERT INTO tenure_segment (resource, schedule, version, begin_us, end_us, cursor_us, covered_us, "
          "delivery) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, nullif(?8, ''))"),
      close_segment(
          c, "UPDATE tenure_segment SET end_us = ?4 WHERE resource = ?1 AND schedule = ?2 AND version = ?3"),
      forget_segment(c, "DELETE FROM tenure_segment WHERE resource = ?1 AND schedule = ?2 AND version = ?3"),
      covered_until(c,
                    "SELECT max(covered_us) FROM tenure_segment WHERE resource = ?1 AND schedule = ?2 HAVING "
                    "count(*) > 0"),
      cut_segments(
          c,
          "UPDATE tenure_segment SET end_us = ?3 WHERE resource = ?1 AND schedule = ?2 AND end_us > ?3 "
          "AND end_us <> ?4"),
      forget_drained(
          c,
          "DELETE FROM tenure_segment WHERE resource = ?1 AND schedule = ?2 AND cursor_us >= end_us "
          "AND end_us <> ?3"),
      remember(
          c,
          "UPDATE tenure_segment SET covered_us = max(covered_us, ?3) WHERE resource = ?1 AND schedule = ?2 "
          "AND end_us = ?4"),
      false_begins(
          c,
          "SELECT schedule, version, begin_us FROM tenure_segment WHERE resource = ?1 AND begin_us > ?2 "
          "AND end_us = ?3 ORDER BY schedule"),
      draw_back(
          c,
          "UPDATE tenure_segment SET begin_us = ?4, cursor_us = ?4, covered_us = ?5 WHERE resource = ?1 "
          "AND schedule = ?2 AND version = ?3"),
      advance(
          c,
          "UPDATE tenure_segment SET cursor_us = ?5, covered_us = ?6 WHERE resource = ?1 AND schedule = ?2 "
          "AND version = ?3 AND cursor_us = ?4 AND (end_us > ?5 OR (end_us = ?5 AND ?5 = ?7)) "
          "RETURNING delivery"),
      rules(c, "SELECT delivery FROM tenure_segment WHERE resource = ?1 AND schedule = ?2 AND version = ?3"),
      due(c,
          "SELECT schedule, version, begin_us, end_us, cursor_us FROM tenure_segment WHERE resource = ?1 "
          "AND cursor_us < ?2 AND (cursor_us, schedule, version) > (?3, ?4, ?5) "
          "ORDER BY cursor_us, schedule, version LIMIT ?6"),
      finished(
          c,
          "SELECT g.schedule FROM tenure_segment g WHERE g.resource = ?1 AND g.cursor_us = 9223372036854775 "
          "AND g.end_us = 9223372036854775 AND max(g.begin_us, g.covered_us) <= ?2 "
          "AND NOT EXISTS (SELECT 1 FROM tenure_segment o WHERE o.resource = ?1 AND o.schedule = g.schedule "
          "AND o.version <> g.version) "
          "AND NOT EXISTS (SELECT 1 FROM tenure_waiting w WHERE w.resource = ?1 AND w.schedule = g.schedule) "
          "AND g.schedule NOT IN (SELECT schedule FROM tenure_outbox WHERE resource = ?1) "
          "ORDER BY max(g.begin_us, g.covered_us), g.schedule LIMIT ?3"),

      exception_before(c,
                       "SELECT from_us, to_us, slot_us, what FROM tenure_exception WHERE resource = ?1 "
                       "AND schedule = ?2 AND version = ?3 AND from_us <= ?4 ORDER BY from_us DESC LIMIT 1"),
      add_exception(
          c,
          "INSERT INTO tenure_exception (resource, schedule, version, from_us, to_us, slot_us, what) "
          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"),
      extend_exception(
          c,
          "UPDATE tenure_exception SET to_us = ?5 WHERE resource = ?1 AND schedule = ?2 AND version = ?3 "
          "AND from_us = ?4"),
      prune_exceptions(
          c,
          "DELETE FROM tenure_exception WHERE resource = ?1 AND (schedule, version, from_us) IN "
          "(SELECT schedule, version, from_us FROM tenure_exception WHERE resource = ?1 AND to_us <= ?2 "
          "ORDER BY to_us, schedule, version, from_us LIMIT ?3)"),
      exceptions(
          c,
          "SELECT schedule, version, from_us, to_us, slot_us, what FROM tenure_exception WHERE resource = ?1 "
          "ORDER BY schedule, version, from_us"),
      watermarks(
          c,
          "SELECT schedule, version, begin_us, end_us, cursor_us FROM tenure_segment WHERE resource = ?1 "
          "ORDER BY schedule, version"),

      definition(c, "SELECT definition FROM tenure_change WHERE resource = ?1 AND seq = ?2"),
      add_change(c,
                 "INSERT INTO tenure_change (resource, seq, schedule, version, begin_us, end_us, cursor_us, "
                 "deleted, ended_us, definition, what, actor, why) "
                 "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?6, ?9, ?10, ?11, ?12)"),
      close_change(c, "UPDATE tenure_change SET ended_us = ?3 WHERE resource = ?1 AND seq = ?2"),
      changes(c,
              "SELECT schedule, version, begin_us, end_us, cursor_us, seq, deleted, definition FROM "
              "tenure_change "
              "WHERE resource = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3"),
      log(c,
          "SELECT x.seq, coalesce(s.name, CAST(s.schedule AS TEXT)), x.schedule, x.version, x.deleted, "
          "x.what, "
          "x.actor, x.why, x.begin_us FROM tenure_change x JOIN tenure_schedule s ON s.resource = x.resource "
          "AND s.schedule = x.schedule WHERE x.resource = ?1 AND x.seq > ?2 ORDER BY x.seq LIMIT ?3"),
      prune_changes(
          c,
          "DELETE FROM tenure_change WHERE resource = ?1 AND seq IN "
          "(SELECT c.seq FROM tenure_change c WHERE c.resource = ?1 AND c.ended_us <= ?2 AND c.seq <> ?3 "
          "AND NOT EXISTS (SELECT 1 FROM tenure_segment s WHERE s.resource = ?1 "
          "AND s.schedule = c.schedule AND s.version = c.version) ORDER BY c.ended_us, c.seq LIMIT ?4)"),

      payload(c,
              "SELECT last, topic, type, data, labels, description FROM tenure_payload WHERE resource = ?1 "
              "AND schedule = ?2 AND version <= ?3 ORDER BY version DESC LIMIT 1"),
      add_payload(c,
                  "INSERT INTO tenure_payload (resource, schedule, version, topic, type, data, labels, "
                  "description) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"),
      close_payload(
          c,
          "UPDATE tenure_payload SET last = ?3, ended_us = ?4 WHERE resource = ?1 AND schedule = ?2 "
          "AND last = 4294967295"),
      // Schedules without any event are sorted out first, at one look into the outbox.
      prune_payloads(
          c,
          "DELETE FROM tenure_payload WHERE rowid IN (SELECT p.rowid FROM tenure_payload p "
          "WHERE p.resource = ?1 AND p.last < 4294967295 AND p.ended_us <= ?2 "
          "AND NOT EXISTS (SELECT 1 FROM tenure_segment s WHERE s.resource = ?1 AND s.schedule = p.schedule "
          "AND s.version BETWEEN p.version AND p.last) "
          "AND (p.schedule NOT IN (SELECT schedule FROM tenure_outbox WHERE resource = ?1) OR NOT EXISTS "
          "(SELECT 1 FROM tenure_outbox o WHERE o.resource = ?1 AND o.schedule = p.schedule "
          "AND o.version BETWEEN p.version AND p.last)) "
          "AND NOT EXISTS (SELECT 1 FROM tenure_waiting w WHERE w.resource = ?1 AND w.schedule = p.schedule "
          "AND w.version BETWEEN p.version AND p.last) "
          "AND (p.schedule NOT IN (SELECT schedule FROM tenure_dead WHERE resource = ?1) OR NOT EXISTS "
          "(SELECT 1 FROM tenure_dead d WHERE d.resource = ?1 AND d.schedule = p.schedule "
          "AND d.version BETWEEN p.version AND p.last)) "
          "ORDER BY p.ended_us, p.schedule, p.version LIMIT ?3)"),

      add_event(c,
                "INSERT INTO tenure_outbox (resource, seq, slot_us, schedule, run, version, at_us) "
                "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) "
                "ON CONFLICT (resource, slot_us, schedule, run) DO NOTHING"),
      acknowledge(
          c, "DELETE FROM tenure_outbox WHERE resource = ?1 AND slot_us = ?2 AND schedule = ?3 AND run = ?4"),
      outbox(c,
             "SELECT seq, schedule, slot_us, run FROM tenure_outbox WHERE resource = ?1 AND seq > ?2 "
             "ORDER BY seq LIMIT ?3"),
      event_version(
          c,
          "SELECT version FROM tenure_outbox WHERE resource = ?1 AND slot_us = ?2 AND schedule = ?3 "
          "AND run = ?4"),

      add_dead(
          c,
          "INSERT INTO tenure_dead (resource, seq, slot_us, schedule, run, attempts, since_us, version, why) "
          "SELECT resource, seq, slot_us, schedule, run, ?5, ?6, version, ?7 FROM tenure_outbox "
          "WHERE resource = ?1 AND slot_us = ?2 AND schedule = ?3 AND run = ?4"),
      dead_version(
          c,
          "SELECT max(version) FROM tenure_dead WHERE resource = ?1 AND slot_us = ?2 AND schedule = ?3 "
          "AND run = ?4 HAVING count(*) > 0"),
      redrive(c,
              "DELETE FROM tenure_dead WHERE resource = ?1 AND slot_us = ?2 AND schedule = ?3 AND run = ?4"),
      dead(c,
           "SELECT seq, schedule, slot_us, run, attempts, since_us, why FROM tenure_dead WHERE resource = ?1 "
           "AND seq > ?2 AND discarded_us IS NULL ORDER BY seq LIMIT ?3"),
      discard(c,
              "UPDATE tenure_dead SET discarded_us = ?5, discarded_by = ?6 WHERE resource = ?1 AND slot_us = "
              "?2 AND schedule = ?3 AND run = ?4 AND discarded_us IS NULL"),
      discarded(c,
                "SELECT seq, schedule, slot_us, run, attempts, since_us, why, discarded_by, discarded_us "
                "FROM tenure_dead WHERE resource = ?1 AND seq > ?2 AND discarded_us IS NOT NULL "
                "ORDER BY seq LIMIT ?3"),
      prune_dead(c,
                 "DELETE FROM tenure_dead WHERE resource = ?1 AND seq IN "
                 "(SELECT seq FROM tenure_dead WHERE resource = ?1 AND since_us <= ?2 "
                 "ORDER BY since_us, seq LIMIT ?3)"),

      add_run(c,
              "INSERT INTO tenure_run (resource, schedule, run, asked_us, at_us, digest) "
              "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (resource, schedule, run) DO NOTHING"),
      run(c, "SELECT digest, at_us FROM tenure_run WHERE resource = ?1 AND schedule = ?2 AND run = ?3"),
      prune_runs(c,
                 "DELETE FROM tenure_run WHERE resource = ?1 AND (schedule, run) IN "
                 "(SELECT schedule, run FROM tenure_run WHERE resource = ?1 AND asked_us < ?2 "
                 "ORDER BY asked_us, schedule, run < 0, run LIMIT ?3)"),

      add_waiting(c,
                  "INSERT INTO tenure_waiting (resource, seq, slot_us, schedule, run, version, kind, name, "
                  "delivery, at_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) "
                  "ON CONFLICT (resource, slot_us, schedule, run) DO NOTHING"),
      waiting_event(c, (kWaiting + "AND slot_us = ?2 AND schedule = ?3 AND run = ?4").c_str()),
      waiting_of(c, (kWaiting + "AND schedule = ?2 ORDER BY seq").c_str()),
      count_waiting(
          c,
          "SELECT count(*) FROM (SELECT 1 FROM tenure_waiting WHERE resource = ?1 AND schedule = ?2 "
          "LIMIT 2)"),
      is_first(c,
               "SELECT NOT EXISTS (SELECT 1 FROM tenure_waiting INDEXED BY tenure_waiting_schedule "
               "WHERE resource = ?1 AND schedule = ?2 AND kind = 1 AND seq < ?3)"),
      is_kept_waiting(c,
                      "SELECT EXISTS (SELECT 1 FROM tenure_waiting INDEXED BY tenure_waiting_at_work "
                      "WHERE resource = ?1 AND schedule = ?2 AND claimed AND (?3 OR until_us > ?4) "
                      "AND (seq < ?5 OR turn > 0))"),
      waiting_number(c, (kWaiting + "AND seq = ?2").c_str()),
      waiting_named(c, (kWaiting + "AND kind = ?2 AND name = ?3 AND seq > ?4 ORDER BY seq LIMIT ?5").c_str()),
      waiting_kind(
          c, (kReadWaiting + "INDEXED BY tenure_waiting_kind WHERE resource = ?1 AND kind = ?2 AND seq > ?3 "
                             "ORDER BY seq LIMIT ?4")
                 .c_str()),
      timed_out(c, (kReadWaiting +
                    "INDEXED BY tenure_waiting_tried WHERE resource = ?1 AND name = ?2 AND attempt > 0 "
                    "AND claimed = 1 AND NOT ?3 AND until_us <= ?4 ORDER BY seq")
                       .c_str()),
      all_in_order(
          c,
          "SELECT seq, schedule, turn, attempt = 0 OR (until_us <= ?4 AND NOT (claimed AND ?3)), claimed "
          "FROM tenure_waiting INDEXED BY tenure_waiting_name "
          "WHERE resource = ?1 AND kind = 1 AND name = ?2 ORDER BY seq LIMIT ?5"),
      fresh(c,
            "SELECT seq, schedule, turn, 1, 0 FROM tenure_waiting INDEXED BY tenure_waiting_fresh "
            "WHERE resource = ?1 AND kind = 1 AND attempt = 0 AND name = ?2 AND turn = ?3 AND seq > ?4 "
            "ORDER BY seq LIMIT ?5"),
      first_of_next(c,
                    "SELECT seq, schedule, turn, 1, 0 FROM tenure_waiting INDEXED BY tenure_waiting_turn "
                    "WHERE resource = ?1 AND kind = 1 AND attempt = 0 AND turn > 0 AND name = ?2 "
                    "AND (turn, schedule) > (?3, ?4) ORDER BY turn, schedule, seq LIMIT 1"),
      over(c,
           "SELECT seq, schedule, turn, 1, claimed FROM tenure_waiting INDEXED BY tenure_waiting_tried "
           "WHERE resource = ?1 AND name = ?2 AND attempt > 0 AND claimed = ?3 AND until_us <= ?4 "
           "AND kind = 1 AND seq > ?5"),
      save_attempt(
          c,
          "UPDATE tenure_waiting SET attempt = ?3, nonce = ?4, claimed = ?5, cancelled = ?6, from_us = ?7, "
          "until_us = ?8, worker = ?9, why = ?10, released = ?11 WHERE resource = ?1 AND seq = ?2"),
      count_again(c,
                  "UPDATE tenure_waiting SET until_us = ?2 + until_us - from_us, from_us = ?2 "
                  "WHERE resource = ?1 AND attempt > 0 AND from_us > ?2"),
      count_all_again(c,
                      "UPDATE tenure_waiting SET until_us = ?2 + until_us - from_us, from_us = ?2 "
                      "WHERE resource = ?1 AND attempt > 0 AND (claimed OR from_us > ?2)"),
      forget_waiting(c, "DELETE FROM tenure_waiting WHERE resource = ?1 AND seq = ?2"),
      add_ended(c,
                "INSERT INTO tenure_ended (resource, slot_us, schedule, run, attempt, nonce, how, at_us) "
                "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (resource, slot_us, schedule, run) "
                "DO UPDATE SET attempt = ?5, nonce = ?6, how = ?7, at_us = ?8"),
      ended(c,
            "SELECT attempt, nonce, how FROM tenure_ended WHERE resource = ?1 AND slot_us = ?2 AND schedule "
            "= ?3 "
            "AND run = ?4"),
      prune_ended(c,
                  "DELETE FROM tenure_ended WHERE resource = ?1 AND (slot_us, schedule, run) IN "
                  "(SELECT slot_us, schedule, run FROM tenure_ended WHERE resource = ?1 AND at_us <= ?2 "
                  "ORDER BY at_us, schedule, slot_us, run < 0, run LIMIT ?3)"),
      bury(c,
           "INSERT INTO tenure_dead (resource, seq, slot_us, schedule, run, attempts, since_us, version, "
           "name, "
           "delivery, why) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"),
      dead_event(
          c,
          "SELECT version, attempts, name, delivery FROM tenure_dead WHERE resource = ?1 AND slot_us = ?2 "
          "AND schedule = ?3 AND run = ?4 ORDER BY version DESC, seq DESC LIMIT 1"),
      outbox_depth(c,
                   "SELECT count(*), (SELECT at_us FROM tenure_outbox WHERE resource = ?1 "
                   "ORDER BY seq LIMIT 1) FROM (SELECT 1 FROM tenure_outbox WHERE resource = ?1 LIMIT ?2)"),
      waiting_depth(c,
                    "SELECT count(*), (SELECT at_us FROM tenure_waiting INDEXED BY tenure_waiting_kind "
                    "WHERE resource = ?1 AND kind = ?2 ORDER BY seq LIMIT 1) "
                    "FROM (SELECT 1 FROM tenure_waiting INDEXED BY tenure_waiting_kind WHERE resource = ?1 "
                    "AND kind = ?2 "
                    "LIMIT ?3)"),
      ahead(c,
            "SELECT count(*), coalesce(max(max(begin_us, covered_us)), 0) FROM tenure_segment "
            "WHERE resource = ?1 AND end_us = ?2 AND max(begin_us, covered_us) > ?3"),
      dead_depth(
          c,
          "SELECT count(*), (SELECT since_us FROM tenure_dead WHERE resource = ?1 AND discarded_us IS NULL "
          "ORDER BY seq LIMIT 1) "
          "FROM (SELECT 1 FROM tenure_dead WHERE resource = ?1 AND discarded_us IS NULL LIMIT ?2)"),

      add_history(
          c,
          "INSERT INTO tenure_history (resource, seq, schedule, version, what, slot_us, run, from_us, "
          "to_us, slots, at_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"),
      first_history(c, "SELECT min(seq) FROM tenure_history WHERE resource = ?1"),
      history(c, (kHistory + "AND seq > ?2 ORDER BY seq LIMIT ?3").c_str()),
      history_back(c, (kHistory + "AND seq < ?2 ORDER BY seq DESC LIMIT ?3").c_str()),
      history_of(c, (kHistory + "AND schedule = ?4 AND seq > ?2 ORDER BY seq LIMIT ?3").c_str()),
      history_of_back(c, (kHistory + "AND schedule = ?4 AND seq < ?2 ORDER BY seq DESC LIMIT ?3").c_str()),
      // From the first row on, while it is too old or there are too many.
      prune_history(c,
                    "DELETE FROM tenure_history WHERE resource = ?1 AND seq < "
                    "(SELECT coalesce(min(seq), ?4 + 1) FROM (SELECT seq, at_us FROM tenure_history "
                    "WHERE resource = ?1 ORDER BY seq LIMIT ?5) WHERE at_us > ?2 AND seq > ?4 - ?3) "
                    "AND seq < (SELECT min(seq) FROM tenure_history WHERE resource = ?1) + ?5"),

      node_by_key(c, "SELECT node FROM tenure_node WHERE resource = ?1 AND key = ?2"),
      add_node(c,
               "INSERT INTO tenure_node (resource, node, key, name, since_us, seen_us) "
               "VALUES (?1, ?2, ?3, ?4, ?5, ?5)"),
      see_node(c, "UPDATE tenure_node SET name = ?3, seen_us = ?4 WHERE resource = ?1 AND node = ?2"),
      nodes(c, "SELECT node, name, since_us, seen_us FROM tenure_node WHERE resource = ?1 ORDER BY node"),
      prune_nodes(c,
                  "DELETE FROM tenure_node WHERE resource = ?1 AND node IN (SELECT node FROM tenure_node "
                  "WHERE resource = ?1 AND seen_us <= ?2 ORDER BY seen_us, node LIMIT ?3)") {}

}  // namespace tenure::sqlite
