import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createPartner } from '../../src/capabilities/partners/commands.ts';
import { openPool } from '../../src/db/pool.ts';
import { type ExvenueUpstream, startExvenueUpstream } from '../../src/sandbox/exchange/index.ts';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import { type RegistrarUpstream, startRegistrarUpstream } from '../../src/sandbox/registrar/index.ts';
import { type Caller, caller } from '../support/caller.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { until } from '../support/processes.ts';
import { type Buyer, MILLION, newBuyer, purchaseBody, QUICK_PURCHASES, REGISTER } from '../support/registration.ts';
import { countBy } from './audit.ts';
import { openStage, type Stage } from './stage.ts';

const REGISTRATIONS = Number(process.env.CHAOS_REGISTRATIONS ?? 40);
const AT_ONCE = 8;
const WORKERS = 2;
const KILL_EVERY_MS = 600;

/** The faults at each step, and their rates; `quote` is every request to the registrar's route, paid or not. */
const FAULTS: readonly { route: string; kind: FaultKind; rate: number; delayMs?: number }[] = [
  { route: 'POST /api/register', kind: 'reset', rate: 0.05 },
  { route: 'POST /api/register', kind: 'accept_then_drop', rate: 0.05 },
  { route: 'POST /api/register', kind: 'cut_json', rate: 0.05 },
  { route: 'register/verify', kind: 'reset', rate: 0.05 },
  { route: 'register/verify', kind: 'status_500', rate: 0.05 },
  { route: 'register/verify', kind: 'reject', rate: 0.03 },
  { route: 'register/verify', kind: 'late', rate: 0.1, delayMs: 1_500 },
  { route: 'register/settle', kind: 'reset', rate: 0.05 },
  { route: 'register/settle', kind: 'status_500', rate: 0.05 },
  { route: 'register/settle', kind: 'late', rate: 0.05, delayMs: 400 },
  { route: 'register/settle', kind: 'accept_then_drop', rate: 0.05 },
  { route: 'register/record', kind: 'status_500', rate: 0.05 },
  { route: 'register/record', kind: 'reset', rate: 0.05 },
  { route: 'register/miner', kind: 'reject', rate: 0.1 },
  { route: 'register/response', kind: 'reset', rate: 0.1 },
];

type Row = { status: string; tx_hash: string | null; state: string };

describe('registrations whose responses are dropped at every step, under workers that are killed', function () {
  this.timeout(60_000 + REGISTRATIONS * 1_000);
  let stage: Stage;
  let chain: TestChain;
  let registrar: RegistrarUpstream;
  let exchange: ExvenueUpstream;
  before(async () => {
    chain = await startChain();
    registrar = await startRegistrarUpstream({ chain, miningMs: 300 });
    exchange = await startExvenueUpstream({ network: 'testnet', autoFund: '1000' });
    stage = await openStage({
      workers: WORKERS,
      settings: {
        ...registrar.settings,
        EXVENUE_URL: exchange.url,
        ...QUICK_PURCHASES,
      },
    });
    const seed = Number(process.env.CHAOS_SEED ?? 1);
    for (const [n, fault] of FAULTS.entries()) registrar.faults.add({ ...fault, seed: seed + n });
  });
  after(async () => {
    await stage?.close();
    await registrar?.close();
    await exchange?.close();
    await chain?.close();
  });

  it('pay at most once each, and the chain moved money for exactly those that are recorded as paid', async () => {
    const partner = await partnerOf(stage);
    const buyers = await Promise.all(Array.from({ length: REGISTRATIONS }, () => newBuyer(chain, MILLION)));
    const bought = buyAll(partner, [...buyers]);
    const kills = await killUntil(stage, bought);
    await bought;
    await settled(stage);

    const rows = await stage.rows<Row>(
      `select r.status, r.tx_hash, i.state
       from registrations r join intents i on i.id = r.id`,
    );
    const transfers = await chain.transfers();
    const paid = rows.filter(({ tx_hash }) => tx_hash !== null);
    const shown = await Promise.all(
      buyers.map(async ({ wallet }) => (await partner.get(`${REGISTER}/status/${wallet}`)).body),
    );
    const counts = Object.fromEntries(
      countBy(rows.map(({ status, tx_hash }) => `${status}${tx_hash ? ', paid' : ''}`)),
    );
    console.log(
      `      ${rows.length} registrations, ${transfers.length} transfers on chain, ${paid.length} recorded as paid; ${kills} kills; ${JSON.stringify(counts)}`,
    );
    expect(rows).to.have.length(REGISTRATIONS);
    expect(transfers.map(({ txHash }) => txHash).sort()).to.deep.equal(paid.map(({ tx_hash }) => tx_hash).sort());
    expect(new Set(transfers.map(({ from }) => from)).size).to.equal(transfers.length);
    expect(shown.filter(({ tx_hash }) => tx_hash !== null)).to.have.length(transfers.length);
    expect(rows.filter(({ state, tx_hash }) => state === 'succeeded' && !tx_hash)).to.deep.equal([]);
    expect(await stage.rows('select from registration_keys')).to.be.empty;
  });
});

async function partnerOf({ settings, web }: Stage): Promise<Caller> {
  const db = await openPool(String(settings.DATABASE_URL), 1, () => {});
  return caller(web.url, (await createPartner(db, 'Registrations').finally(() => db.end())).key);
}

/** A few at once, each once. */
async function buyAll(partner: Caller, left: Buyer[]): Promise<void> {
  const inTurn = async () => {
    for (let buyer = left.pop(); buyer; buyer = left.pop()) {
      const { status, body } = await partner.post(REGISTER, purchaseBody(buyer), { prefer: 'wait=3' });
      if (status >= 500 && body?.error?.effect !== 'none') throw new Error(`${status} ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
}

/** Kills one worker after the other and starts another in its place, while the load lasts. */
async function killUntil(stage: Stage, load: Promise<void>): Promise<number> {
  let loading = true;
  const ended = load.finally(() => {
    loading = false;
  });
  for (let kills = 0; ; kills++) {
    await Promise.race([sleep(KILL_EVERY_MS), ended]);
    if (!loading) return kills;
    const [victim] = [...stage.workers];
    victim?.kill('SIGKILL');
    await stage.startWorker();
  }
}

/** Until no purchase is open and no registration or rejected payment is being reconciled. */
const settled = ({ rows }: Stage) =>
  until(
    'every registration settled',
    async () => {
      const open = await rows(`
        select from intents where state in ('queued', 'running', 'in_doubt')
        union all
        select from graphile_worker.jobs where task_identifier like 'registration/%'
        limit 1`);
      return open.length === 0 || null;
    },
    60_000,
  );
