import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { budgets } from '../../../src/capacity/budgets.ts';
import { type Caller, caller, type Reply } from '../../support/caller.ts';
import { quantile } from '../audit.ts';
import type { Wallet } from '../callers.ts';
import { atPace } from '../load.ts';
import { openStage, type Stage } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';
import { startWeighed } from '../weighed.ts';

type BudgetName = keyof typeof budgets;

/** What one tenant asks for again and again to use up a budget, and how often in a second. */
type Load = { perSecond: number; ask(flooder: Flooder, n: number): Promise<Reply> };
/** `byExits`: the same with exits, which come before all entries. */
type Flood = Load & { venue: keyof Stores; byExits?: Load };
type Flooder = { traders: Caller[]; wallets: Wallet[] };

/** Another tenant, who opens a position and closes it, in turn. Each takes milliseconds; null: it failed. */
type Times = { entries: (number | null)[]; exits: (number | null)[] };

export type FloodLoad = {
  traders: number;
  /** How often the other tenant trades, before and beside each flood. */
  probes: number;
  /** How long a flood lasts before the other tenant trades. */
  leadMs: number;
};

/** One budget: the times of another tenant in quiet and beside a flood, and what became of the flooding requests. */
export type Flooded = {
  budget: BudgetName;
  isByExits: boolean;
  quiet: Times;
  beside: Times;
  flooding: { sent: number; accepted: number };
};

const NETWORK = '/v1/orders/netvenue';
const EXCHANGE = '/v1/orders/exvenue';
const LATER = { prefer: 'wait=0' };
const THREADS = 10;
const SIGNALS_PER_MIN = 10;
const WEIGHT_PER_MINUTE = 1_200;
const EXCHANGE_MS = 150;
const MINER_MS = [1_500, 2_500] as const;
/** At the exchange an entry and a close cost about 100 of 1,200 a minute: oftener, the other tenant would flood as well. */
const PROBE_EVERY_MS = { network: 3_000, exchange: 15_000 };

const buy = (trader: Caller, extra: { prefer: string }, more: object = {}) =>
  trader.post(NETWORK, { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.01, ...more }, extra);
const of = <T>(all: readonly T[], n: number) => all[n % all.length] as T; // as: there is at least one
const invented = ({ url, key }: Caller) =>
  caller(url, key, { 'Trader-ID': `0x${randomBytes(20).toString('hex')}` }).get('/v1/positions/exvenue');

const close = (trader: Caller) => trader.post(`${NETWORK}/close`, { trade_pair: 'BTCUSDC' }, LATER);
const withdraw = (caller: Caller, venue: string, id: string) => caller.delete(`${venue}/${id}`, LATER);
const unknownCloid = () => `0x${randomBytes(16).toString('hex')}`;

/** The flood of every budget of the table: a budget without one does not compile. */
const floods: Record<BudgetName, Flood> = {
  miner: {
    venue: 'network',
    perSecond: 30,
    ask: ({ traders }, n) => buy(of(traders, n), LATER),
    byExits: {
      perSecond: 30,
      ask: ({ traders }, n) => (n % 2 === 0 ? withdraw(of(traders, n), NETWORK, randomUUID()) : close(of(traders, n))),
    },
  },
  signals: {
    venue: 'network',
    perSecond: 20,
    ask: ({ traders }) => buy(of(traders, 0), LATER),
    byExits: { perSecond: 20, ask: ({ traders }) => close(of(traders, 0)) },
  },
  comparisons: {
    venue: 'network',
    perSecond: 4,
    ask: ({ traders }, n) => buy(of(traders, n), LATER, { stop_loss: 1 }),
  },
  exchange_comparisons: {
    venue: 'exchange',
    perSecond: 1,
    ask: ({ wallets }, n) =>
      of(wallets, n).post(
        EXCHANGE,
        { pair: 'BTC', side: 'long', size: '0.001', order_type: 'market', stop_loss: 1 },
        LATER,
      ),
  },
  exchange: {
    venue: 'exchange',
    perSecond: 20,
    ask: ({ wallets }, n) =>
      n % 2 === 0
        ? invented(of(wallets, n))
        : of(wallets, n).post(EXCHANGE, { pair: 'BTC', side: 'long', size: '0.001', order_type: 'market' }, LATER),
    byExits: {
      perSecond: 20,
      ask: ({ wallets }, n) =>
        n % 2 === 0
          ? withdraw(of(wallets, n), EXCHANGE, unknownCloid())
          : of(wallets, n).post(`${EXCHANGE}/close`, { pair: 'BTC' }, LATER),
    },
  },
};

const MOST_FLOODS = 2 * Object.keys(floods).length;

type Stores = Record<'network' | 'exchange', (n: number) => Promise<{ entryMs: number | null; exitMs: number | null }>>;

/** Plays the flood of each budget on one service, and reports each as soon as it is known. */
export async function floodEachBudget(load: FloodLoad, report: (flooded: Flooded) => void): Promise<void> {
  const weight = await startWeighed(WEIGHT_PER_MINUTE, EXCHANGE_MS);
  const stage = await openStage({
    webs: 1,
    workers: 2,
    upstream: { threads: THREADS, processingMs: MINER_MS, signalsPerMin: SIGNALS_PER_MIN },
    settings: {
      EXVENUE_URL: weight.proxy.url,
      EXVENUE_BUDGET_PER_MINUTE: String(WEIGHT_PER_MINUTE),
      NETVENUE_MINER_THREADS: String(THREADS),
      NETVENUE_SIGNALS_PER_MIN: String(SIGNALS_PER_MIN),
      NETVENUE_PATIENCE_MS: '12000',
      NETVENUE_IN_FLIGHT_MS: '105000',
      ORDER_DEADLINE_MS: '15000',
      THROTTLE_SCALE: '1000',
    },
  });
  weight.proxy.target = stage.exchange.url;
  try {
    const flooder = { traders: await stage.traders(load.traders), wallets: await stage.wallets(5) };
    const stores = await openStores(stage, load.probes * (1 + MOST_FLOODS));
    const names = Object.keys(floods) as BudgetName[]; // as: `floods` has one for each
    let probed = 0;
    const probe = async (venue: keyof Stores): Promise<Times> => {
      const times: Times = { entries: [], exits: [] };
      for (let n = 0; n < load.probes; n++) {
        const [{ entryMs, exitMs }] = await Promise.all([stores[venue](probed++), sleep(PROBE_EVERY_MS[venue])]);
        times.entries.push(entryMs);
        times.exits.push(exitMs);
      }
      return times;
    };
    const quiet = { network: await probe('network'), exchange: await probe('exchange') };
    const play = async (budget: BudgetName, { perSecond, ask }: Load, isByExits: boolean) => {
      const { venue } = floods[budget];
      let isOver = false;
      const flooding = atPace({ perSecond, goOn: () => !isOver }, (n) => ask(flooder, n).catch(() => null));
      await sleep(load.leadMs);
      const beside = await probe(venue);
      isOver = true;
      const replies = await flooding;
      const accepted = replies.filter((reply) => reply !== null && reply.status < 300).length;
      report({ budget, isByExits, quiet: quiet[venue], beside, flooding: { sent: replies.length, accepted } });
    };
    for (const budget of names) {
      const { byExits, ...entries } = floods[budget];
      await play(budget, entries, false);
      if (byExits) await play(budget, byExits, true);
    }
  } finally {
    await stage.close();
    await weight.proxy.close();
  }
}

/** The other tenants: at the network a new trader for each probe, at the exchange one wallet. */
async function openStores(stage: Stage, probes: number): Promise<Stores> {
  const [traders, [wallet]] = await Promise.all([stage.traders(probes), stage.wallets(1)]);
  return {
    network: async (n) => {
      const trader = of(traders, n);
      const entryMs = await timed(() => buy(trader, WAITING));
      return {
        entryMs,
        exitMs: await timed(() => trader.post(`${NETWORK}/close`, { trade_pair: 'BTCUSDC' }, WAITING)),
      };
    },
    exchange: async () => {
      const order = { pair: 'BTC', side: 'long', size: '0.001', order_type: 'market' };
      const entryMs = await timed(() => (wallet as Wallet).post(EXCHANGE, order, WAITING)); // as: one was made
      return {
        entryMs,
        exitMs: await timed(() => (wallet as Wallet).post(`${EXCHANGE}/close`, { pair: 'BTC' }, WAITING)),
      };
    },
  };
}

const WAITING = { prefer: 'wait=25' };

async function timed(act: () => Promise<Reply>): Promise<number | null> {
  const startedAt = performance.now();
  const { status } = await act();
  return status === 200 ? performance.now() - startedAt : null;
}

const ENTRY_FACTOR = 2;
const EXIT_FACTOR = 1.2;

/** Whether the other tenant's entries and exits were all executed, and took hardly longer than in quiet. */
export function floodVerdicts({ budget, isByExits, quiet, beside, flooding }: Flooded): Verdict[] {
  const { each, unit } = budgets[budget];
  const verdict = (kind: keyof Times, factor: number): Verdict => {
    const done = beside[kind].filter((ms) => ms !== null);
    const [quietMs, besideMs] = [medianOf(quiet[kind]), medianOf(beside[kind])];
    return {
      promise: 'FLOOD',
      text: `${kind} of another tenant while one floods the ${unit} (${each})${isByExits ? ' by exits' : ''}`,
      figure: `${done.length} of ${beside[kind].length} executed, ${seconds(besideMs)} (quiet ${seconds(quietMs)}), beside ${flooding.sent} requests of which ${flooding.accepted} were accepted`,
      bound: `all, within ${factor} × the quiet time`,
      kept: done.length === beside[kind].length && besideMs <= factor * quietMs,
    };
  };
  return [verdict('entries', ENTRY_FACTOR), verdict('exits', EXIT_FACTOR)];
}

const medianOf = (times: readonly (number | null)[]): number =>
  quantile(
    times.map((ms) => ms ?? Number.POSITIVE_INFINITY),
    0.5,
  );
