#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

#include "base/utf8.h"
#include "core/conv_id.h"
#include "core/conversation.h"
#include "core/ownership.h"
#include "core/slot_hash.h"

using namespace seqd;

TEST_CASE("the slot hash agrees with Redis Cluster") {
  CHECK(crc16("123456789") == 0x31C3);
  CHECK(redis_slot("seq:conv:1") == 3178);
  CHECK(redis_slot("seq:conv:2") == 15369);
  CHECK(redis_slot("seq:conv:3") == 11304);
  CHECK(redis_slot("seq:{x}conv:1") == redis_slot("x"));
  CHECK(redis_slot("seq:{}conv") == crc16("seq:{}conv") % 16384);
  CHECK(redis_slot("a{b}{c}") == redis_slot("b"));
  CHECK(SlotHash("seq:conv:").slot_of("1") == 3178 / 16);
  CHECK(SlotHash("seq:conv:").slot_of("{tag}7") == redis_slot("tag") / 16);
}

TEST_CASE("a conversation id is 1 to 64 bytes of UTF-8 without control characters") {
  const auto ok = [](std::string_view s) { return ConvId::parse(s).has_value(); };
  CHECK(ok("a"));
  CHECK(ok(std::string(64, 'x')));
  CHECK(ok("si_1000000_2000000"));
  CHECK(ok("a "));
  CHECK(ok("\xC3\xA1"));
  CHECK(ok("\xF0\x9F\x98\x80"));
  CHECK(ok("\xC2\xA0"));
  CHECK_FALSE(ok(""));
  CHECK_FALSE(ok(std::string(65, 'x')));
  CHECK_FALSE(ok(std::string_view("a\0b", 3)));
  CHECK_FALSE(ok("line\nbreak"));
  CHECK_FALSE(ok("\x7F"));
  CHECK_FALSE(ok("12345678\x7F"));
  CHECK_FALSE(ok("1234567\x1F"));
  CHECK_FALSE(ok("\xC2\x85"));      // a C1 control
  CHECK_FALSE(ok("\xC0\x80"));      // overlong
  CHECK_FALSE(ok("\xE0\x80\x80"));  // overlong
  CHECK_FALSE(ok("\xED\xA0\x80"));  // a surrogate
  CHECK_FALSE(ok("\xF4\x90\x80\x80"));
  CHECK_FALSE(ok("\xFF\xFE"));
  CHECK_FALSE(ok("\xE2\x82"));
  CHECK_FALSE(ok("\x80"));
}

TEST_CASE(
    "utf8: the quick path for eight bytes agrees with the slow one for every byte in every place") {
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t at = 0; at < 8; ++at) {
      std::string eight(8, 'a');
      eight[at] = static_cast<char>(byte);
      const bool plain = byte >= 0x20 && byte < 0x7F;
      CHECK(is_printable_utf8(eight) == plain);
    }
  }
}

TEST_CASE("the table of conversations finds what was put in and nothing else") {
  ConversationTable table;
  std::map<std::string, Conversation*> all;
  std::mt19937 random(7);
  for (int i = 0; i < 40000; ++i) {
    const std::string id = "c" + std::to_string(random() % 5000);
    const std::uint64_t hash = hash_id(id);
    Conversation* found = table.find(hash, id);
    REQUIRE((found != nullptr) == (all.count(id) > 0));
    if (found == nullptr) {
      all[id] = table.insert(hash, id);
      CHECK(all[id]->id() == id);
    } else {
      CHECK(found == all[id]);
      if (random() % 2 == 0) {
        table.erase(found);
        all.erase(id);
      }
    }
  }
  CHECK(table.size() == all.size());
  for (const auto& [id, c] : all) CHECK(table.find(hash_id(id), id) == c);
}

TEST_CASE("the own row is judged: fenced, gone, below what was confirmed, above what was sent") {
  StampBelief belief{{10, 5}, 1, 0};
  OwnerRow row;
  row.beat = 10;
  row.resv_no = 5;
  CHECK(judge_owner(belief, row) == OwnerVerdict::kOurs);
  row.beat = 11;
  CHECK(judge_owner(belief, row) == OwnerVerdict::kOurs);
  row.beat = 12;
  CHECK(judge_owner(belief, row) == OwnerVerdict::kCloned);
  row.beat = 9;
  CHECK(judge_owner(belief, row) == OwnerVerdict::kLostCommits);
  row.beat = 10;
  row.resv_no = 4;
  CHECK(judge_owner(belief, row) == OwnerVerdict::kLostCommits);
  row.fenced = true;
  CHECK(judge_owner(belief, row) == OwnerVerdict::kFenced);
  CHECK(judge_owner(belief, std::nullopt) == OwnerVerdict::kFenced);
}

TEST_CASE("a slot row is judged by owner, epoch and bump") {
  const SlotBelief mine{7, 3, 100};
  const auto judge = [&](SlotRow r) { return judge_slot("me", mine, r); };
  CHECK(judge({7, "me", 3, 100}) == SlotVerdict::kOurs);
  CHECK(judge({7, "you", 3, 100}) == SlotVerdict::kLost);
  CHECK(judge({7, "", 3, 100}) == SlotVerdict::kLost);
  CHECK(judge({7, "me", 4, 100}) == SlotVerdict::kLost);
  CHECK(judge({7, "me", 3, 200}) == SlotVerdict::kLost);
  CHECK(judge({7, "me", 2, 100}) == SlotVerdict::kLostCommits);
  CHECK(judge({7, "me", 3, 50}) == SlotVerdict::kLostCommits);
  CHECK(judge_slot("me", mine, std::nullopt) == SlotVerdict::kLostCommits);
}
