#include "app/seqctl.h"

#include <iostream>
#include <set>
#include <string>
#include <string_view>

#include "adapters/yaml/load.h"
#include "app/identity.h"
#include "app/log.h"
#include "app/stores.h"

namespace seqd::app {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 64;
constexpr int kConfig = 78;

constexpr std::string_view kHelp =
    R"(usage: seqctl takeover --force --config FILE

Fences every owner of the store and sets its slots free, so that a running stand-by takes them at once.
For a sole owner (lease.sole, or SQLite) on a host that is gone for good: seqd itself cannot know that it is dead.
If it still runs, it goes on answering from memory until its next contact with the store, and the order of numbers
(never their uniqueness) may be broken until then. Stop it first wherever you can.
)";

int fail(const Error& error) {
  std::cerr << "seqctl: " << error.message << "\n";
  return kFailed;
}

/// Takes every owner's slots under a registration of our own, and gives them away with it.
int take_over(const Settings& settings, const std::string& password) {
  Log log("error", "text");
  const Stores stores = make_stores(settings, password, log);
  LeaseStore& store = *stores.leases;
  if (const auto prepared = store.prepare(); !prepared.ok()) return fail(prepared.error());
  OwnerRow me;
  me.owner = node_id(settings) + ":ctl" + random_nonce().substr(3);
  if (const auto enrolled = store.enrol(me); !enrolled.ok()) return fail(enrolled.error());
  const UnitHead head = UnitHead::newcomer(me.owner);
  const auto survey = store.survey();
  if (!survey.ok()) return fail(survey.error());
  std::set<std::string> owners;
  for (const SlotRow& slot : survey->slots) {
    if (!slot.owner.empty()) owners.insert(slot.owner);
  }
  for (const std::string& owner : owners) {
    OwnerRow victim;
    victim.owner = owner;
    victim.beat = -1;
    for (const OwnerRow& row : survey->owners) {
      if (row.owner == owner) victim = row;
    }
    const auto taken = store.take_over(head, victim);
    if (!taken.ok()) {
      std::cerr << "seqctl: " << owner << " could not be fenced";
      if (taken.error().code == Code::kBusy) std::cerr << " (it is alive: its beat moved)";
      std::cerr << "\n";
      return fail(taken.error());
    }
    std::cout << "fenced " << owner << "; " << taken->ours.size() << " slots are free\n";
  }
  if (owners.empty()) std::cout << "nobody owns a slot; there is nothing to take\n";
  if (const auto resigned = store.resign(me.owner); !resigned.ok()) return fail(resigned.error());
  return 0;
}

}  // namespace

int run_seqctl(int argc, char** argv) {
  const std::vector<std::string_view> args(argv + 1, argv + argc);
  std::string config;
  bool force = false;
  bool takeover = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "takeover") {
      takeover = true;
    } else if (args[i] == "--force") {
      force = true;
    } else if (args[i] == "--config" && i + 1 < args.size()) {
      config = args[++i];
    } else if (args[i].substr(0, 9) == "--config=") {
      config = args[i].substr(9);
    } else if (args[i] == "--help" || args[i] == "-h") {
      std::cout << kHelp;
      return 0;
    } else {
      std::cerr << "seqctl: unknown argument '" << args[i] << "'\n" << kHelp;
      return kUsage;
    }
  }
  if (!takeover || !force || config.empty()) {
    std::cerr << kHelp;
    return kUsage;
  }
  const Result<yaml::Loaded> loaded = yaml::load(config);
  if (!loaded.ok()) {
    std::cerr << loaded.error().message << "\n";
    return kConfig;
  }
  std::string password;
  if (loaded->settings.store.driver == "mysql" && !loaded->settings.store.password_file.empty()) {
    const Result<std::string> secret = yaml::read_secret(loaded->settings.store.password_file);
    if (!secret.ok()) {
      std::cerr << "seqctl: " << secret.error().message << "\n";
      return kConfig;
    }
    password = *secret;
  }
  return take_over(loaded->settings, password);
}

}  // namespace seqd::app
