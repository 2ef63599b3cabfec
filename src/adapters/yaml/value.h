// One value of the file: from YAML into a field of the settings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/yaml/document.h"
#include "adapters/yaml/fields.h"

namespace seqd::yaml {

/// Stores the node's value in the field, or leaves the settings alone and answers what is wrong and what is expected.
std::optional<Problem> assign(const Field& field, const Node& node, Settings& settings);

/// What a field takes, as a phrase: "a whole number from 1 to 65535".
std::string expectation(const Field& field);

/// A text of the file fit for a message: quoted, short, without control bytes.
std::string shown(std::string_view text);

}  // namespace seqd::yaml
