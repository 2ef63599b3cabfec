#include "adapters/resp/clients.h"

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <utility>

namespace seqd::resp {

void Clients::add(std::uint64_t id, ClientRow row) {
  rows_.with([&](auto& rows) { rows.emplace(id, std::move(row)); });
}

void Clients::remove_and_close(std::uint64_t id, int fd) {
  rows_.with([&](auto& rows) {
    rows.erase(id);
    ::close(fd);
  });
}

void Clients::describe(std::uint64_t id, const std::string& name, int protocol) {
  rows_.with([&](auto& rows) {
    const auto row = rows.find(id);
    if (row == rows.end()) return;
    row->second.name = name;
    row->second.protocol = protocol;
  });
}

std::string Clients::list(std::uint64_t only) const {
  const BootTime now = boot_now();
  std::string text;
  rows_.with([&](const auto& rows) {
    for (const auto& [id, row] : rows) {
      if (only != 0 && id != only) continue;
      const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - row.since).count();
      text += "id=" + std::to_string(id) + " addr=" + row.address + " fd=" + std::to_string(row.fd);
      text += " name=" + row.name + " age=" + std::to_string(age);
      text += " idle=0 flags=N db=0 sub=0 psub=0 ssub=0 multi=-1 events=r cmd=NULL user=default";
      text += " redir=-1 resp=" + std::to_string(row.protocol) + "\n";
    }
  });
  return text;
}

int Clients::cut(const std::function<bool(std::uint64_t, const ClientRow&)>& chosen) {
  return rows_.with([&](auto& rows) {
    int cut = 0;
    for (const auto& [id, row] : rows) {
      if (!chosen(id, row)) continue;
      ::shutdown(row.fd, SHUT_RDWR);
      ++cut;
    }
    return cut;
  });
}

}  // namespace seqd::resp
