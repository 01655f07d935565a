import { ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { Labels, MetricValues } from '../registry.ts';
import { hrTime, SCOPE } from './scope.ts';

const STARTED_AT = hrTime(performance.timeOrigin);

/** The metrics of a process as the SDK's readers collect them. */
export const asCollected = (metrics: MetricValues[], resource: Resource, atMs: number): CollectionResult => ({
  resourceMetrics: {
    resource,
    scopeMetrics: [{ scope: SCOPE, metrics: metrics.map((metric) => dataOf(metric, hrTime(atMs))) }],
  },
  errors: [],
});

function dataOf({ name, help, type, values }: MetricValues, endTime: DataPoint<number>['endTime']): MetricData {
  const common = {
    descriptor: { name, description: help, unit: name.endsWith('_seconds') ? 's' : '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const point = <Value>(attributes: Labels, value: Value): DataPoint<Value> => ({
    ...{ startTime: STARTED_AT, endTime, attributes, value },
  });
  if (type === 'histogram')
    return {
      ...common,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: histograms(values).map(([labels, of]) => point(labels, of)),
    };
  const dataPoints = values.map(({ labels, value }) => point(labels, value));
  return type === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Histograms by their labels. The registry counts each bucket with those below it; the SDK counts each bucket alone. */
function histograms(values: MetricValues['values']): [Labels, Histogram][] {
  const byLabels = new Map<string, [Labels, Histogram]>();
  for (const {
    metricName = '',
    labels: { le, ...labels },
    value,
  } of values) {
    const key = JSON.stringify(labels);
    const [, found] = byLabels.get(key) ?? [labels, { buckets: { boundaries: [], counts: [] }, count: 0 }];
    byLabels.set(key, [labels, found]);
    if (metricName.endsWith('_sum')) found.sum = value;
    else if (metricName.endsWith('_count')) found.count = value;
    else addBucket(found, Number(le === '+Inf' ? Number.POSITIVE_INFINITY : le), value);
  }
  return [...byLabels.values()];
}

function addBucket({ buckets: { boundaries, counts } }: Histogram, upTo: number, cumulative: number): void {
  const below = counts.reduce((sum, count) => sum + count, 0);
  counts.push(cumulative - below);
  if (Number.isFinite(upTo)) boundaries.push(upTo);
}
