import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../support/caller.ts';
import { quantile } from '../audit.ts';
import { atPace } from '../load.ts';
import { allSettled, openStage, placeOne, type Stage } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';
import { live } from './verbs.ts';
import { auditVerbs, type VerbAudit } from './verbs-audit.ts';
import { gather } from './verbs-traders.ts';

/**
 * What happens to the miner, and for how long. `reset`: it closes every connection, a part of the orders after it has executed
 * them. `hung`: requests wait, and it executes them at its return, also those whose caller has disconnected.
 */
export type Glitch = { kind: 'reset' | 'hung'; ms: number };

/** A miner of few threads that fails for a while under orders at a steady rate, beside traders who use every verb. */
export type GlitchLoad = {
  glitches: readonly Glitch[];
  perSecond: number;
  /** Traders of the orders; each may send only a few in a minute. */
  buyers: number;
  /** Traders who use every verb: five verbs each, on average. */
  traders: number;
  /** Traders who hold a position, and close it as soon as the miner is back. */
  holders: number;
  threads: number;
  signalsPerMin: number;
  processingMs: readonly [number, number];
  beforeMs: number;
  afterMs: number;
  settings: Record<string, string>;
  settleWithinMs: number;
};

type Offered = { id: string; atMs: number; status: number };
type Ended = { id: string; state: string; settled_ms: number };

/** Times are in milliseconds; those of closes since the miner's return or their submission, the later of both. */
export type Glitched = {
  glitch: Glitch;
  /** From the return to the first order that was executed. */
  firstEntryMs: number;
  /** Orders offered from 5 s after the return on, those of them that were executed, and what the slowest took. */
  entries: { offered: number; executed: number; slowestMs: number };
  closes: { offered: number; executed: number; slowestMs: number };
  /** The slowest close while nothing was wrong yet. */
  quietCloseMs: number;
  /** Orders that were refused or expired while the miner was away. */
  meanwhile: { refused: number; expired: number };
  audit: VerbAudit;
  mostAtOnce: number;
  mostLookUps: number;
};

const ORDERS = '/v1/orders/netvenue';
const FLOWS_WITHIN_MS = 5_000;
const EXITS_WITHIN_MS = 2_000;
const EXECUTED_UNSEEN = 0.3;
const QUIET_CLOSES = 3;
/** Two slots are kept for exits: more at once would wait for each other. */
const CLOSE_EVERY_MS = 500;
/** Slots that doubts hold come back one by one, so the miner is not used fully for a while. */
const EXECUTED_SHARE = 0.5;

/** Plays one glitch on a service of its own. */
export async function tradeThroughGlitch(glitch: Glitch, load: GlitchLoad): Promise<Glitched> {
  const { threads, processingMs, signalsPerMin } = load;
  const stage = await openStage({
    workers: 2,
    upstream: { threads, processingMs, signalsPerMin },
    settings: {
      THROTTLE_SCALE: '1000',
      ...load.settings,
      NETVENUE_MINER_THREADS: String(threads),
      NETVENUE_SIGNALS_PER_MIN: String(signalsPerMin),
    },
  });
  try {
    const [holders, early] = [await stage.traders(load.holders), await stage.traders(QUIET_CLOSES)];
    const held = await Promise.all([...holders, ...early].map((holder) => placeOne(holder)));
    await allSettled(stage, load.settleWithinMs);
    const submits = await gather(stage, { partners: load.traders, users: 0, tenants: 0 });
    const buyers = await stage.traders(load.buyers);
    let isOver = false;
    const orders = atPace({ perSecond: load.perSecond, goOn: () => !isOver }, (n) => buy(buyers, n));
    const everyMs = (load.beforeMs + glitch.ms + load.afterMs) / load.traders;
    const verbs = Promise.all(submits.map((submit, n) => live(submit, n, { everyMs })));
    for (const work of [orders, verbs]) work.catch(() => {}); // reported below
    const quiet = await Promise.all(early.map((holder, n) => closeAfter(holder, CLOSE_EVERY_MS * n)));
    await sleep(load.beforeMs);
    const end = begin(stage, glitch);
    await sleep(glitch.ms);
    end();
    const backAtMs = Date.now();
    const closes = await Promise.all(holders.map((holder, n) => closeAfter(holder, CLOSE_EVERY_MS * n)));
    await sleep(Math.max(0, backAtMs + load.afterMs - Date.now()));
    isOver = true;
    const offered = await orders;
    const taken = (await verbs).flat();
    await allSettled(stage, load.settleWithinMs);
    const accepted = [...offered, ...closes, ...quiet].filter(({ status }) => status < 300).map(({ id }) => id);
    const ended = await endsOf(stage, accepted);
    const first = offered.flatMap(({ id }) => ended.get(id) ?? []).filter(({ state }) => state === 'succeeded');
    const meanwhile = offered.filter(({ atMs }) => atMs < backAtMs);
    return {
      glitch,
      firstEntryMs: Math.min(...first.map(({ settled_ms }) => settled_ms - backAtMs).filter((ms) => ms > 0)),
      entries: executedOf(
        offered.filter(({ atMs }) => atMs >= backAtMs + FLOWS_WITHIN_MS),
        ended,
      ),
      closes: executedOf(closes, ended),
      quietCloseMs: executedOf(quiet, ended).slowestMs,
      meanwhile: {
        refused: meanwhile.filter(({ status }) => status >= 400).length,
        expired: meanwhile.filter(({ id }) => ended.get(id)?.state === 'expired').length,
      },
      audit: await auditVerbs(stage, [...held, ...taken, ...accepted]),
      mostAtOnce: stage.upstream.mostAtOnce(),
      mostLookUps: stage.upstream.mostLookUps(),
    };
  } finally {
    await stage.close();
  }
}

function begin({ upstream }: Stage, { kind }: Glitch): () => void {
  if (kind === 'hung') return upstream.hang();
  const route = 'POST /miner/api/submit-order';
  upstream.faults.add({ kind: 'accept_then_drop', route, rate: EXECUTED_UNSEEN });
  upstream.faults.add({ kind: 'reset', route: '/miner/' });
  return upstream.faults.clear;
}

async function buy(buyers: readonly Caller[], n: number): Promise<Offered> {
  const buyer = buyers[n % buyers.length] as Caller; // as: there is at least one
  const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.01, order_uuid: randomUUID() };
  const atMs = Date.now();
  const { status, headers } = await buyer.post(ORDERS, order, { prefer: 'wait=0' });
  return { id: String(headers['intent-id']), atMs, status };
}

async function closeAfter(holder: Caller, ms: number): Promise<Offered> {
  await sleep(ms);
  const atMs = Date.now();
  const { status, headers } = await holder.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' }, { prefer: 'wait=20' });
  return { id: String(headers['intent-id']), atMs, status };
}

async function endsOf({ rows }: Stage, ids: string[]): Promise<Map<string, Ended>> {
  const ended = await rows<Ended>(
    `select id, state, extract(epoch from settled_at)::float8 * 1000 as settled_ms from intents where id = any($1::uuid[])`,
    [ids],
  );
  return new Map(ended.map((end) => [end.id, end]));
}

function executedOf(offered: readonly Offered[], ended: Map<string, Ended>): Glitched['entries'] {
  const took = offered.flatMap(({ id, atMs }) => {
    const end = ended.get(id);
    return end?.state === 'succeeded' ? [end.settled_ms - atMs] : [];
  });
  return { offered: offered.length, executed: took.length, slowestMs: quantile(took, 1) };
}

/** Whether orders and exits flow soon after the miner's return, and nothing was lost, doubled or told wrong. */
export function glitchVerdicts(
  { glitch, firstEntryMs, entries, closes, quietCloseMs, meanwhile, audit, mostAtOnce, mostLookUps }: Glitched,
  { perSecond, threads }: Pick<GlitchLoad, 'perSecond' | 'threads'>,
): Verdict[] {
  const text = `a miner of ${threads} threads that is ${glitch.kind} for ${seconds(glitch.ms)}, ${perSecond} orders/s`;
  const { verbs, states, lost, doubled, denied, forgotten, strange, unprotected } = audit;
  const wrong = lost + doubled + denied + forgotten + strange + unprotected;
  return [
    {
      promise: 'GLITCH',
      text: `${text}: entries`,
      figure: `the first after ${seconds(firstEntryMs)}, of those offered from then on ${entries.executed} of ${entries.offered} executed, the slowest in ${seconds(entries.slowestMs)}; while it was away ${meanwhile.refused} refused, ${meanwhile.expired} expired`,
      bound: `the first within ${seconds(FLOWS_WITHIN_MS)} of its return, most of the others`,
      kept: firstEntryMs <= FLOWS_WITHIN_MS && entries.executed >= entries.offered * EXECUTED_SHARE,
    },
    {
      promise: 'GLITCH',
      text: `${text}: exits`,
      figure: `${closes.executed} of ${closes.offered} executed, the slowest in ${seconds(closes.slowestMs)} (before it ${seconds(quietCloseMs)})`,
      bound: `all, within ${seconds(EXITS_WITHIN_MS)}`,
      kept: closes.executed === closes.offered && closes.slowestMs <= EXITS_WITHIN_MS,
    },
    {
      promise: 'GLITCH',
      text: `${text}: ledger`,
      figure:
        `${verbs} verbs ${JSON.stringify(states)}: ${lost} lost, ${doubled} doubled, ${denied + forgotten + strange} told wrong, ` +
        `${unprotected} unprotected; at most ${mostAtOnce} at once, ${mostLookUps} of them look-ups`,
      bound: '0, 0, 0, 0; never more requests than threads',
      kept: wrong === 0 && verbs > 0 && mostAtOnce <= threads && mostLookUps <= 1,
    },
  ];
}
