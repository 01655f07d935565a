import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { promtool, RULES, testRules } from '../support/rules.ts';

/** Values every 15 s. */
const always = (value: number, n = 400) => `${value}x${n}`;
const rising = (by: number, n = 400) => `0+${by}x${n}`;
const LONG = 1_700; // 7 h

type Series = Record<string, string>;

/** A service in which nothing is wrong: two processes, orders that end well, requests that succeed. */
const HEALTHY: Series = {
  'tps_build_info{process="web",instance="a"}': always(1, LONG),
  'tps_build_info{process="worker",instance="b"}': always(1, LONG),
  'tps_workers_alive{instance="a"}': always(1, LONG),
  'tps_database_up{instance="a"}': always(1, LONG),
  'tps_http_request_duration_seconds_count{status="200"}': rising(100, LONG),
  'tps_intent_settle_duration_seconds_count{kind="network/place",ending="succeeded"}': rising(100, LONG),
  'tps_intent_settle_duration_seconds_bucket{kind="network/place",ending="succeeded",le="5"}': rising(100, LONG),
  'tps_intent_settle_duration_seconds_bucket{kind="network/place",ending="succeeded",le="+Inf"}': rising(100, LONG),
};
const without = (...names: string[]): Series =>
  Object.fromEntries(
    Object.keys(HEALTHY)
      .filter((name) => names.some((part) => name.includes(part)))
      .map((name) => [name, '_x10']),
  );

const CALLS = 'tps_upstream_call_duration_seconds_count';
const ENDED = 'tps_intent_settle_duration_seconds_count';
const attention = (what: string): Series => ({ [`tps_needs_attention{what="${what}"}`]: always(1) });

/** What makes each alert fire, and after how many minutes. */
const FIRING: Record<string, { series: Series; after?: number }> = {
  ServiceDown: { series: without('tps_build_info') },
  NoWeb: { series: without('process="web"') },
  NoWorkers: { series: { 'tps_workers_alive{instance="a"}': always(0) } },
  DatabaseAway: { series: { 'tps_database_up{instance="a"}': always(0) } },
  UpstreamDown: { series: { [`${CALLS}{upstream="netvenue",result="unknown"}`]: rising(5) } },
  CredentialsRejected: {
    series: { 'tps_upstream_auth_rejections_total{upstream="netvenue",others="none"}': rising(1) },
  },
  ProcessRejected: { series: { 'tps_upstream_paused{upstream="netvenue",instance="b"}': always(1) } },
  UpstreamPaused: { series: { 'tps_pause_oldest_seconds{of="exvenue"}': '0+15x400' } },
  PauseForgotten: { series: { 'tps_pause_oldest_seconds{of="partner"}': '0+15x400' }, after: 61 },
  SettingsWrong: { series: { 'tps_alert_lines_total{alert="entity_unknown"}': always(1) } },
  CrontabStands: { series: { tps_crontab_seconds: '0+15x400' }, after: 31 },
  MoneyTasksFail: { series: { 'tps_queue_jobs{task="payments/notified",state="failing"}': always(1) } },
  EventsUnapplied: { series: attention('unapplied_events') },
  OrderFilledAgain: { series: { 'tps_alert_lines_total{alert="order_filled_again"}': '0x60 1x300' } },
  LedgerUnproven: { series: { tps_ledger_unproven_seconds: always(130_000) }, after: 61 },
  ReadsLate: { series: { 'tps_reads_oldest_due_seconds{of="exits"}': '0+15x400' } },
  LostMoney: { series: attention('lost_money'), after: 61 },
  RegistrationsLost: { series: attention('lost_registrations'), after: 61 },
  ApprovalsWait: { series: attention('approvals'), after: 35 },
  TenantKeyRejected: {
    series: { 'tps_upstream_auth_rejections_total{upstream="netvenue",others="tenant"}': '0x60 1x300' },
  },
  AccountsFail: { series: attention('failed_accounts') },
  SubaccountsRejected: { series: { 'tps_alert_lines_total{alert="network_rejects_subaccounts"}': '0x60 1x300' } },
  PaidAndNotServed: { series: { tps_unfulfilled_payments: always(1) } },
  PayoutsDelayed: { series: { tps_delayed_payouts: always(1) } },
  LedgerDiffers: { series: { tps_ledger_differences: always(1) } },
  EventsUnreadable: { series: { tps_unreadable_events: always(1) } },
  PositionUnprotected: { series: { 'tps_unprotected_newest_timestamp_seconds{venue="netvenue"}': '1x60 2x300' } },
  PayoutsStranded: { series: attention('stranded_payouts') },
  IntentsUndecided: { series: attention('undecided_intents') },
  RegistrationsUnrecorded: { series: attention('unrecorded_registrations') },
  IntentsInDoubt: { series: { 'tps_intents_oldest_seconds{state="in_doubt",kind="network/place"}': always(400) } },
  OrdersStuck: { series: { 'tps_intents_oldest_seconds{state="queued",kind="network/place"}': always(200) } },
  TradingQueueLate: { series: { 'tps_queue_oldest_ready_seconds{task="network/place"}': always(30) } },
  ExitsWait: { series: { 'tps_intents_waiting_oldest_seconds{reason="slots",exits="true"}': '7 14x200' } }, // a caller's is over after 15 s
  DoubtsHoldCapacity: { series: { 'tps_intents_waiting{reason="doubts",exits="false"}': always(2) } },
  RequestsThrow: { series: { 'tps_http_errors_total{code="INTERNAL"}': rising(3) } },
  RequestsFail: { series: { 'tps_http_request_duration_seconds_count{status="5xx"}': rising(20) } },
  VenueEndsBadly: { series: { [`${ENDED}{kind="exchange/place",ending="failed"}`]: rising(10) } },
  IntentsExpireFast: { series: { [`${ENDED}{kind="network/place",ending="expired"}`]: rising(3) }, after: 70 },
  IntentsExpireSlowly: { series: { [`${ENDED}{kind="network/place",ending="expired"}`]: rising(1, LONG) }, after: 400 },
  RequestsFailFast: { series: { 'tps_http_request_duration_seconds_count{status="5xx"}': rising(3) }, after: 70 },
  RequestsFailSlowly: {
    series: { 'tps_http_request_duration_seconds_count{status="5xx"}': rising(1, LONG) },
    after: 400,
  },
  OrdersSettleLate: {
    series: {
      [`${ENDED}{kind="network/place",ending="late"}`]: rising(30),
      'tps_intent_settle_duration_seconds_bucket{kind="network/place",ending="late",le="5"}': always(0),
    },
    after: 70,
  },
  MailsFail: { series: attention('failed_mails') },
  DisputesWait: { series: attention('disputes'), after: 70 },
  PaymentsSuspect: { series: attention('suspect_payments'), after: 70 },
  RetentionBehind: { series: { 'tps_retention_behind_seconds{rows="events"}': always(90_000) }, after: 70 },
  TransactionOld: { series: { tps_database_oldest_transaction_seconds: always(700) } },
  NotificationsPile: { series: { tps_database_notification_queue_ratio: always(0.2) } },
  ProcessLost: { series: { 'tps_build_info{process="web",instance="c"}': '1x100 _x300' }, after: 35 },
  WorkerLost: { series: { 'tps_workers_alive{instance="a"}': '2x100 1x300' }, after: 35 },
  QueueLate: { series: { 'tps_queue_oldest_ready_seconds{task="mail/send"}': always(200) } },
  JobsDead: { series: { 'tps_queue_jobs{task="mail/send",state="dead"}': always(1) } },
  TasksThrow: { series: { 'tps_task_duration_seconds_count{task="mail/send",outcome="threw"}': rising(1) } },
  UpstreamUnreliable: {
    series: {
      [`${CALLS}{upstream="netvenue",result="unknown"}`]: rising(1),
      [`${CALLS}{upstream="netvenue",result="accepted"}`]: rising(5),
    },
  },
  OrdersSlow: {
    series: {
      'tps_intent_settle_duration_seconds_bucket{kind="network/place",ending="late",le="15"}': rising(20),
      'tps_intent_settle_duration_seconds_bucket{kind="network/place",ending="late",le="+Inf"}': rising(20),
    },
  },
  EndpointFailing: { series: { 'tps_webhook_endpoints{state="failing"}': always(1) } },
  DeliveriesLate: { series: { tps_deliveries_oldest_due_seconds: always(400) } },
  DeliveriesUndelivered: { series: { tps_deliveries_oldest_seconds: always(2_000) } },
  PoolExhausted: { series: { 'tps_pool_waiting{pool="web",instance="a"}': always(3) } },
  NotListening: { series: { 'tps_listen_connected{instance="a"}': always(0) } },
  DatabaseBehind: { series: { tps_database_behind: always(1) } },
  FleetDiffers: { series: { tps_fleet_differing_settings: always(1) } },
  ClockOff: { series: { 'tps_clock_ahead_seconds{instance="a"}': always(5) } },
  EventLoopLags: { series: { nodejs_eventloop_lag_p99_seconds: always(1) } },
};

const OF_ALL = 'tps_intent_settle_duration_seconds_bucket{kind="network/place",ending="succeeded",le="5"}';

/** A night: a request and an order a minute. */
const QUIET: Series = {
  'tps_http_request_duration_seconds_count{status="200"}': '0x3 1x3 2x3 3x3 4x3 5x3 6x3 7x3 8x3 9x3 10x3 11x3 12x100',
  [`${ENDED}{kind="network/place",ending="succeeded"}`]: '0x3 1x3 2x3 3x3 4x3 5x3 6x3 7x3 8x3 9x3 10x3 11x3 12x100',
  [OF_ALL]: '0x3 1x3 2x3 3x3 4x3 5x3 6x3 7x3 8x3 9x3 10x3 11x3 12x100',
};

/** One tenant of which everything fails, beside one that is unharmed, or `failing` of them. */
const tenants = (of: string, failing = 1): Series => ({
  [`tps_tenants{of="${of}",outcome="failing",instance="a"}`]: always(failing),
  [`tps_tenants{of="${of}",outcome="unharmed",instance="a"}`]: always(1),
  [`tps_tenants{of="${of}",outcome="failing",instance="b"}`]: always(0),
});
const oneTenant = (alert: string, of: string): [string, Series] => [
  alert,
  { ...FIRING[alert]?.series, ...tenants(of) },
];
const paused = (alert: string, of = 'exvenue'): [string, Series] => [
  alert,
  { ...FIRING[alert]?.series, [`tps_pause_oldest_seconds{of="${of}"}`]: '0+15x400' },
];

/** One tenant's overload that has just ended: the process shows it no more, and the rates still do. */
const ENDED_OVERLOAD: Series = {
  'tps_http_request_duration_seconds_count{status="5xx"}': '0+20x240 4800x160',
  'tps_tenants{of="requests",outcome="failing",instance="a"}': '1x250 0x150',
  'tps_tenants{of="requests",outcome="unharmed",instance="a"}': always(1),
};

/** Positions without their exits, as processes show them that a release replaces under other names. */
const replaced = (before: number, after: number): Series => ({
  'tps_unprotected_newest_timestamp_seconds{venue="netvenue",instance="a"}': `${before}x40 _x360`,
  'tps_unprotected_newest_timestamp_seconds{venue="netvenue",instance="c"}': `_x40 ${after}x360`,
});

/** What nobody is woken for: one of a few requests fails, one of a few orders expires, three are late, a trader's exits wait for its own pace,
 * one tenant sends too much, an upstream is paused, one process of several has a wrong key, or a release follows what was paged before. */
const NOT_FIRING: [string, Series, minutes?: number][] = [
  oneTenant('RequestsFail', 'requests'),
  [...oneTenant('RequestsFailFast', 'requests'), 70],
  oneTenant('VenueEndsBadly', 'exchange'),
  [...oneTenant('IntentsExpireFast', 'expired'), 70],
  [...oneTenant('OrdersSettleLate', 'late'), 70],
  ['RequestsFailFast', ENDED_OVERLOAD, 63],
  paused('RequestsFail'),
  paused('VenueEndsBadly'),
  ['PositionUnprotected', replaced(1, 1)],
  ['CredentialsRejected', { 'tps_upstream_auth_rejections_total{upstream="netvenue",others="serve"}': rising(1) }],
  [
    'ExitsWait',
    {
      'tps_intents_waiting_oldest_seconds{reason="slots",exits="true"}': always(3),
      'tps_intents_waiting_oldest_seconds{reason="pace",exits="true"}': always(14),
    },
  ],
  ['RequestsFailFast', { ...QUIET, 'tps_http_request_duration_seconds_count{status="5xx"}': '0x40 1x100' }],
  ['IntentsExpireFast', { ...QUIET, [`${ENDED}{kind="network/place",ending="expired"}`]: '0x40 1x100' }],
  [
    'OrdersSettleLate',
    {
      ...QUIET,
      [`${ENDED}{kind="network/place",ending="late"}`]: '0x40 3x100',
      'tps_intent_settle_duration_seconds_bucket{kind="network/place",ending="late",le="5"}': always(0),
    },
  ],
];

/** What is no tenant's own: it fails for two of them, whoever else is unharmed, for all of one process, or by a bug. Nor of what is paused. */
const STILL_FIRING: [string, Series][] = [
  ['RequestsFail', { ...FIRING.RequestsFail?.series, ...tenants('requests', 2) }],
  ['VenueEndsBadly', { ...FIRING.VenueEndsBadly?.series, ...tenants('network'), ...tenants('exchange', 2) }],
  ['VenueEndsBadly', { ...FIRING.VenueEndsBadly?.series, ...tenants('network') }],
  [
    'RequestsFail',
    {
      ...FIRING.RequestsFail?.series,
      ...tenants('requests'),
      'tps_tenants{of="requests",outcome="unharmed",instance="a"}': always(0),
      'tps_tenants{of="requests",outcome="unharmed",instance="b"}': always(1),
    },
  ],
  paused('RequestsFail', 'registrar'),
  paused('VenueEndsBadly', 'netvenue'),
  ['PositionUnprotected', replaced(0, 1)],
  ['RequestsThrow', { ...FIRING.RequestsThrow?.series, ...tenants('requests'), ...FIRING.UpstreamPaused?.series }],
];

describe('the rules of the example alerts, evaluated by Prometheus', function () {
  this.timeout(240_000);
  before(function () {
    if (!promtool) this.skip();
  });

  const testOf = (series: Series, minutes: number, expr: string, samples: object[]) => ({
    interval: '15s',
    input_series: Object.entries({ ...HEALTHY, ...series }).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [{ expr, eval_time: `${minutes}m`, exp_samples: samples }],
  });

  it('fire when they should, each one, and none of them while nothing is wrong', async () => {
    const { groups } = load(await readFile(RULES, 'utf8')) as { groups: { rules: { alert: string }[] }[] };
    const fires = ([alert, { series, after = 25 }]: [string, (typeof FIRING)[string]]) =>
      testOf(series, after, `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0`, [{ value: 1 }]);
    const isLong = ([, { after = 0 }]: [string, (typeof FIRING)[string]]) => after > 100;
    const all = Object.entries(FIRING);
    const none = testOf({}, 400, 'count(ALERTS{alertstate="firing"})', []);
    const silent = NOT_FIRING.map(([alert, series, minutes = 12]) =>
      testOf(series, minutes, `count(ALERTS{alertname="${alert}",alertstate="firing"})`, []),
    );
    const still = STILL_FIRING.map(([alert, series]) => fires([alert, { series }]));
    const runs = [
      { evaluation_interval: '1m', tests: [...all.filter((each) => !isLong(each)).map(fires), ...still, ...silent] },
      { evaluation_interval: '10m', tests: [...all.filter(isLong).map(fires), none] }, // each evaluation looks back for hours
    ];

    const outputs = [];
    for (const run of runs) outputs.push(await testRules(run));

    expect(Object.keys(FIRING)).to.have.members(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)));
    for (const output of outputs) expect(output).to.match(/SUCCESS/);
  });
});
