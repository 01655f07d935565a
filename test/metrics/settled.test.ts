import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { accountIn, checkOut, startMoney, tierDemo } from '../support/money.ts';
import { market } from '../support/orders.ts';
import { until } from '../support/processes.ts';
import { readScrape } from '../support/scrape.ts';
import { startService, type TestService } from '../support/service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const endedRow = z.object({ kind: z.string(), state: z.string(), count: z.number() });

describe('intents that ended', () => {
  /** The database's counts next to the metrics, once nothing is open any more. */
  async function heldAndCounted({ db, runtime }: Pick<TestService, 'db' | 'runtime'>) {
    await until('every intent to have ended and every task to have logged', async () => {
      const open = await db.exists(sql.unsafe`select from intents where settled_at is null`);
      const jobs = await db.exists(sql.unsafe`select from queue_jobs where locked_at is not null`);
      return !open && !jobs;
    });
    const held = await db.any(sql.type(endedRow)`
      select i.kind, i.state, count(*)
      from intents i
      group by i.kind, i.state
      order by i.kind, i.state`);
    const counted = readScrape(await runtime.metrics.scrape());
    return held.map(({ kind, state, count }) => ({
      kind,
      state,
      held: count,
      counted: counted.value('tps_intent_settle_duration_seconds_count', { kind, ending: state }) ?? 0,
    }));
  }

  it('are counted once each, whichever statement ended them', async () => {
    const money = await startMoney();
    const { ask } = money.buyer;
    await ask('POST', '/v2/payments/free', { json: tierDemo });
    await accountIn(ask, 'evaluation');
    await ask('POST', '/v2/kyc/processor-identity/session');
    await checkOut(ask);
    money.processor.faults.add({ kind: 'reject', route: '/v1/payment_intents', times: 1 });
    await checkOut(ask).catch(() => null);
    const ended = await heldAndCounted(money);
    await money.stop();

    expect(ended.map(({ kind, state }) => `${kind} ${state}`)).to.include.members([
      'accounts/provision succeeded',
      'kyc/session succeeded',
      'payments/checkout succeeded',
      'payments/checkout failed',
    ]);
    for (const { kind, state, held, counted } of ended) expect(counted, `${kind} ${state}`).to.equal(held);
  }).timeout(40_000);

  it('are counted as expired when nothing was sent in time', async () => {
    const service = await startService({ settings: { ORDER_DEADLINE_MS: '1' }, worker: false });
    const trader = await subaccountHolder(service);
    await trader.post('/v1/orders/netvenue', market(), { prefer: 'wait=0' });
    await service.startWorker();
    const ended = await heldAndCounted(service);
    await service.stop();

    expect(ended).to.deep.include({ kind: 'network/place', state: 'expired', held: 1, counted: 1 });
  });

  it('are ended by the core alone, and through settleBy, which emits and frees the slot, by the functions that write more', async () => {
    const functions = await functionsThatCall('settle_claim');
    const calls = new RegExp(`\\b(?:${functions.join('|')})\\(\\$\\{`, 'g');
    const handedOver = new RegExp(`\\bby: sql\\.fragment\`(?:${functions.join('|')})\\(\\$\\{`, 'g');
    const files = await Array.fromAsync(glob('src/**/*.ts', { cwd: root }));
    const texts = await Promise.all(
      files.map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })),
    );
    const ending = texts
      .map(({ file, text }) => ({ file, ends: count(text, calls), reports: count(text, handedOver) }))
      .filter(({ ends }) => ends > 0);
    const naming = (name: RegExp) => texts.filter(({ text }) => name.test(text)).map(({ file }) => file);

    expect(functions).to.have.members([
      ...['end_purchase', 'record_verification_session', 'record_checkout'],
      ...['record_connect_account', 'record_subaccount'],
    ]);
    expect(ending.reduce((sum, { ends }) => sum + ends, 0)).to.equal(functions.length);
    expect(ending.filter(({ ends, reports }) => reports < ends)).to.deep.equal([]);
    expect(naming(/\bsettle_(?:intent|claim)\b/)).to.deep.equal(['src/intents/settle.ts']);
    expect(await functionsThatCall('settle_intent')).to.have.members([
      ...['claim_intent', 'settle_claim', 'end_lasting_doubt'], // the last one for operators: it emits and frees the slot itself
    ]);
    expect(naming(/\bclaim_intent\(/)).to.deep.equal(['src/intents/claim.ts']);
  });
});

const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;

/** The SQL functions that call another as part of their work. */
async function functionsThatCall(called: string): Promise<string[]> {
  const files = await Array.fromAsync(glob('sql/functions/**/*.sql', { cwd: root }));
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  return texts
    .filter((text) => text.replace(/^--.*$|^create .*$/gm, '').includes(`${called}(`))
    .map((text) => /^create or replace function (\w+)/m.exec(text)?.[1] ?? '');
}

/** A trader whose subaccount was created by a worker that has stopped. */
async function subaccountHolder(service: TestService) {
  const worker = await service.startWorker();
  const trader = await service.trader();
  await worker.stop();
  return trader;
}
