// The process: command line, configuration, signals.
#pragma once

#include <Poco/Util/ServerApplication.h>

#include <string>

#include "app/notify.h"
#include "core/settings.h"

namespace seqd::app {

class Daemon;

/// seqd --config FILE [--check-config | --print-config], --version, --help.
/// Exit codes: 0 ended as asked; 1 failed while running; 64 wrong command line; 78 wrong configuration.
/// SIGTERM and SIGINT drain and release; a second one ends at once.
class SeqdApplication final : public Poco::Util::ServerApplication {
 public:
  /// Blocks the signals that it waits for: construct before the first thread.
  SeqdApplication();

 protected:
  void defineOptions(Poco::Util::OptionSet& options) override;
  void handleOption(const std::string& name, const std::string& value) override;
  int main(const std::vector<std::string>& args) override;

 private:
  enum class Task : unsigned char { kServe, kCheck, kPrint, kVersion, kHelp };
  int serve(const Settings& settings, const std::vector<std::string>& warnings);
  int next_signal(Daemon& daemon);
  void show_help() const;

  const Notify notify_;
  Task task_ = Task::kServe;
  std::string config_;
};

}  // namespace seqd::app
