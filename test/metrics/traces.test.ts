import { expect } from 'chai';
import { newIntentId, orderIdOf } from '../../src/kernel/ids.ts';
import { withMetrics } from '../../src/metrics/serve.ts';
import { eventually } from '../support/money.ts';
import { market } from '../support/orders.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';

/** A span and a histogram in the JSON of the OTLP specification 1.7. */
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  links: { traceId: string; spanId: string }[];
  status: { code?: number };
};
type Point = {
  count: number;
  sum: number;
  bucketCounts: number[];
  explicitBounds: number[];
  attributes: Span['attributes'];
};
type Metric = { name: string; histogram?: { dataPoints: Point[] } };

const [SERVER, CLIENT, CONSUMER] = [2, 3, 5];

describe('telemetry', function () {
  this.timeout(30_000);
  let service: TestService;
  let collector: Receiver;
  let receiver: Receiver;
  let served: { stop(): Promise<void> };
  before(async () => {
    [collector, receiver] = [await startReceiver(), await startReceiver()];
    service = await startService({
      settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRIC_EXPORT_INTERVAL: '1000' },
    });
    served = await withMetrics({ runtime: service.runtime, stop: async () => {} }, ['web', 'worker']);
  });
  after(async () => {
    await served.stop();
    await service.stop();
    await collector.close();
    await receiver.close();
  });

  const received = <Item>(path: string, within: string, below: string) =>
    collector.ledger
      .filter((each) => each.path === path)
      .flatMap(({ body }) => JSON.parse(body)[within])
      .flatMap((resource) => resource[below])
      .flatMap((scope): Item[] => scope.spans ?? scope.metrics);
  const spansOf = (traceId: string) =>
    received<Span>('/v1/traces', 'resourceSpans', 'scopeSpans').filter((span) => span.traceId === traceId);

  it('show an order as one trace, from its request to the webhook', async () => {
    const trader = await service.trader();
    await trader.post('/v1/webhook-endpoints', { url: receiver.url, events: ['order.updated'] });
    const order_uuid = newIntentId();
    const traceId = orderIdOf(trader.owner, order_uuid).replaceAll('-', '');
    const caller = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    const order = { ...market(), order_uuid };
    await trader.post('/v1/orders/netvenue', order, { headers: { traceparent: `00-${caller.join('-')}-01` } });
    await trader.post('/v1/orders/netvenue', order);

    const spans = await eventually(async () => {
      const found = spansOf(traceId);
      return ['webhook order.updated', 'network/place', 'netvenue submit'].every((name) =>
        found.some((span) => span.name === name),
      )
        ? found
        : null;
    });
    const named = (name: string) => spans.filter((span) => span.name === name);
    const [request, repeat] = named('submitNetvenueOrder');
    const [task] = named('network/place');
    const parentOf = (name: string) => named(name)[0]?.parentSpanId;

    expect(spans.filter(({ parentSpanId }) => !parentSpanId)).to.deep.equal([request]);
    expect(request).to.deep.include({ kind: SERVER });
    expect(request?.links.map((link) => [link.traceId, link.spanId])).to.deep.equal([caller]);
    expect(parentOf('accept_network_orders')).to.equal(request?.spanId);
    expect(repeat?.parentSpanId).to.equal(request?.spanId);
    expect(task).to.deep.include({ kind: CONSUMER, parentSpanId: request?.spanId });
    expect(named('netvenue submit')[0]).to.deep.include({ kind: CLIENT, parentSpanId: task?.spanId });
    expect(parentOf('webhook order.updated')).to.equal(request?.spanId);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).to.equal(spans.length);
    for (const span of spans) expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).to.equal(true);
  });

  it('carries no credential', () => {
    const all = collector.ledger.map(({ body }) => body).join('\n');

    expect(all).not.to.include(service.settings.NETVENUE_MINER_KEY);
    expect(all).not.to.match(/authorization|x-api-key|whsec_/i);
  });

  it('sends the metrics that are scraped, buckets each by itself', async () => {
    const partner = await service.partner();
    for (let n = 0; n < 3; n++) await partner.get('/v1/events');
    const point = await eventually(async () => {
      const metrics = received<Metric>('/v1/metrics', 'resourceMetrics', 'scopeMetrics');
      const points = metrics
        .filter(({ name }) => name === 'tps_http_request_duration_seconds')
        .flatMap(({ histogram }) => histogram?.dataPoints ?? []);
      return points.find(
        ({ count, attributes }) =>
          count === 3 && attributes.some(({ value }) => value.stringValue === 'listPartnerEvents'),
      );
    });

    expect(point.bucketCounts.reduce((sum, count) => sum + count, 0)).to.equal(3);
    expect(point.bucketCounts.length).to.equal(point.explicitBounds.length + 1);
    expect(point.explicitBounds).to.deep.equal([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25]);
    expect(point.sum).to.be.within(0, 30);
  });

  it('slows no request and loses no order when the collector is away', async () => {
    await collector.close();
    const trader = await service.trader();

    const { status } = await trader.post('/v1/orders/netvenue', market());

    expect(status).to.equal(200);
  });
});
