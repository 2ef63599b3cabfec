// What only the SQLite store can meet: its file, its directory, its one write lock.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "contract/worlds.h"

namespace seqd::contract {
namespace {

Code code_of(const auto& result) { return result ? Code{255} : result.error().code; }

TEST_CASE("a directory that does not exist is named") {
  sqlite::SqliteLeaseStore leases("/nonexistent/dir/seqd.db", std::chrono::seconds(1), kPrefix);
  const auto prepared = leases.prepare();
  CHECK(code_of(prepared) == Code::kRefused);
  CHECK(prepared.error().message.find("/nonexistent/dir") != std::string::npos);
}

TEST_CASE("a file that is no database is refused") {
  TempDir dir;
  const std::string path = (dir.path() / "seqd.db").string();
  std::ofstream(path) << std::string(4096, 'x');
  sqlite::SqliteLeaseStore leases(path, std::chrono::seconds(1), kPrefix);
  CHECK(code_of(leases.prepare()) == Code::kRefused);
}

TEST_CASE("a file that somebody else writes is busy, and nothing is applied") {
  SqliteWorld world;
  Daemon<SqliteWorld> a(world, "a");
  a.claim();
  a.create({{"c1", 7, 0, 10}});
  sqlite::SqliteCounterStore hasty(world.path(), std::chrono::milliseconds(10));
  sqlite::Database other(world.path(), std::chrono::seconds(1));
  must(other.begin());
  const auto busy = hasty.reserve(a.head({7}), std::vector<ReserveRequest>{ask("c1", 10)});
  CHECK(code_of(busy) == Code::kBusy);
  CHECK(hasty.look_up(std::vector<std::string>{"c1"}).ok());
  must(other.send_rollback());
  CHECK(world.counter("c1")->max_seq == 10);
  CHECK(hasty.reserve(a.head({7}), std::vector<ReserveRequest>{ask("c1", 10)}).ok());
}

TEST_CASE("a restored backup is noticed under an open connection") {
  SqliteWorld world;
  Daemon<SqliteWorld> a(world, "a");
  a.claim();
  a.create({{"c1", 7, 0, 10}});
  sqlite::Database database(world.path(), std::chrono::seconds(1));
  must(database.open());
  const std::string backup = world.path() + ".backup";
  must(database.run("VACUUM INTO '" + backup + "'"));
  a.reserve({ask("c1", 10)});
  for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(world.path() + suffix);
  std::filesystem::rename(backup, world.path());
  const auto reserved =
      a.counters->reserve(a.head({7}), std::vector<ReserveRequest>{ask("c1", 10)});
  CHECK(code_of(reserved) == Code::kLostCommits);
}

TEST_CASE("a full disk applies nothing, and the next unit is well once there is room") {
  SqliteWorld world;
  Daemon<SqliteWorld> a(world, "a");
  a.claim();
  a.create({{"c1", 7, 0, 10}});
  rlimit former{};
  ::getrlimit(RLIMIT_FSIZE, &former);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit small = former;
  small.rlim_cur = 1;
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto refused = a.counters->reserve(a.head({7}), std::vector<ReserveRequest>{ask("c1", 10)});
  ::setrlimit(RLIMIT_FSIZE, &former);
  ::signal(SIGXFSZ, handler);
  REQUIRE_FALSE(refused.ok());
  CHECK_FALSE(refused.error().message.empty());
  UnitHead head = a.head({7});
  head.belief.beat_slack = 1;
  head.belief.resv_slack = 1;
  const std::int64_t before = world.counter("c1")->max_seq;
  const auto next = a.counters->reserve(head, std::vector<ReserveRequest>{ask("c1", 10)});
  CHECK(must(next).outcomes[0].plan.interval.lo == before);
}

TEST_CASE("a table that differs is refused with what it is and what it should be") {
  SqliteWorld world;
  world.sql("DROP TABLE seq_counter");
  world.sql("CREATE TABLE seq_counter (conv_id TEXT PRIMARY KEY, slot INTEGER, max_seq INTEGER)");
  const auto refused = world.leases()->prepare();
  CHECK(code_of(refused) == Code::kRefused);
  CHECK(refused.error().message.find("seq_counter.conv_id is TEXT PRIMARY KEY") !=
        std::string::npos);
}

TEST_CASE("an id that an operator writes as a text is refused by the table itself") {
  SqliteWorld world;
  CHECK_THROWS(world.sql("INSERT INTO seq_counter (conv_id, slot, max_seq) VALUES ('c1', 7, 5)"));
}

TEST_CASE("the message table may hold its ids as text or as bytes") {
  SqliteWorld world;
  world.sql(
      "INSERT INTO im_message (conv_id, seq, msg_id) VALUES ('c1', 5, 1), (x'6331', 9, 2), ('c2', "
      "7, 3)");
  CHECK(must(world.history()->max_seq(std::vector<std::string>{"c1", "c2"})) ==
        std::vector<std::int64_t>{9, 7});
  sqlite::SqliteHistory scans(world.path(), std::chrono::seconds(1),
                              "SELECT MAX(seq) FROM im_message WHERE conv_id || '' = ?");
  CHECK_FALSE(must(scans.explain()).empty());
  sqlite::SqliteHistory good(world.path(), std::chrono::seconds(1), kHistoryQuery);
  CHECK(must(good.explain()).empty());
}

TEST_CASE("a lock file that was deleted and made anew is another lock") {
  TempDir dir;
  const std::string path = (dir.path() / "x.lock").string();
  LockFile first(path);
  CHECK(first.id().empty());
  CHECK(must(first.hold()));
  const std::string id = first.id();
  CHECK(id.size() == 32);
  std::filesystem::remove(path);
  LockFile second(path);
  CHECK(must(second.hold()));
  CHECK(second.id() != id);
  CHECK_FALSE(must(first.hold()));
  LockFile nowhere("/nonexistent/x.lock");
  CHECK(code_of(nowhere.hold()) == Code::kRefused);
  const std::string link = (dir.path() / "link").string();
  std::filesystem::create_symlink(path, link);
  CHECK(code_of(LockFile(link).hold()) == Code::kRefused);
}

}  // namespace
}  // namespace seqd::contract
