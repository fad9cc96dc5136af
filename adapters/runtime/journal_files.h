// The journal of one Runtime, in files of bounded size. Its lines are one chain.
//
// The current file has the given name. A full file is put aside under that name and a number, which always goes up:
// PATH, PATH.000001, PATH.000002, … A file that is there when a process starts is put aside, too, so that each life
// begins in its own file. The chain of lines (docs/adr/0027) goes on from file to file, so a missing file in the middle
// is found; `tenure audit` takes all files. With `keep`, older files are deleted, and what they told can no longer be
// judged (`tenure audit --start-missing`).
//
// A line is handed to the system when take() returns: a killed process loses no line; a machine that loses power may.
// If the disk takes nothing, this is reported once, the line is lost as a whole, and the chain shows it. The first line
// that is written after that begins a file, and the number of lines that are missing is reported. A file that somebody
// moves or deletes while it is written is reported, and a new one is begun. A full file that cannot be put aside goes
// on growing, which is reported once until it can be.
//
// A path has one JournalFiles at a time, on one machine: each would put the other's file aside. A second one, of this
// process or another, ends the program with words, however the path is spelled. The file that is being written is
// locked (flock), so the lock ends with the process and with every child that inherited it; one that executes another
// program does not. What is no regular file (a pipe, /dev/stderr) is neither locked nor put aside.
//
// Thread rule: one thread: the runtime's loop, as JournalSink. Made and destroyed by any.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tenure {

struct JournalFilesOptions {
  std::string path;
  std::uint64_t bytes_max = 64 << 20;  // of one file: a line that would exceed it begins the next file
  std::uint32_t keep = 0;              // how many files put aside are kept, the newest ones; 0: all
  std::function<void(std::string_view words)> trouble = {};  // empty: on stderr
};

class JournalFiles {
 public:
  // REQUIRES: no other JournalFiles of this machine has this path.
  explicit JournalFiles(JournalFilesOptions options);
  ~JournalFiles();
  JournalFiles(const JournalFiles&) = delete;

  void take(std::string_view line);
  // For one Runtime, once: two would mix two chains. REQUIRES: this outlives the Runtime.
  std::function<void(std::string_view line)> sink();

 private:
  // taken: by another JournalFiles. no: it cannot be opened, which was reported.
  enum class Begun : std::uint8_t { yes, taken, no };
  Begun begin();
  void put_aside();  // and begins the next
  bool append(std::string_view line);
  bool is_at_its_place() const;
  void close();
  void forget_old(std::uint32_t last) const;
  // Reports that lines are lost, once until it is over.
  void say(std::string_view what, int error);
  void tell(std::string_view what) const;

  JournalFilesOptions options_;
  int file_ = -1;
  std::uint64_t bytes_ = 0;  // in it
  std::uint64_t lost_ = 0;   // lines, since the last one that was written
  bool said_ = false;        // that lines are lost has been reported
  bool stuck_ = false;       // that the file cannot be put aside has been reported
  bool taken_ = false;       // by a Runtime
};

}  // namespace tenure
