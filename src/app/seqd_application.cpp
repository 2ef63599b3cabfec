#include "app/seqd_application.h"

#include <Poco/Util/HelpFormatter.h>
#include <Poco/Util/Option.h>
#include <Poco/Util/OptionSet.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "adapters/yaml/load.h"
#include "app/daemon.h"
#include "app/http_front.h"
#include "app/log.h"
#include "app/reloader.h"

namespace seqd::app {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitConfig = 78;

sigset_t awaited_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGTERM, SIGINT, SIGQUIT, SIGHUP}) sigaddset(&set, s);
  return set;
}

/// Reads the secrets that the settings name files for; complains and answers false if one is missing.
bool read_secrets(const Settings& settings, Secrets& secrets, std::vector<std::string>& warnings) {
  bool good = true;
  const auto read = [&](const std::string& path, std::string& to) {
    if (path.empty()) return;
    const Result<std::string> secret = yaml::read_secret(path, &warnings);
    if (secret.ok()) {
      to = *secret;
    } else {
      std::cerr << "seqd: " << secret.error().message << "\n";
      good = false;
    }
  };
  read(settings.resp.password_file, secrets.resp_password);
  read(settings.http.token_file, secrets.http_token);
  if (settings.store.driver == "mysql") read(settings.store.password_file, secrets.store_password);
  return good;
}

}  // namespace

SeqdApplication::SeqdApplication() {
  const sigset_t set = awaited_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void SeqdApplication::defineOptions(Poco::Util::OptionSet& options) {
  using Poco::Util::Option;
  options.addOption(
      Option("config", "c", "configuration file; without it the defaults hold").argument("FILE"));
  options.addOption(Option("check-config", "", "check the configuration and its secrets, and end"));
  options.addOption(Option("print-config", "", "print the effective configuration, and end"));
  options.addOption(Option("version", "v", "print the version, and end"));
  options.addOption(Option("help", "h", "print this, and end"));
}

void SeqdApplication::handleOption(const std::string& name, const std::string& value) {
  if (name == "config") config_ = value;
  if (name == "check-config") task_ = Task::kCheck;
  if (name == "print-config") task_ = Task::kPrint;
  if (name == "version") task_ = Task::kVersion;
  if (name == "help") task_ = Task::kHelp;
  if (task_ == Task::kHelp) stopOptionsProcessing();
}

void SeqdApplication::show_help() const {
  Poco::Util::HelpFormatter help(options());
  help.setCommand("seqd");
  help.setUsage("[--config FILE] [--check-config | --print-config | --version | --help]");
  help.setHeader(
      "Numbers for chat systems, over the Redis protocol. conf/seqd.yaml explains the "
      "configuration.");
  help.setUnixStyle(true);
  help.format(std::cout);
}

int SeqdApplication::main(const std::vector<std::string>& args) {
  if (task_ == Task::kHelp) {
    show_help();
    return EXIT_OK;
  }
  if (task_ == Task::kVersion) {
    std::cout << "seqd " SEQD_VERSION "\n";
    return EXIT_OK;
  }
  if (!args.empty()) {
    std::cerr << "seqd: unknown argument '" << args[0] << "'; see seqd --help\n";
    return EXIT_USAGE;
  }
  yaml::Loaded loaded;
  if (!config_.empty()) {
    Result<yaml::Loaded> file = yaml::load(config_);
    if (!file.ok()) {
      std::cerr << file.error().message << "\n";
      return kExitConfig;
    }
    loaded = std::move(*file);
  }
  if (task_ == Task::kPrint) {
    std::cout << yaml::print(loaded.settings);
    return EXIT_OK;
  }
  if (task_ == Task::kCheck) {
    Secrets secrets;
    if (!read_secrets(loaded.settings, secrets, loaded.warnings)) return kExitConfig;
    for (const std::string& w : loaded.warnings) std::cerr << "warning: " << w << "\n";
    std::cout << (config_.empty() ? "the default configuration" : config_) << " is good\n";
    return EXIT_OK;
  }
  return serve(loaded.settings, loaded.warnings);
}

// Waits for a signal; meanwhile tells systemd that the daemon is alive, if its own threads say so.
int SeqdApplication::next_signal(Daemon& daemon) {
  const sigset_t set = awaited_signals();
  int signal = 0;
  if (notify_.alive_every() == Duration::zero()) {
    sigwait(&set, &signal);
    return signal;
  }
  while (signal <= 0) {
    if (daemon.lanes_turn(notify_.alive_every())) notify_.alive();
    const auto ns = notify_.alive_every().count();
    const timespec wait{ns / 1'000'000'000, ns % 1'000'000'000};
    signal = sigtimedwait(&set, nullptr, &wait);
  }
  return signal;
}

int SeqdApplication::serve(const Settings& settings, const std::vector<std::string>& warnings) {
  Secrets secrets;
  std::vector<std::string> all_warnings = warnings;
  if (!read_secrets(settings, secrets, all_warnings)) return kExitConfig;

  Log log(settings.log.level, settings.log.format);
  log.write(Level::kInfo, "seqd.starting",
            "seqd " SEQD_VERSION ", process " + std::to_string(getpid()));
  for (const std::string& w : all_warnings) log.write(Level::kWarning, "config.warning", w);

  std::atomic<bool> fatal{false};
  Daemon daemon(settings, secrets, config_, log, [&fatal] {
    if (!fatal.exchange(true)) kill(getpid(), SIGTERM);
  });
  Reloader reloader(config_, settings, daemon, log);
  HttpFront front(settings, secrets.http_token, daemon, reloader, log);
  daemon.on_reservation([&front](Duration took) { front.observe_reservation(took); });
  const Result<Done> started = daemon.start();
  if (!started.ok()) {
    log.write(Level::kError, "seqd.failed", started.error().message);
    return kExitFailed;
  }
  front.start();
  notify_.ready("serving");
  for (int signal = 0; signal != SIGTERM && signal != SIGINT && signal != SIGQUIT;) {
    signal = next_signal(daemon);
    if (signal != SIGHUP) continue;
    notify_.reloading();
    const bool good = reloader.reload().ok();
    notify_.ready(good ? "serving" : "serving; the last reload was refused, see the log");
  }
  notify_.stopping();
  log.write(Level::kInfo, "seqd.stopping", "draining and releasing; a second signal ends at once");
  sigset_t impatient = awaited_signals();
  sigdelset(&impatient, SIGHUP);
  pthread_sigmask(SIG_UNBLOCK, &impatient, nullptr);
  for (const int s : {SIGTERM, SIGINT, SIGQUIT}) std::signal(s, SIG_DFL);
  front.stopping();
  daemon.stop();
  front.stop();
  log.write(Level::kInfo, "seqd.stopped", "ended");
  return fatal.load() ? kExitConfig : EXIT_OK;
}

}  // namespace seqd::app
