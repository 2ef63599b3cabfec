// A list of metric families that grows line by line, as a table would be written.
#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adapters/prometheus/striped.h"

namespace seqd::prometheus {

/// HELP is not escaped on its way out: no help text holds a line end or a backslash.
class Families {
 public:
  using Labels = std::initializer_list<std::pair<const char*, std::string>>;

  /// Begins a family; add() and its like go into the last one that was begun.
  Families& counter(const char* name, const char* help);
  Families& gauge(const char* name, const char* help);
  Families& histogram(const char* name, const char* help);
  Families& summary(const char* name, const char* help);
  Families& add(double value, Labels labels = {});
  /// Values by quantile, of the `count` things that there are now.
  Families& distributed(std::span<const double> quantiles, std::span<const double> values,
                        double sum, std::int64_t count);
  Families& observed(const LatencyHistogram::Look& look);

  std::string text() const;

 private:
  Families& begin(const char* name, const char* help, ::prometheus::MetricType type);

  std::vector<::prometheus::MetricFamily> families_;
};

}  // namespace seqd::prometheus
