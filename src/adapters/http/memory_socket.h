// A socket, as Poco sees it, that reads from one string and writes to another.
#pragma once

#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocketImpl.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

namespace seqd::http {

/// Both strings outlive it. Reference-counted by Poco::Net::Socket. Ends like a connection that the peer closed.
class MemorySocket final : public Poco::Net::StreamSocketImpl {
 public:
  MemorySocket(const std::string& in, std::string& out)
      : StreamSocketImpl(kNoDescriptor), in_(in), out_(out) {}

  using StreamSocketImpl::receiveBytes;
  using StreamSocketImpl::sendBytes;
  int sendBytes(const void* buffer, int length, int /*flags*/) override {
    out_.append(static_cast<const char*>(buffer), static_cast<std::size_t>(length));
    return length;
  }
  int receiveBytes(void* buffer, int length, int /*flags*/) override {
    const std::size_t n = std::min(in_.size() - read_, static_cast<std::size_t>(length));
    std::memcpy(buffer, in_.data() + read_, n);
    read_ += n;
    return static_cast<int>(n);
  }
  int available() override { return static_cast<int>(in_.size() - read_); }
  bool poll(const Poco::Timespan& /*timeout*/, int mode) override {
    return mode != SELECT_READ || read_ < in_.size();
  }
  void close() override {}
  void shutdownReceive() override {}
  void shutdownSend() override {}
  void shutdown() override {}
  void setSendTimeout(const Poco::Timespan& /*timeout*/) override {}
  void setReceiveTimeout(const Poco::Timespan& /*timeout*/) override {}
  void setRawOption(int /*level*/, int /*option*/, const void* /*value*/,
                    poco_socklen_t /*length*/) override {}
  Poco::Net::SocketAddress address() override { return {}; }
  Poco::Net::SocketAddress peerAddress() override { return {}; }

  // The destructor of SocketImpl closes what it finds.
  ~MemorySocket() override { reset(); }

 private:
  // Valid for Poco, which asks; EBADF for the system, should anything ever reach it.
  static constexpr int kNoDescriptor = std::numeric_limits<int>::max();

  const std::string& in_;
  std::string& out_;
  std::size_t read_ = 0;
};

}  // namespace seqd::http
