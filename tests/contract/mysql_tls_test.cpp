// store.tls_ca_file: the connection is encrypted and the server verified, or there is no connection.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "contract/worlds.h"

namespace seqd::contract {
namespace {

Code code_of(const auto& result) { return result ? Code{255} : result.error().code; }

/// A CA, and a server certificate for "localhost" that it signed.
class Certificates {
 public:
  Certificates() {
    const std::string dir = dir_.path().string();
    std::ofstream(dir + "/ext") << "subjectAltName=DNS:localhost\n";
    const std::string command =
        "cd " + dir +
        " && openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj "
        "/CN=ca"
        " && openssl req -newkey rsa:2048 -nodes -keyout key.pem -out req.pem -subj /CN=localhost"
        " && openssl x509 -req -in req.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2"
        " -extfile ext -out cert.pem"
        " && openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.pem -days 2"
        " -subj /CN=other";
    REQUIRE(std::system(("(" + command + ") >/dev/null 2>&1").c_str()) == 0);
  }
  std::string file(const char* name) const { return (dir_.path() / name).string(); }

 private:
  TempDir dir_;
};

TEST_CASE("with a CA file the server is verified by name and chain, and plain text is refused") {
  const Certificates certificates;
  support::MariadbServer server({"--ssl-ca=" + certificates.file("ca.pem"),
                                 "--ssl-cert=" + certificates.file("cert.pem"),
                                 "--ssl-key=" + certificates.file("key.pem")});
  const auto look_up = [](const mysql::Access& access) {
    mysql::Connection connection(access, mysql::Connection::Use::kWrite);
    return connection.read("SHOW SESSION STATUS LIKE 'Ssl_cipher'");
  };
  mysql::Access access = mariadb_access(server.port());
  access.store.host = "localhost";
  access.store.tls_ca_file = certificates.file("ca.pem");
  const auto encrypted = look_up(access);
  REQUIRE_MESSAGE(encrypted.ok(), (encrypted ? "" : encrypted.error().message));
  CHECK_FALSE(encrypted->at(0).at(1)->empty());

  mysql::Access other_ca = access;
  other_ca.store.tls_ca_file = certificates.file("other.pem");
  CHECK(code_of(look_up(other_ca)) == Code::kRefused);

  mysql::Access other_name = access;
  other_name.store.host = "127.0.0.1";
  CHECK(code_of(look_up(other_name)) == Code::kRefused);

  mysql::Access plain = access;
  plain.store.port = shared_mariadb().port();
  const auto refused = look_up(plain);
  CHECK(code_of(refused) == Code::kRefused);
  CHECK(refused.error().message.find("tls_ca_file") != std::string::npos);
}

}  // namespace
}  // namespace seqd::contract
