// What a server and a network do to a unit in the middle of it. A unit is applied whole or not at all, and the error says which.
#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "contract/worlds.h"
#include "support/eventually.h"
#include "support/tcp_proxy.h"

namespace seqd::contract {
namespace {

using support::Cut;
using support::eventually;
using support::TcpProxy;

/// A MariaDB world, and a daemon that reaches it through a proxy.
struct Wired {
  MariadbWorld world;
  TcpProxy proxy{shared_mariadb().port()};
  mysql::Access access = [this] {
    mysql::Access through = world.access();
    through.store.port = proxy.port();
    return through;
  }();
  mysql::MysqlCounterStore counters{access};
  mysql::MysqlLeaseStore leases{access, kPrefix};
  Daemon<MariadbWorld> a{world, "a"};

  Wired() {
    a.claim();
    a.create({{"c1", 7, 0, 10}, {"c2", 7, 0, 10}});
    must(leases.renew(head()));  // opens both connections
    a.stamp.beat += 1;
    must(counters.look_up(std::vector<std::string>{"c1"}));
  }
  UnitHead head() const { return a.head({7}); }
  Result<ReserveReport> reserve() {
    return counters.reserve(head(), std::vector<ReserveRequest>{ask("c1", 10), ask("c2", 10)});
  }
  /// What of the unit has been applied: nothing, all, or something in between (-1).
  int applied() {
    const std::int64_t c1 = world.counter("c1")->max_seq;
    const std::int64_t c2 = world.counter("c2")->max_seq;
    const mysql::Rows row = world.rows("SELECT beat, resv_no FROM seq_owner WHERE owner = x'61'");
    const std::int64_t beats = mysql::number(row[0][0]) - a.stamp.beat;
    const std::int64_t reservations = mysql::number(row[0][1]) - a.stamp.resv_no;
    if (c1 == 10 && c2 == 10 && beats == 0 && reservations == 0) return 0;
    if (c1 == 20 && c2 == 20 && beats == 1 && reservations == 1) return 1;
    return -1;
  }
};

Code code_of(const auto& result) { return result ? Code{255} : result.error().code; }

/// Whether any connection waits for a row lock.
bool somebody_waits(mysql::Connection& root) {
  // INNODB_TRX shows a copy that is not renewed while it is being polled.
  const mysql::Rows rows =
      must(root.read("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'"));
  return mysql::number(rows.at(0).at(1)) > 0;
}

mysql::Access root_access() { return mariadb_access(shared_mariadb().port(), "admin"); }

/// The packet, and not a statement that sets READ COMMITTED.
const std::string kCommit = std::string(1, 3) + "COMMIT";

const std::vector<std::string> kStatements = {"FROM seq_owner", "FROM seq_slot", "SKIP LOCKED",
                                              "INSERT INTO seq_counter", "UPDATE seq_owner"};

TEST_CASE("a connection cut at any statement before COMMIT applies nothing and says so") {
  for (const std::string& statement : kStatements) {
    for (const Cut cut : {Cut::kBefore, Cut::kAfterSend, Cut::kAfterReply}) {
      CAPTURE(statement);
      CAPTURE(static_cast<int>(cut));
      Wired wired;
      wired.proxy.cut_on(statement, cut);
      CHECK(code_of(wired.reserve()) == Code::kUnavailable);
      CHECK_FALSE(wired.proxy.armed());
      CHECK(wired.applied() == 0);
      // The next unit goes through on a new connection, and waits for nothing that the dead one left.
      must(wired.reserve());
      CHECK(wired.applied() == 1);
    }
  }
}

TEST_CASE("a connection that died while it was idle is replaced before anything is sent on it") {
  Wired wired;
  wired.proxy.cut_all();
  must(wired.reserve());
  CHECK(wired.applied() == 1);
  SUBCASE("killed by the server") {
    mysql::Connection root(root_access(), mysql::Connection::Use::kWrite);
    must(root.open());
    must(root.exec("KILL CONNECTION " + std::to_string(wired.counters.connection_id())));
    wired.a.stamp.beat += 1;
    wired.a.stamp.resv_no += 1;
    must(wired.reserve());
  }
}

TEST_CASE("a COMMIT whose reply is lost is unknown, and the rows tell what became of it") {
  for (const Cut cut : {Cut::kBefore, Cut::kAfterReply}) {
    CAPTURE(static_cast<int>(cut));
    Wired wired;
    wired.proxy.cut_on(kCommit, cut);
    CHECK(code_of(wired.reserve()) == Code::kUnknown);
    CHECK(wired.applied() == (cut == Cut::kAfterReply ? 1 : 0));
    // The belief with one unit in flight fits both.
    UnitHead head = wired.head();
    head.belief.beat_slack = 1;
    head.belief.resv_slack = 1;
    const std::int64_t before = wired.world.counter("c1")->max_seq;
    const ReserveReport next =
        must(wired.counters.reserve(head, std::vector<ReserveRequest>{ask("c1", 10)}));
    CHECK(next.outcomes[0].plan.interval.lo == before);
    CHECK(wired.world.counter("c1")->max_seq == before + 10);
  }
}

TEST_CASE("a renewal and a takeover whose COMMIT is lost are unknown too") {
  Wired wired;
  wired.proxy.cut_on(kCommit, Cut::kAfterReply);
  CHECK(code_of(wired.leases.renew(wired.head())) == Code::kUnknown);
  wired.proxy.cut_on(kCommit, Cut::kBefore);
  OwnerRow victim;
  victim.owner = "b";
  UnitHead head = wired.head();
  head.belief.beat_slack = 1;
  CHECK(code_of(wired.leases.take_over(head, victim)) == Code::kUnknown);
}

TEST_CASE(
    "a unit that was cut off while it waited for its owner row finds the fence when it wakes") {
  Wired wired;
  mysql::Connection root(root_access(), mysql::Connection::Use::kWrite);
  mysql::Connection contender(root_access(), mysql::Connection::Use::kWrite);
  must(contender.begin());
  must(contender.query("SELECT 1 FROM seq_owner WHERE owner = x'61' FOR UPDATE"));
  wired.proxy.cut_on("FROM seq_owner", Cut::kAfterSend);
  CHECK(code_of(wired.reserve()) == Code::kUnavailable);
  must(contender.exec("UPDATE seq_owner SET fenced = 1 WHERE owner = x'61'"));
  must(contender.send_commit());
  CHECK(eventually([&] { return !somebody_waits(root); }));
  CHECK(wired.applied() == 0);
  CHECK(code_of(wired.reserve()) == Code::kFenced);
  CHECK(wired.applied() == 0);
}

TEST_CASE(
    "a silent server costs no more than the timeouts, and its connection is killed afterwards") {
  Wired wired;
  const std::int64_t id = wired.counters.connection_id();
  wired.proxy.cut_on("UPDATE seq_owner", Cut::kSilence);
  const auto since = std::chrono::steady_clock::now();
  CHECK(code_of(wired.reserve()) == Code::kUnavailable);
  CHECK(std::chrono::steady_clock::now() - since < std::chrono::seconds(5));
  // The zombie still holds the owner row: only its death lets the next unit in.
  must(wired.reserve());
  CHECK(wired.applied() == 1);
  mysql::Connection root(root_access(), mysql::Connection::Use::kWrite);
  CHECK(eventually([&] {
    return must(root.read("SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = " +
                          std::to_string(id)))
        .empty();
  }));
}

TEST_CASE("a peer that accepts and never speaks costs no more than the connect timeout") {
  MariadbWorld world;
  TcpProxy proxy(shared_mariadb().port());
  proxy.black_hole_replies(true);
  mysql::Access access = world.access();
  access.store.port = proxy.port();
  mysql::MysqlCounterStore counters(access);
  const auto since = std::chrono::steady_clock::now();
  const auto found = counters.look_up(std::vector<std::string>{"c1"});
  CHECK(code_of(found) == Code::kUnavailable);
  CHECK(std::chrono::steady_clock::now() - since < std::chrono::seconds(5));
}

TEST_CASE("a server that is stopped in the middle of a unit never applies it half") {
  Wired wired;
  shared_mariadb().stop();
  CHECK(code_of(wired.reserve()) == Code::kUnavailable);
  shared_mariadb().cont();
  CHECK(eventually([&] { return wired.reserve().ok(); }));
  CHECK(wired.applied() == 1);
}

TEST_CASE("a server that is killed loses no confirmed unit") {
  Wired wired;
  must(wired.reserve());
  shared_mariadb().kill9();
  wired.a.stamp.beat += 1;
  wired.a.stamp.resv_no += 1;
  const auto refused = wired.reserve();
  CHECK(code_of(refused) == Code::kUnavailable);
  shared_mariadb().restart();
  const ReserveReport report = must(wired.reserve());
  CHECK(report.outcomes[0].plan.interval.lo == 20);
}

TEST_CASE("a held owner row is busy after a second, and nothing is applied") {
  Wired wired;
  mysql::Connection contender(root_access(), mysql::Connection::Use::kWrite);
  must(contender.begin());
  must(contender.query("SELECT 1 FROM seq_owner WHERE owner = x'61' FOR UPDATE"));
  const auto refused = wired.reserve();
  CHECK(code_of(refused) == Code::kBusy);
  CHECK(refused.error().message.find("1205") != std::string::npos);
  must(contender.send_rollback());
  CHECK(wired.applied() == 0);
  must(wired.reserve());
  CHECK(wired.applied() == 1);
}

TEST_CASE("a lock wait timeout in the middle of a unit takes the whole unit back") {
  Wired wired;
  wired.world.lock_row("c1");
  const std::vector<Lift> lifts = {{"c1", 7, 900}, {"c2", 7, 900}};
  CHECK(code_of(wired.counters.lift(wired.head(), lifts)) == Code::kBusy);
  wired.world.unlock_row("c1");
  CHECK(wired.applied() == 0);
}

TEST_CASE("the victim of a deadlock applies nothing") {
  Wired wired;
  mysql::Connection root(root_access(), mysql::Connection::Use::kWrite);
  // The other session holds c1 and then wants the owner row, while the unit holds the owner row and wants c1.
  mysql::Connection other(root_access(), mysql::Connection::Use::kWrite);
  must(other.begin());
  // A transaction that has changed more rows is not the victim.
  must(other.exec("UPDATE seq_slot SET bump = bump + 1 WHERE slot > 500"));
  must(other.query("SELECT 1 FROM seq_counter WHERE conv_id = x'6331' FOR UPDATE"));
  Code code{255};
  std::jthread unit([&] {
    const std::vector<Lift> lifts = {{"c1", 7, 900}, {"c2", 7, 900}};
    code = code_of(wired.counters.lift(wired.head(), lifts));
  });
  CHECK(eventually([&] { return somebody_waits(root); }));
  must(other.query("SELECT 1 FROM seq_owner WHERE owner = x'61' FOR UPDATE"));
  unit.join();
  must(other.send_rollback());
  CHECK(code == Code::kBusy);
  CHECK(wired.applied() == 0);
}

TEST_CASE(
    "a renewal ends while another session still holds a counter row of the same daemon's unit") {
  Wired wired;
  wired.world.lock_row("c1");
  const ReserveReport report = must(wired.reserve());
  CHECK(report.outcomes[0].status == ReserveStatus::kLocked);
  wired.a.stamp = report.unit.stamp;
  const UnitReport renewed = must(wired.leases.renew(wired.head()));
  CHECK(renewed.stamp.beat == wired.a.stamp.beat + 1);
  wired.a.stamp = renewed.stamp;
  CHECK(
      must(wired.counters.release(wired.head(), std::vector<Release>{{"c1", 7, 5, 10}})).released ==
      0);
  // Only now does the other session let go.
  wired.world.unlock_row("c1");
}

TEST_CASE("a server made read-only refuses an open connection and a new one, and says so") {
  Wired wired;
  mysql::Connection root(root_access(), mysql::Connection::Use::kRead);
  must(root.open());
  // An account that may write all the same, with a connection that was opened before.
  mysql::MysqlLeaseStore privileged(root_access(), kPrefix);
  wired.a.stamp = must(privileged.renew(wired.head())).stamp;
  must(root.exec("SET GLOBAL read_only = 1"));
  const auto renewed = privileged.renew(wired.head());
  CHECK(code_of(renewed) == Code::kUnavailable);
  CHECK(code_of(privileged.renew(wired.head())) == Code::kUnavailable);
  for (int i = 0; i < 2; ++i) {
    const auto refused = wired.reserve();
    CHECK(code_of(refused) == Code::kUnavailable);
    CHECK(refused.error().message.find("read-only") != std::string::npos);
  }
  const auto prepared = wired.leases.prepare();
  CHECK(code_of(prepared) == Code::kUnavailable);
  CHECK(prepared.error().message.find("read-only") != std::string::npos);
  mysql::MysqlHistory history(wired.access, kHistoryQuery);
  CHECK(history.max_seq(std::vector<std::string>{"c1"}).ok());
  must(root.exec("SET GLOBAL read_only = 0"));
  CHECK(wired.applied() == 0);
  must(wired.reserve());
}

TEST_CASE("a server made read-only after a unit has begun refuses with nothing applied") {
  Wired wired;
  mysql::Connection root(root_access(), mysql::Connection::Use::kRead);
  must(root.open());
  wired.proxy.run_on("FROM seq_owner", [&] { (void)root.exec("SET GLOBAL read_only = 1"); });
  const auto refused = wired.reserve();
  CHECK_FALSE(wired.proxy.armed());
  must(root.exec("SET GLOBAL read_only = 0"));
  CHECK(code_of(refused) == Code::kUnavailable);
  CHECK(refused.error().message.find("read-only") != std::string::npos);
  CHECK(wired.applied() == 0);
}

TEST_CASE("a takeover between two statements of a unit waits for it, or is found by it") {
  for (const std::string& statement : kStatements) {
    CAPTURE(statement);
    Wired wired;
    mysql::Connection contender(root_access(), mysql::Connection::Use::kWrite);
    bool fenced = false;
    wired.proxy.run_on(statement, [&] {
      fenced =
          contender.begin().ok() &&
          contender.exec("UPDATE seq_owner SET fenced = 1 WHERE owner = x'61'").ok() &&
          contender.exec("UPDATE seq_slot SET owner = x'62', epoch = epoch + 1 WHERE owner = x'61'")
              .ok() &&
          contender.send_commit().ok();
    });
    const auto result = wired.reserve();
    // Before the fence is read the takeover wins; afterwards it meets the row lock.
    CHECK(fenced == (statement == "FROM seq_owner"));
    CHECK(code_of(result) == (fenced ? Code::kFenced : Code{255}));
    CHECK(wired.applied() == (fenced ? 0 : 1));
  }
}

TEST_CASE("a write that changes another number of rows than were locked is taken back") {
  Wired wired;
  mysql::Connection root(root_access(), mysql::Connection::Use::kWrite);
  must(root.open());
  must(
      root.exec("CREATE TRIGGER keep BEFORE UPDATE ON seq_counter FOR EACH ROW SET NEW.max_seq = "
                "OLD.max_seq, "
                "NEW.issued_seq = OLD.issued_seq, NEW.updated_at = OLD.updated_at"));
  CHECK(code_of(wired.reserve()) == Code::kBusy);
  CHECK(wired.applied() == 0);
  must(root.exec("DROP TRIGGER keep"));
  must(wired.reserve());
}

TEST_CASE("a wrong password is a matter for a human, and no message shows a password") {
  MariadbWorld world;
  mysql::Access access = world.access();
  access.password = "a wrong one";
  mysql::MysqlCounterStore counters(access);
  const auto refused = counters.look_up(std::vector<std::string>{"c1"});
  CHECK(code_of(refused) == Code::kRefused);
  CHECK(refused.error().message.find("a wrong one") == std::string::npos);
}

}  // namespace
}  // namespace seqd::contract
