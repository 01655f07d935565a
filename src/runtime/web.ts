import type { Logger } from 'pino';
import { rejectionRecorder } from '../capabilities/admin/audit/commands.ts';
import { adminFinder } from '../capabilities/admin/sessions/commands.ts';
import { appFinder, clientFinder, originFinder } from '../capabilities/apps/queries.ts';
import { partnerLogs } from '../capabilities/events/stream/queries.ts';
import { watchClock } from '../capabilities/health/clock.ts';
import { watchBehind } from '../capabilities/health/restore-check.ts';
import { partnerFinder } from '../capabilities/partners/queries.ts';
import { keepRequests } from '../capabilities/requests/commands.ts';
import { openStreams } from '../capabilities/streams/hub.ts';
import { streamLimit } from '../capabilities/streams/limit.ts';
import type { EventLogs } from '../capabilities/streams/logs.ts';
import { ticketFinder } from '../capabilities/streams/tickets/commands.ts';
import { traderFinder } from '../capabilities/trading/keys/commands.ts';
import { accountLogs } from '../capabilities/trading/stream/commands.ts';
import { userFinder } from '../capabilities/users/sessions/commands.ts';
import type { Config } from '../config.ts';
import { openPool, openPooledPool, WEB_LIMITS } from '../db/pool.ts';
import { listenForSettlements, type Settlements } from '../db/settled.ts';
import { throttle } from '../db/throttles.ts';
import { acceptance } from '../intents/accept.ts';
import { intentReader, untilEnded, waiting } from '../intents/follow.ts';
import { waitOf } from '../intents/waits.ts';
import { headSigner } from '../kernel/head-keys.ts';
import { openPauses } from '../kernel/pauses.ts';
import { poolState, watchListening, watchPauses, watchPool } from '../metrics/process.ts';
import type { Metrics } from '../metrics/registry.ts';
import { admission } from '../venues/network/orders/admission.ts';
import { venueReads } from '../venues/reads.ts';
import { runtimeBase } from './base.ts';
import { openUpstreams } from './upstreams.ts';
import { noticing, openVenues } from './venues.ts';

/** The dependencies of the web process. Each handler declares the part it uses. */
export type WebRuntime = Awaited<ReturnType<typeof openWebRuntime>>;

/**
 * Opens the dependencies of the web process. `stop` ends waits for intents within 2 s; `close` releases all
 * connections.
 */
export async function openWebRuntime(config: Config, log: Logger, metrics: Metrics) {
  const onError = (err: Error) => log.warn({ err }, 'database connection');
  const open = config.DATABASE_POOLER === 'transaction' ? openPooledPool : openPool;
  const db = await open(config.DATABASE_URL, config.WEB_POOL_SIZE, onError, WEB_LIMITS);
  const clock = await watchClock(db, log, metrics);
  const pauses = openPauses();
  const { exvenue, registrar, webhooks, processor, netvenue, shown } = await openUpstreams({
    config,
    metrics,
    log,
    db,
    pauses,
  });
  const caughtUp = () => settlements.caughtUp();
  const reads = venueReads(netvenue(), exvenue, config.VENUE_READ_MS, caughtUp, noticing(db, log));
  const settlements: Settlements = listenForSettlements(config.directUrl, onError, {
    onTraded: reads.forgetTrader,
    onPartnersChanged: () => partners.forget(),
  });
  const partners = partnerFinder(db, settlements.isListening);
  const admit = admission(config, settlements, (intentId) => waitOf(db, intentId));
  const limit = streamLimit(config.STREAMS_PER_APP, config.STREAM_HEARTBEAT_MS);
  const streamsOf = (logs: EventLogs) => openStreams({ logs, settlements, log }, config.STREAM_HEARTBEAT_MS, limit);
  const [ofAccounts, ofPartners] = [accountLogs(db), partnerLogs(db)];
  const [streams, partnerStreams] = [streamsOf(ofAccounts), streamsOf(ofPartners)];
  const watching = [
    watchPool(metrics, { name: 'web', limit: config.WEB_POOL_SIZE, state: poolState(db) }),
    watchPauses(metrics, pauses.left),
    watchListening(metrics, { isListening: settlements.isListening, streams: limit.count }),
  ];
  const behind = watchBehind({ db, log, config, shown });
  const process = { kind: 'web' as const, db, config, log, metrics, clock, isListening: settlements.isListening };
  const base = runtimeBase(process, pauses);
  const requests = keepRequests(db, log);
  const closeStreams = () => {
    streams.close();
    partnerStreams.close();
  };
  const stopping = new AbortController();
  const until = untilEnded(settlements, stopping.signal);
  return {
    ...base,
    behind,
    exvenue,
    registrar,
    webhooks,
    processor,
    partners: partners.find,
    forgetPartners: partners.forget,
    clients: clientFinder(db),
    apps: appFinder(db),
    users: userFinder(db),
    traders: traderFinder(db),
    partnerTickets: ticketFinder(db, 'partner', ofPartners),
    accountTickets: ticketFinder(db, 'account', ofAccounts),
    origins: originFinder(db),
    admins: adminFinder(db),
    heads: headSigner(config.AGREEMENT_KEYS),
    recordRejection: rejectionRecorder(db),
    requests: requests.records,
    throttle: throttle(db, config.THROTTLE_SCALE),
    acceptIntent: acceptance(db, 'accept_intents'),
    acceptNetworkOrder: admit(acceptance(db, 'accept_network_orders')),
    acceptExchangeOrder: acceptance(db, 'accept_exchange_orders'),
    acceptRegistration: acceptance(db, 'accept_registrations'),
    acceptCheckout: acceptance(db, 'accept_checkouts'),
    acceptFreeAccount: acceptance(db, 'accept_free_accounts'),
    acceptTradingOrder: admit(acceptance(db, 'accept_trading_orders')),
    streams,
    partnerStreams,
    streamLimit: limit,
    closeStreams,
    wait: waiting(intentReader(db), until, (id) => waitOf(db, id)),
    until,
    reads,
    ...openVenues({ db, reads, config }),
    stop: () => stopping.abort(),
    async close() {
      clock.stop();
      behind.stop();
      for (const unwatch of watching) unwatch();
      closeStreams();
      await base.fleet.leave();
      await requests.stop();
      await settlements.close();
      await db.end();
    },
  };
}
