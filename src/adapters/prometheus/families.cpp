#include "adapters/prometheus/families.h"

#include <prometheus/text_serializer.h>

#include <limits>

namespace seqd::prometheus {

using ::prometheus::ClientMetric;
using ::prometheus::MetricType;

Families& Families::begin(const char* name, const char* help, MetricType type) {
  families_.push_back({name, help, type, {}});
  return *this;
}

Families& Families::counter(const char* name, const char* help) {
  return begin(name, help, MetricType::Counter);
}

Families& Families::gauge(const char* name, const char* help) {
  return begin(name, help, MetricType::Gauge);
}

Families& Families::histogram(const char* name, const char* help) {
  return begin(name, help, MetricType::Histogram);
}

Families& Families::summary(const char* name, const char* help) {
  return begin(name, help, MetricType::Summary);
}

Families& Families::distributed(std::span<const double> quantiles, std::span<const double> values,
                                double sum, std::int64_t count) {
  ClientMetric metric;
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    metric.summary.quantile.push_back({quantiles[i], values[i]});
  }
  metric.summary.sample_sum = sum;
  metric.summary.sample_count = static_cast<std::uint64_t>(count);
  families_.back().metric.push_back(std::move(metric));
  return *this;
}

Families& Families::add(double value, Labels labels) {
  ClientMetric metric;
  for (const auto& [name, text] : labels) metric.label.push_back({name, text});
  metric.counter.value = value;
  metric.gauge.value = value;
  families_.back().metric.push_back(std::move(metric));
  return *this;
}

Families& Families::observed(const LatencyHistogram::Look& look) {
  ClientMetric metric;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < look.counts.size(); ++i) {
    count += static_cast<std::uint64_t>(look.counts[i]);
    const double bound =
        i < kLatencyBounds.size() ? kLatencyBounds[i] : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back({count, bound});
  }
  metric.histogram.sample_count = count;
  metric.histogram.sample_sum = look.sum_seconds;
  families_.back().metric.push_back(std::move(metric));
  return *this;
}

std::string Families::text() const { return ::prometheus::TextSerializer().Serialize(families_); }

}  // namespace seqd::prometheus
