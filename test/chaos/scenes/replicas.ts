import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isZero, minus, plus } from '../../../src/kernel/decimals.ts';
import { cloidOf, coinOf, legCloid } from '../../../src/kernel/exchange-names.ts';
import type { IntentId, WalletAddress } from '../../../src/kernel/ids.ts';
import type { Entry } from '../../../src/sandbox/ledger.ts';
import { quantile } from '../audit.ts';
import type { Wallet } from '../callers.ts';
import { auditExchange, type ExchangeAudit, isFlawlessExchange } from '../exchange-audit.ts';
import { scriptFaults } from '../faults.ts';
import { type Harms, harm } from '../harms.ts';
import { acknowledged, atPace, underWay } from '../load.ts';
import { allSettled, openStage, type Stage } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';
import { loadExchange } from './exchange-load.ts';
import { checkExits, REPLICAS } from './trading.ts';

const ORDERS = '/v1/orders/exvenue';
const LATER = { prefer: 'wait=0' };
/** The exchange streams the events of so many users; the brackets that it ends are theirs. */
const STREAMED = 10;
/** Half of a limit order of this size is filled at once. See magic.ts of the sandbox. */
const HALF_FILLED = '0.0505';
const SETTLE_MS = 600_000;

/**
 * The numbers of a run. `resting`: brackets that only rest, beside those that the venue ends, `endAfterMs` after they rest. `withinMs`: how soon
 * new exits are promised.
 */
export type BehindLoad = {
  seed: number;
  orders: number;
  closes: number;
  brackets: number;
  resting: number;
  perSecond: number;
  behindMs: number;
  endAfterMs: number;
  withinMs: number;
  settings: Record<string, string>;
};

/** What came of it. `unprotectedMs`: from the end of a half-filled bracket to new exits at the venue; null if there were none. */
export type Behind = {
  load: BehindLoad;
  commands: number;
  audit: ExchangeAudit;
  closes: {
    filled: number;
    partial: number;
    failed: Record<string, number>;
    filledWithRest: number;
    deniedPositions: number;
  };
  unprotectedMs: (number | null)[];
  harms: Harms;
};

/**
 * Commands at an exchange whose replicas are behind independently, while responses are lost and workers are killed. The venue ends
 * brackets that are filled in half, with their exits; the position is unprotected until new ones are there.
 */
export async function tradeBehind(load: BehindLoad): Promise<Behind> {
  const stage = await openStage({ webs: 1, workers: 3, settings: load.settings });
  try {
    const [holders, closers, traders] = [
      await stage.wallets(2),
      await stage.wallets(20),
      await stage.wallets(STREAMED),
    ];
    await rest(holders, load.resting);
    scriptFaults(stage.exchange.faults, 'POST /exchange', load.seed);
    stage.exchange.setBehind(load.behindMs, REPLICAS);
    const trading = Promise.all([
      loadExchange(stage, 40, { perSecond: load.perSecond, goOn: (n) => n < load.orders }),
      closeAll(closers, load),
      breakBrackets(stage, traders, load),
    ]);
    const loading = underWay(trading);
    const harming = harm(stage, { sequence: ['kill'], everyMs: 10_000, goOn: loading });
    const [[taken, closes, ended], harms] = await Promise.all([trading, harming]); // what fails first is reported
    await allSettled(stage, SETTLE_MS);
    await checkExits(stage, SETTLE_MS);
    return {
      load,
      commands: (await stage.rows(`select from intents where kind like 'exchange/%' and not request ? 'because_of'`))
        .length,
      audit: await auditExchange(stage, [...taken, ...closes]),
      closes: await auditCloses(stage),
      unprotectedMs: await unprotected(stage, ended),
      harms,
    };
  } finally {
    await stage.close();
  }
}

const far = { pair: 'ETH', side: 'long', size: '0.01', order_type: 'limit', price: 2_000, stop_loss: 1_500 } as const;

/** Brackets that rest far from the market. */
async function rest(wallets: readonly Wallet[], count: number): Promise<void> {
  const AT_ONCE = 20;
  for (let n = 0; n < count; n += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, k) =>
        wallets[(n + k) % wallets.length]?.post(ORDERS, { ...far, client_order_id: randomUUID() }),
      ),
    );
}

/** Opens positions and closes them, each wallet one after the other. */
const closeAll = (wallets: readonly Wallet[], { closes, perSecond, orders }: BehindLoad): Promise<string[]> =>
  atPace({ perSecond: (perSecond * closes) / orders, goOn: (n) => n < closes }, async (n) => {
    const wallet = wallets[n % wallets.length] as Wallet; // as: there are some
    const order = { pair: 'SOL', side: n % 2 === 0 ? 'long' : 'short', size: '2', order_type: 'market' };
    await acknowledged(() => wallet.post(ORDERS, { ...order, client_order_id: randomUUID() }, LATER));
    const key = randomUUID();
    return acknowledged(() => wallet.post(`${ORDERS}/close`, { pair: 'SOL' }, { ...LATER, key }));
  });

/** A bracket that the venue has ended, and when (epoch ms). */
type Ended = { wallet: string; at: number };

/** Brackets that are filled in half; the venue ends the rest, and the exits with it. One in each pair of a wallet. */
async function breakBrackets(stage: Stage, wallets: readonly Wallet[], load: BehindLoad): Promise<Ended[]> {
  const pace = { perSecond: (load.perSecond * load.brackets) / load.orders, goOn: (n: number) => n < load.brackets };
  const ended = await atPace(pace, async (n) => {
    const wallet = wallets[n % wallets.length] as Wallet; // as: there are some
    const id = randomUUID();
    const bracket = {
      ...{ pair: 'BTC', side: 'long', size: HALF_FILLED, order_type: 'limit', price: 100_000 },
      stop_loss: 90_000,
    };
    const intent = await acknowledged(() => wallet.post(ORDERS, { ...bracket, client_order_id: id }, LATER));
    const cloid = cloidOf(intent as IntentId); // as: the id that was responded
    const rests = () => stage.exchange.hasOpen(wallet.wallet, cloid);
    for (let waited = 0; waited < 60_000 && !rests(); waited += 200) await sleep(200);
    await sleep(load.endAfterMs);
    const isEnded = stage.exchange.endOrder(wallet.wallet, cloid, 'marginCanceled');
    return isEnded ? { wallet: wallet.wallet, at: Date.now() } : null; // else it was never placed
  });
  return ended.filter((one) => one !== null);
}

type Command = {
  id: IntentId;
  settled_at: Date;
  request: { wallet: WalletAddress; pair: string };
  state: string;
  outcome: Outcome | null;
};
type Outcome = { result?: { status?: string }; problem?: { code: string } };

/**
 * What closings were told to have done, against the venue's ledger. `deniedPositions`: those that were told that there is no position while
 * there was one.
 */
async function auditCloses(stage: Stage): Promise<Behind['closes']> {
  const closes = await stage.rows<Command>(
    `select id, request, state, outcome, settled_at from intents where kind = 'exchange/close'`,
  );
  const positions = positionsOf(stage.exchange.ledger.entries());
  const told: Behind['closes'] = { filled: 0, partial: 0, failed: {}, filledWithRest: 0, deniedPositions: 0 };
  for (const { id, request, state, outcome, settled_at } of closes) {
    const steps = positions.get(`${request.wallet} ${coinOf(request.pair)}`) ?? [];
    const code = outcome?.problem?.code ?? state;
    if (state !== 'succeeded') {
      told.failed[code] = (told.failed[code] ?? 0) + 1;
      const last = steps.findLast(({ at }) => at <= settled_at.getTime());
      if (code === 'V1_NO_POSITION' && last && !isZero(last.left)) told.deniedPositions += 1;
    } else if (outcome?.result?.status !== 'filled') told.partial += 1;
    else {
      told.filled += 1;
      const own = steps.findLast(({ key }) => key.split('/')[0] === cloidOf(id));
      if (!own || !isZero(own.left)) told.filledWithRest += 1;
    }
  }
  return told;
}

/** An execution, and the position that it left. */
type Step = { key: string; at: number; left: string };

/** The executions of each wallet and coin, by the venue's ledger. */
function positionsOf(entries: readonly Entry[]): ReadonlyMap<string, readonly Step[]> {
  const positions = new Map<string, Step[]>();
  for (const { kind, key, at, pair, detail } of entries) {
    if (kind !== 'filled' && kind !== 'part_filled') continue;
    const name = `${detail.account} ${pair}`;
    const steps = positions.get(name) ?? [];
    const before = steps.at(-1)?.left ?? '0';
    const taken = String(detail.taken);
    steps.push({ key, at, left: detail.isBuy === true ? plus(before, taken) : minus(before, taken) });
    positions.set(name, steps);
  }
  return positions;
}

/** How long each position was without exits, by the venue's ledger: until the first exit that a command placed there after the end. */
async function unprotected(stage: Stage, ended: readonly Ended[]): Promise<(number | null)[]> {
  const commands = await stage.rows<Command>(`select id, request from intents where kind = 'exchange/protect'`);
  const names = new Map(commands.map(({ id, request }) => [legCloid(id, 'sl'), request.wallet]));
  const placed = stage.exchange.ledger.entries().filter(({ kind, key }) => kind === 'placed' && names.has(key));
  return ended.map(({ wallet, at }) => {
    const next = placed.find((entry) => names.get(entry.key) === wallet && entry.at >= at);
    return next ? next.at - at : null;
  });
}

/** The promises about an exchange whose reads are behind. */
export function behindVerdicts({ load, commands, audit, closes, unprotectedMs, harms }: Behind): Verdict[] {
  const known = unprotectedMs.filter((ms) => ms !== null);
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantile(known, share)) as [number, number, number]; // as: three of three
  const reads = `reads 0 to ${load.behindMs / 1_000} s behind, ${REPLICAS} replicas`;
  return [
    {
      promise: 'BEHIND',
      text: `${commands} commands, ${reads}, ${harms.kill} kills`,
      figure: JSON.stringify(audit),
      bound: '0 lost, 0 doubled, 0 told wrong',
      kept: isFlawlessExchange(audit) && commands >= load.orders,
    },
    {
      promise: 'BEHIND',
      text: 'closes told `filled` that left something, or that there is no position',
      figure: JSON.stringify(closes),
      bound: '0',
      kept: closes.filledWithRest + closes.deniedPositions === 0 && closes.filled > 0,
    },
    {
      promise: 'BEHIND',
      text: `${unprotectedMs.length} positions whose exits the venue ended, of ${STREAMED} wallets, beside ${load.resting} resting brackets: seconds unprotected`,
      figure: `p50 ${seconds(p50)}, p99 ${seconds(p99)}, most ${seconds(most)}; ${unprotectedMs.length - known.length} never`,
      bound: `p99 ≤ ${seconds(load.withinMs)}`,
      kept: known.length === unprotectedMs.length && known.length > 0 && p99 <= load.withinMs,
    },
  ];
}
