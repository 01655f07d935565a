import { expect } from 'chai';
import { promtool, testRules } from '../support/rules.ts';

const MINUTES = 60;
const STARTS = 20;
const ENDS = 30;
const ENDED = 'tps_intent_settle_duration_seconds_count';
const REQUESTS = 'tps_http_request_duration_seconds_count';

/** Values of each minute, of which those of the outage differ. A counter has grown by them. */
const gauge = (value: number, inOutage: number): string => values((n) => (isOut(n) ? inOutage : value));
const counter = (perMinute: number, inOutage: number): string => {
  let sum = 0;
  return values((n) => {
    sum += isOut(n) ? inOutage : perMinute;
    return sum;
  });
};
const aMinuteSooner = (inOutage: number): string => values((n) => (isOut(n) || isOut(n + 1) ? inOutage : 0));
const isOut = (minute: number) => minute > STARTS && minute <= ENDS;
const values = (of: (minute: number) => number | 'stale') => Array.from({ length: MINUTES }, (_, n) => of(n)).join(' ');

/** Two processes, orders and requests. */
const SERVICE = {
  'tps_build_info{process="web"}': gauge(1, 1),
  'tps_build_info{process="worker"}': gauge(1, 1),
  'tps_workers_alive{}': gauge(2, 2),
  'tps_database_up{}': gauge(1, 1),
  [`${ENDED}{kind="network/place",ending="succeeded"}`]: counter(400, 40),
  'tps_intent_settle_duration_seconds_bucket{kind="network/place",ending="succeeded",le="5"}': counter(400, 10),
  [`${REQUESTS}{status="200"}`]: counter(400, 400),
};
/** Orders expire and are late, and requests fail, for as long as it lasts. */
const SUFFERING = {
  [`${ENDED}{kind="network/place",ending="expired"}`]: counter(0, 300),
  [`${REQUESTS}{status="5xx"}`]: counter(0, 200),
};

const CAUSES: Record<string, Record<string, string>> = {
  UpstreamDown: {
    'tps_upstream_call_duration_seconds_count{upstream="netvenue",result="unreachable"}': counter(0, 100),
  },
  DatabaseAway: { 'tps_database_up{}': gauge(1, 0) },
  NoWorkers: {
    'tps_workers_alive{}': gauge(2, 0),
    'tps_queue_oldest_ready_seconds{task="network/place"}': gauge(0, 60),
    'tps_intents_waiting_oldest_seconds{reason="lane",exits="true"}': aMinuteSooner(60),
    'tps_intents_waiting{reason="doubts"}': aMinuteSooner(1),
  },
  UpstreamPaused: {
    'tps_pause_oldest_seconds{of="netvenue"}': values((n) => (isOut(n) ? 60 : 'stale')),
  },
};

describe('an outage', function () {
  this.timeout(120_000);
  before(function () {
    if (!promtool) this.skip();
  });

  /** The alerts of severity page at each minute until a quarter of an hour after its end. */
  async function pagesOf(series: Record<string, string>): Promise<string[]> {
    const at = Array.from({ length: ENDS + 15 - STARTS }, (_, n) => STARTS + n);
    const output = await testRules({
      evaluation_interval: '1m',
      group_eval_order: ['warnings', 'outages'],
      tests: [
        {
          interval: '1m',
          input_series: Object.entries({ ...SERVICE, ...series }).map(([name, each]) => ({
            series: name,
            values: each,
          })),
          promql_expr_test: at.map((minute) => ({
            expr: 'count by (alertname) (ALERTS{severity="page",alertstate="firing"})',
            eval_time: `${minute}m`,
            exp_samples: [{ labels: '{alertname="none"}', value: 1 }],
          })),
        },
      ],
    });
    const named = [...output.matchAll(/got:(.*)/g)].flatMap(([, got]) =>
      [...String(got).matchAll(/alertname="(\w+)"/g)].map(([, name]) => String(name)),
    );
    return [...new Set(named)].sort();
  }

  for (const [cause, series] of Object.entries(CAUSES))
    it(`pages once, neither while it lasts nor when it has ended for what it led to: ${cause}`, async () => {
      expect(await pagesOf({ ...series, ...SUFFERING })).to.deep.equal(cause === 'UpstreamPaused' ? [] : [cause]);
    });

  it('that is a bug pages once', async () => {
    const thrown = {
      [`${REQUESTS}{status="5xx"}`]: counter(0, 200),
      'tps_http_errors_total{code="INTERNAL"}': counter(0, 200),
    };

    expect(await pagesOf(thrown)).to.deep.equal(['RequestsThrow']);
  });

  it('that is a bug pages although few requests come', async () => {
    const thrown = {
      [`${REQUESTS}{status="200"}`]: counter(1, 0.3),
      [`${REQUESTS}{status="5xx"}`]: counter(0, 0.7),
      'tps_http_errors_total{code="INTERNAL"}': counter(0, 0.7),
    };

    expect(await pagesOf(thrown)).to.deep.equal(['RequestsThrow']);
  });

  it('in which orders expire unsent pages for that, not as if the venue failed', async () => {
    const expired = { [`${ENDED}{kind="network/place",ending="expired"}`]: counter(0, 600) };

    expect(await pagesOf(expired))
      .to.include('IntentsExpireFast')
      .and.not.include('VenueEndsBadly');
  });
});
