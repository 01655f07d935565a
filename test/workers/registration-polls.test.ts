import { expect } from 'chai';
import type { PaymentOnChain } from '../../src/adapters/registrar/types.ts';
import { type PollDeps, pollRegistration } from '../../src/capabilities/registration/poll.ts';
import { notes } from '../../src/capabilities/registration/rules.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import { absent, found, type ReadResult, unreadable } from '../../src/kernel/upstream-result.ts';
import { type IntentDatabase, type Item, openIntentDatabase } from '../support/intent-database.ts';
import { acceptPurchase, purchaseOf } from '../support/purchases.ts';

const HASH = `0x${'1'.repeat(64)}`;
const VALID_BEFORE_S = 1_000_000;
const MARGIN_S = 60;
const NEVER_USED: PaymentOnChain = { atS: VALID_BEFORE_S, used: false, canceled: false, txHash: null };
const PAYLOAD = {
  authorization: { from: '0x', to: '0x', value: '1', validAfter: '0', validBefore: `${VALID_BEFORE_S}`, nonce: '0x' },
  ...{ header: '', body: '', proofs: [], since_block: 7 },
};

describe('a poll of a registration', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 2, () => {});
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });
  const logged: string[] = [];
  beforeEach(async () => {
    logged.length = 0;
    await intentDb.query('delete from queue_jobs');
  });

  let addresses = 0;
  /** One that was sent and has ended in this way. */
  async function given(ending: 'succeeded' | 'failed', status = 'processing'): Promise<Item> {
    addresses += 1;
    const address = `0x${String(addresses).padStart(40, '0')}`;
    const purchase = purchaseOf(address);
    await acceptPurchase(intentDb, purchase);
    const fence = (await intentDb.claim(purchase.id))?.fence;
    await intentDb.query('select begin_sending($1, $2, $3)', [purchase.id, fence, JSON.stringify(PAYLOAD)]);
    const outcome =
      ending === 'succeeded'
        ? { result: { status, tx_hash: HASH, message: 'paid' } }
        : { problem: { code: 'V1_PAYMENT_REFUSED' } };
    await intentDb.query('select settle_intent($1, $2, $3, $4)', [purchase.id, fence, ending, JSON.stringify(outcome)]);
    return purchase;
  }

  /** Runs one poll with what the registrar and the chain say. Returns what was asked for. */
  async function poll({ id }: Item, polls: number, says: { status?: ReadResult<never>; payment?: unknown } = {}) {
    const asked: string[] = [];
    const answer = (what: 'status' | 'payment') => async () => {
      asked.push(what);
      return says[what] ?? unreadable('ECONNREFUSED');
    };
    const deps = {
      db,
      registrar: { status: answer('status'), payment: answer('payment') },
      config: { REGISTRATION_POLL_MS: 1_000, REGISTRATION_GRACE_MS: 60_000, REGISTRATION_MARGIN_S: MARGIN_S },
      log: { error: (_: object, message: string) => logged.push(message) },
    } as unknown as PollDeps; // as: nothing else of the registrar is called
    await pollRegistration(id as IntentId, polls, deps);
    return asked;
  }
  type RegistrationRow = Record<'status' | 'tx_hash' | 'message' | 'problem', string | null>;
  const rowOf = async ({ id }: Item) =>
    (await intentDb.query<RegistrationRow>('select * from registrations where id = $1', [id]))[0] as RegistrationRow;
  const planned = async () =>
    (
      await intentDb.query<{ polls: number }>(
        `select (payload ->> 'polls')::integer as polls from queue_jobs where task = 'registration/poll'`,
      )
    ).map(({ polls }) => polls);

  it('is made once: a worker that was taken for dead adds none, and asks nobody', async () => {
    const registration = await given('succeeded');

    const asked = [await poll(registration, 0), await poll(registration, 0)];

    expect(asked).to.deep.equal([['status'], []]);
    expect(await planned()).to.deep.equal([1]);
  });

  it('follows a rejected payment on the chain, and nothing that has ended otherwise', async () => {
    const [rejected, registered] = [await given('failed'), await given('succeeded', 'registered')];

    expect(await poll(rejected, 0)).to.deep.equal(['payment']);
    expect(await poll(registered, 0)).to.deep.equal([]);
    await intentDb.query(`update registrations set status = 'failed' where id = $1`, [registered.id]);
    expect(await poll(registered, 0), 'one that is paid and not recorded').to.deep.equal([]);
  });

  const cases: [what: string, payment: unknown, next: number[]][] = [
    ['cannot be read', unreadable('ECONNREFUSED'), [1]],
    ['shows it unused, within the margin after its end', found({ ...NEVER_USED, atS: VALID_BEFORE_S + MARGIN_S }), [1]],
    ['shows it unused after the margin', found({ ...NEVER_USED, atS: VALID_BEFORE_S + MARGIN_S + 1 }), []],
    ['shows it used, by a transaction that is not visible yet', found({ ...NEVER_USED, atS: 2e6, used: true }), [1]],
    ['shows it cancelled', found({ ...NEVER_USED, used: true, canceled: true }), []],
  ];
  for (const [what, payment, next] of cases)
    it(`${next.length > 0 ? 'goes on' : 'ends'} for a rejected payment where the chain ${what}`, async () => {
      const registration = await given('failed');

      await poll(registration, 0, { payment });

      expect(await planned()).to.deep.equal(next);
      expect(await rowOf(registration)).to.include({ status: 'failed', tx_hash: null });
    });

  it('reopens a registration whose rejected payment was settled', async () => {
    const registration = await given('failed');

    await poll(registration, 0, { payment: found({ ...NEVER_USED, used: true, txHash: HASH }) });

    expect(await rowOf(registration)).to.include({ status: 'processing', tx_hash: HASH, problem: null });
    expect(logged).to.deep.equal(['a rejected payment was settled']);
    expect((await intentDb.row(registration.id)).outcome?.problem).to.include({ effect: 'done' });
    expect(await planned()).to.deep.equal([1]);
  });

  const paid: [
    what: string,
    recorded: string,
    status: ReadResult<never>,
    ended: string,
    message: string,
    logs: string[],
  ][] = [
    ['the registrar cannot be reached', 'processing', unreadable('ECONNREFUSED'), 'processing', 'paid', []],
    ['the registrar has not recorded it', 'processing', absent, 'failed', notes.abandoned, [notes.abandoned]],
    ['its miner has not created the account', 'pending', absent, 'pending', 'paid', [notes.pending]],
  ];
  for (const [what, recorded, status, ended, message, logs] of paid)
    it(`leaves a paid registration ${ended} where ${what} for longer than the grace`, async () => {
      const registration = await given('succeeded', recorded);
      await poll(registration, 0, { status });
      await intentDb.query(
        `update registrations set absent_since = absent_since - interval '2 minutes' where id = $1`,
        [registration.id],
      );

      await poll(registration, 1, { status });

      expect(await rowOf(registration)).to.include({ status: ended, tx_hash: HASH, message });
      expect(logged).to.deep.equal(logs);
    });

  it('notifies its partner of what has changed, and of nothing else', async () => {
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'a')`);
    const registration = await given('succeeded');
    const events = async () =>
      (await intentDb.query(`select from events where type = 'registration.updated' and owner = 'ptn_a'`)).length;
    const before = await events();
    const says = (status: string) => ({ status: found({ status, message: null, estimatedTime: null }) as never });

    for (const [n, status] of ['pending', 'pending', 'active'].entries()) await poll(registration, n, says(status));

    expect((await events()) - before).to.equal(2);
  });
});
