import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { until } from '../support/processes.ts';
import type { Wallet } from './callers.ts';
import { auditExchange, flawless } from './exchange-audit.ts';
import { allSettled, openStage, type Stage } from './stage.ts';

const WALLETS = 5;
const ROTATIONS = Number(process.env.CHAOS_ROTATIONS ?? 1);
const ORDERS_EACH = 6 * (ROTATIONS + 1);
const PAUSE_MS = 120;

/** Every third response is missing, so that something is in doubt whenever a key is rotated. */
const FAULTS = [
  { kind: 'accept_then_drop', rate: 0.2 },
  { kind: 'reset', rate: 0.12 },
  { kind: 'status_500', rate: 0.05 },
] as const;

describe('keys that are rotated while orders signed with them are in doubt', function () {
  this.timeout(90_000 + ROTATIONS * 60_000);
  let stage: Stage;
  before(async () => {
    stage = await openStage({
      workers: 2,
      settings: { ORDER_DEADLINE_MS: '150000', EXVENUE_BUDGET_PER_MINUTE: '24000' },
    });
    for (const [n, fault] of FAULTS.entries()) {
      stage.exchange.faults.add({ ...fault, seed: n + 1, route: 'POST /exchange' });
    }
  });
  after(() => stage.close());

  it('settle intents in doubt first: no order is placed twice, and none with the new key before', async () => {
    const wallets = await stage.wallets(WALLETS);
    const placed = wallets.map(placeAndRotate);
    await sleep(PAUSE_MS * ORDERS_EACH * 0.6);
    [...stage.workers][0]?.kill('SIGKILL');
    await stage.startWorker();
    const inDoubt = (await Promise.all(placed)).reduce((sum, count) => sum + count, 0);
    await allSettled(stage, 120_000);

    const audit = await auditExchange(stage);
    const overtaken = await sentTooEarly(stage);
    const runs = wallets.map((wallet) => signersInTurn(stage, wallet));
    console.log(`      exchange ${JSON.stringify(audit)}`);
    console.log(
      `      ${WALLETS * ROTATIONS} rotations, ${inDoubt} orders in doubt at that moment; ` +
        `keys that signed, by wallet: ${runs.map(({ length }) => length).join(', ')}`,
    );
    expect(inDoubt, 'intents in doubt to settle').to.be.greaterThan(0);
    expect(audit).to.include(flawless);
    expect(overtaken).to.deep.equal([]);
    for (const signers of runs) expect(signers).to.deep.equal([...new Set(signers)]);
  });

  /**
   * Places orders one after the other and changes the key in between. Returns how many were in doubt at that moment.
   */
  async function placeAndRotate(wallet: Wallet): Promise<number> {
    const every = Math.floor(ORDERS_EACH / (ROTATIONS + 1));
    let inDoubt = 0;
    for (let n = 1; n <= ORDERS_EACH; n++) {
      const side = n % 2 === 0 ? 'short' : 'long';
      const order = { pair: 'BTC', side, size: '0.001', order_type: 'market' };
      const { status, body } = await wallet.post('/v1/orders/exvenue', order, { prefer: 'wait=0' });
      expect(status, JSON.stringify(body)).to.equal(202);
      if (n % every === 0 && n < ORDERS_EACH) inDoubt += await rotate(stage, wallet, `agent ${n}`);
      await sleep(PAUSE_MS);
    }
    return inDoubt;
  }
});

/** Enrolls a new agent of the wallet as soon as something is in doubt. Returns how much was. */
async function rotate(stage: Stage, wallet: Wallet, name: string): Promise<number> {
  const inDoubtCount = await until('an intent in doubt', () => inDoubtOf(stage, wallet), 4_000).catch(() => 0); // or without one
  const key = generatePrivateKey();
  stage.exchange.approveAgent(wallet.wallet, privateKeyToAddress(key).toLowerCase(), name);
  const { status, body } = await wallet.post('/v1/sessions', { ex_wallet: wallet.wallet, private_key: key });
  expect(status, JSON.stringify(body)).to.equal(200);
  return inDoubtCount;
}

async function inDoubtOf({ rows }: Stage, { wallet }: Wallet): Promise<number | null> {
  const inDoubtCount = await rows(`select from intents where lane = $1 and state = 'in_doubt'`, [`exvenue:${wallet}`]);
  return inDoubtCount.length || null;
}

/** What is signed here expires after 2 s, with a margin of 0.5 s between clocks; a doubt holds up newer keys for 10 s more (decision 086). */
const HELD_UP_S = 12.5;

/** Orders that were sent under a newer key while one under an older key of the same wallet had not ended and could still hold it up. */
const sentTooEarly = ({ rows }: Stage) =>
  rows(
    `
    with sent as (
      select i.id, i.lane, i.sending_at, i.settled_at, k.key_version
      from intents i
      join signing_keys k on k.id::text = i.sent_payload ->> 'key_id'
    )
    select newer.id
    from sent older
    join sent newer on newer.lane = older.lane and newer.key_version > older.key_version
    where newer.sending_at < least(older.settled_at, older.sending_at + make_interval(secs => $1))`,
    [HELD_UP_S],
  );

/** The signers of a wallet's orders in the ledger, each consecutive run of one signer listed once. */
function signersInTurn({ exchange }: Stage, { wallet }: Wallet): unknown[] {
  const orders = exchange.ledger
    .entries()
    .filter(({ kind, detail }) => kind === 'action' && detail.type === 'order' && detail.account === wallet);
  const signers = orders.map(({ detail }) => detail.signer);
  return signers.filter((signer, n) => signer !== signers[n - 1]);
}
