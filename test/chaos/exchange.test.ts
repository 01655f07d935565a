import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Reply } from '../support/caller.ts';
import { quantile } from './audit.ts';
import { auditExchange, flawless } from './exchange-audit.ts';
import { killUntil } from './kills.ts';
import { allSettled, openStage, type Stage, type Wallet } from './stage.ts';

const ORDERS = Number(process.env.CHAOS_ORDERS ?? 150);
const PER_SECOND = Number(process.env.CHAOS_RATE ?? 15);
const WALLETS = 20;
const WORKERS = 4;
const ORDER_ROUTE = '/v1/orders/exvenue';

/** What goes wrong at the exchange beside the kills, and how often. */
const FAULTS = [
  { kind: 'accept_then_drop', rate: 0.05 },
  { kind: 'status_500', rate: 0.05 },
  { kind: 'reset', rate: 0.02 },
  { kind: 'hang', rate: 0.02 },
  { kind: 'late', rate: 0.01, delayMs: 2_500 },
] as const;

/** Orders a wallet places one after the other, again and again: at the market on both sides, resting, with an exit. */
const BOOK = [
  { pair: 'BTC', side: 'long', size: '0.002', order_type: 'market' },
  { pair: 'ETH', side: 'long', size: '0.1', order_type: 'limit', price: 2_500 },
  { pair: 'BTC', side: 'short', size: '0.001', order_type: 'market' },
  { pair: 'ETH', side: 'short', size: '0.1', order_type: 'limit', price: 3_500, time_in_force: 'alo' },
  { pair: 'SOL', side: 'long', size: '1', order_type: 'market', leverage: 5, stop_loss: 100 },
] as const;

describe('workers that are killed while they sign for the exchange', function () {
  this.timeout(120_000 + ORDERS * 600);
  let stage: Stage;
  before(async () => {
    stage = await openStage({
      workers: WORKERS,
      settings: { ORDER_DEADLINE_MS: '120000', EXVENUE_BUDGET_SHARE: process.env.CHAOS_BUDGET_SHARE ?? '20' },
    });
    const seed = Number(process.env.CHAOS_SEED ?? 1);
    for (const [n, fault] of FAULTS.entries()) {
      stage.exchange.faults.add({ ...fault, seed: seed + n, route: 'POST /exchange' });
    }
  });
  after(() => stage.close());

  it('lose no order and double none, use no nonce twice, and settle every intent', async () => {
    const wallets = await stage.wallets(WALLETS);
    const startedAt = performance.now();
    const load = actAll(wallets);
    const takeovers = await killUntil(stage, load);
    const verbs = await load;
    const loadedAt = performance.now();
    await allSettled(stage, 90_000 + ORDERS * 300);

    const settledAt = performance.now();
    const audit = await auditExchange(stage);
    const [p50, p99] = [0.5, 0.99].map((share) => Math.round(quantile(takeovers.msOfJobs, share)));
    console.log(`      exchange ${JSON.stringify(audit)}`);
    console.log(
      `      ${ORDERS} orders and ${verbs - ORDERS} other verbs of ${WALLETS} wallets in ${seconds(loadedAt - startedAt)}, ` +
        `all settled ${seconds(settledAt - loadedAt)} later; ${takeovers.kills} kills, ` +
        `${takeovers.msOfJobs.length} jobs held by them, taken over p50 ${p50} ms, p99 ${p99} ms`,
    );
    expect(audit).to.include(flawless);
    expect(Object.values(audit.verbs).reduce((sum, count) => sum + count, 0)).to.be.at.least(verbs);
    expect(takeovers.kills).to.be.greaterThan(0);
  });
});

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** Orders of all wallets in turn, and between them what else can be asked. Answers how many verbs were accepted. */
async function actAll(wallets: Wallet[]): Promise<number> {
  const asked: Promise<number>[] = [];
  for (let n = 0; n < ORDERS; n++) {
    const wallet = wallets[n % WALLETS] as Wallet; // there are twenty
    const turn = Math.floor(n / WALLETS);
    asked.push(accepted(wallet.post(ORDER_ROUTE, BOOK[(n + turn) % BOOK.length], LATER)));
    asked.push(interfere(wallet, n));
    await sleep(1_000 / PER_SECOND);
  }
  return (await Promise.all(asked)).reduce((sum, count) => sum + count, 0);
}

const LATER = { prefer: 'wait=0' };

/** Every few orders something else of the same wallet, behind them in its lane. */
async function interfere(wallet: Wallet, n: number): Promise<number> {
  if (n % 15 === 4) return accepted(wallet.post(`${ORDER_ROUTE}/close`, { pair: 'BTC' }, LATER));
  if (n % 30 === 8) return accepted(wallet.delete(ORDER_ROUTE, LATER));
  if (n % 15 === 11) return accepted(wallet.post(`${ORDER_ROUTE}/tp-sl`, { pair: 'SOL', take_profit: 300 }, LATER));
  return n % 15 === 14 ? cancelOne(wallet) : 0;
}

async function cancelOne(wallet: Wallet): Promise<number> {
  const { body } = await wallet.get(ORDER_ROUTE);
  const [order] = Array.isArray(body) ? body : [];
  return order ? accepted(wallet.delete(`${ORDER_ROUTE}/${order.ex_order_id}`, LATER)) : 0;
}

async function accepted(reply: Promise<Reply>): Promise<number> {
  const { status, body } = await reply;
  if (status !== 202 && status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return 1;
}
