// The journal of one Runtime, in files of bounded size. Its lines are one chain.
//
// The current file has the given name. A full file is put aside under that name and a number, which always goes up:
// PATH, PATH.000001, PATH.000002, … A file that is there when a process starts is put aside, too, so that each life
// begins in its own file. The chain of lines (docs/adr/0027) goes on from file to file, so a missing file in the middle
// is found; `tenure audit` takes all files. With `keep`, older files are deleted, and what they told can no longer be
// judged (`tenure audit --start-missing`).
//
// A line is handed to the system when take() returns: a killed process loses no line; a machine that loses power may.
// If the disk takes nothing, this is reported once and the line is lost; the chain shows it.
//
// A path has one JournalFiles at a time: a second one of this process is refused, however the path is spelled. Each
// would put the other's file aside.
//
// Thread rule: one thread: the runtime's loop, as JournalSink. Made and destroyed by any.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
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
  // REQUIRES: no other JournalFiles of this process has this path.
  explicit JournalFiles(JournalFilesOptions options);

  void take(std::string_view line);
  // For one Runtime, once: two would mix two chains. REQUIRES: this outlives the Runtime.
  std::function<void(std::string_view line)> sink();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void put_aside();
  void begin();
  void forget_old() const;
  void say(std::string_view what, int error);

  JournalFilesOptions options_;
  std::shared_ptr<const void> claim_;  // on the path: let go after the file
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t bytes_ = 0;
  std::uint32_t last_ = 0;  // the number of the newest file that was put aside
  bool said_ = false;       // the present trouble has been reported
  bool taken_ = false;      // by a Runtime
};

}  // namespace tenure
