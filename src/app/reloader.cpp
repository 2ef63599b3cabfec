#include "app/reloader.h"

#include "adapters/yaml/fields.h"
#include "adapters/yaml/load.h"
#include "base/clock.h"

namespace seqd::app {

Reloader::Reloader(std::string file, const Settings& current, Daemon& daemon, Log& log)
    : file_(std::move(file)),
      daemon_(daemon),
      log_(log),
      current_(current),
      success_ms_(wall_now().unix_ms) {}

Settings Reloader::active() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return current_;
}

Result<std::string> Reloader::reload() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Result<std::string> done = try_reload();
  good_.store(done.ok());
  if (done.ok()) {
    success_ms_.store(wall_now().unix_ms);
    log_.write(Level::kInfo, "config.reloaded",
               done->empty() ? "nothing has changed in " + file_ : "taken over: " + *done);
  } else {
    log_.write(Level::kError, "config.reload_failed",
               "the configuration stays as it was: " + done.error().message);
  }
  return done;
}

Result<std::string> Reloader::try_reload() {
  if (file_.empty()) {
    return Error{Code::kRefused,
                 "seqd was started without --config, so there is no file to reload"};
  }
  Result<yaml::Loaded> loaded = yaml::load(file_);
  if (!loaded.ok()) return loaded.error();
  std::string taken;
  std::string stuck;
  for (const yaml::Field* field : yaml::changed(current_, loaded->settings)) {
    const std::string line = std::string(field->key) + ": " + yaml::value_text(*field, current_) +
                             " -> " + yaml::value_text(*field, loaded->settings);
    std::string& list = field->reload == yaml::Reload::kYes ? taken : stuck;
    list += (list.empty() ? "" : "\n") + line;
  }
  if (!stuck.empty()) {
    return Error{Code::kRefused, "these keys take a restart, so nothing was changed:\n" + stuck};
  }
  for (const std::string& warning : loaded->warnings) {
    log_.write(Level::kWarning, "config.warning", warning);
  }
  daemon_.configure(loaded->settings);
  current_ = loaded->settings;
  return taken;
}

}  // namespace seqd::app
