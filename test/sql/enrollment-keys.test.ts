import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { newIntentId } from '../../src/kernel/ids.ts';
import { type DbSession, type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

const WALLET = `0x${'a'.repeat(40)}`;

describe('a key of an enrollment', () => {
  let intentDb: IntentDatabase;
  let [one, other] = [] as unknown as [DbSession, DbSession];
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    [one, other] = [await intentDb.session(), await intentDb.session()];
  });
  afterEach(() => intentDb.close());

  const enroll = async (on: DbSession, signer: string, isVerified: boolean) => {
    const id = newIntentId();
    await on.query(`select enroll_key('ptn_a', $1, $2, $3, 'sealed', $4, null, null)`, [
      WALLET,
      id,
      signer,
      isVerified,
    ]);
    return id;
  };
  const live = () =>
    intentDb.query<{ signer: string; verified: boolean; waits: boolean }>(
      `select k.signer, k.verified_at is not null as verified, k.waits
       from enrollments e
       join signing_keys k using (owner, ex_wallet)
       where k.retired_at is null`,
    );
  /** Runs `first` in a transaction that ends while `second` waits for it. */
  async function inBetween(first: (on: DbSession) => Promise<unknown>, second: (on: DbSession) => Promise<unknown>) {
    await one.query('begin');
    await first(one);
    const late = second(other);
    await sleep(200);
    await one.query('commit');
    await late;
  }
  const confirm = (id: string) => (on: DbSession) => on.query('select confirm_key($1)', [id]);
  const reject = (id: string) => (on: DbSession) => on.query('select reject_key($1)', [id]);

  it('that waited for the exchange signs once it is confirmed, also twice at once', async () => {
    await enroll(one, 'old', true);
    const waiting = await enroll(one, 'new', false);

    await inBetween(confirm(waiting), confirm(waiting));

    expect(await live()).to.deep.equal([{ signer: 'new', verified: true, waits: false }]);
  });

  it('that is enrolled again while it is confirmed signs', async () => {
    await enroll(one, 'old', true);
    const waiting = await enroll(one, 'new', false);

    await inBetween((on) => enroll(on, 'new', true), confirm(waiting));

    expect(await live()).to.deep.equal([{ signer: 'new', verified: true, waits: false }]);
  });

  it('that is found missing by an earlier read stays if it is enrolled as confirmed meanwhile', async () => {
    const unverified = await enroll(one, 'new', false);

    await inBetween((on) => enroll(on, 'new', true), reject(unverified));

    expect(await live()).to.deep.equal([{ signer: 'new', verified: true, waits: false }]);
  });

  it('that the exchange rejects while it is enrolled again is marked afterwards', async () => {
    const id = await enroll(one, 'new', true);
    await one.query('begin');
    await one.query('update enrollments set updated_at = now()'); // as an enrollment begins
    const marked = other.query('select mark_key_rejected($1)', [id]);
    await sleep(200);

    await enroll(one, 'new', true);
    await one.query('commit');
    await marked;

    expect(await live()).to.deep.equal([{ signer: 'new', verified: false, waits: false }]);
  });

  it('that somebody holds once it was replaced keeps nobody else’s from being wiped, and none from being checked', async () => {
    const [held, replaced] = [await enroll(one, 'first', true), await enroll(one, 'second', true)];
    await enroll(one, 'third', true);
    await one.query('begin');
    await one.query('select from signing_keys where id = $1 for update', [held]);

    const wiping = other.query('select wipe_retired_keys()');
    const beside = await Promise.race([wiping, sleep(2_000, 'it waits')]);
    await one.query('commit');
    await wiping;

    expect(beside).to.not.equal('it waits');
    expect(await intentDb.query('select id from signing_keys where sealed is null')).to.deep.equal([{ id: replaced }]);
  });
});
