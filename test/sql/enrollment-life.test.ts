import { expect } from 'chai';
import { newIntentId } from '../../src/kernel/ids.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

const WALLET = `0x${'a'.repeat(40)}`;
const SOON = '2099-01-01T00:00:00Z';

type Key = { signer: string; verified: boolean; waits: boolean; retired: boolean; rejected: boolean; sealed: boolean };

describe('the keys of an enrollment', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() =>
    intentDb.query('truncate enrollments, signing_keys, intents, lanes cascade; delete from queue_jobs'),
  );

  const enroll = async (signer: string, isVerified: boolean, until: string | null = null) => {
    const id = newIntentId();
    await intentDb.query(`select enroll_key('ptn_a', $1, $2, $3, 'sealed', $4, null, null, $5)`, [
      ...[WALLET, id, signer, isVerified],
      until,
    ]);
    return id;
  };
  const call = (text: string, id: string) => intentDb.query(`select ${text}::text`, [id]);
  const keys = () =>
    intentDb.query<Key>(
      `select signer, verified_at is not null as verified, waits, retired_at is not null as retired,
         rejected_at is not null as rejected, sealed is not null as sealed
       from signing_keys order by key_version`,
    );
  const untilOf = async (signer: string) =>
    (
      await intentDb.query<{ at: Date | null }>('select valid_until as at from signing_keys where signer = $1', [
        signer,
      ])
    )[0]?.at;
  const fresh = { waits: false, retired: false, rejected: false, sealed: true };
  const live = (signer: string) => ({ ...fresh, signer, verified: true });
  const unverified = (signer: string) => ({ ...fresh, signer, verified: false });
  const waiting = (signer: string) => ({ ...unverified(signer), waits: true });
  const retired = (signer: string) => ({ ...live(signer), retired: true });
  const rejected = (signer: string) => ({ ...unverified(signer), rejected: true });
  /** When the enrollment was last changed, after it was made long ago. */
  const makeOld = () => intentDb.query(`update enrollments set updated_at = now() - interval '1 hour'`);
  const isTouched = async () =>
    (await intentDb.query(`select from enrollments where updated_at > now() - interval '1 minute'`)).length === 1;

  it('are replaced by one that is confirmed; one that is not waits beside it, and is checked soon', async () => {
    await enroll('one', true);
    expect((await intentDb.jobs()).map(({ task }) => task)).to.not.include('enrollments/verify');
    await enroll('two', true);
    expect(await keys()).to.deep.equal([retired('one'), live('two')]);

    await enroll('three', false);

    expect(await keys()).to.deep.equal([retired('one'), live('two'), waiting('three')]);
    expect((await intentDb.jobs()).map(({ task }) => task)).to.include('enrollments/verify');
  });

  it('that are not confirmed are replaced by another that is not', async () => {
    await enroll('one', false);
    expect(await keys()).to.deep.equal([unverified('one')]);

    await enroll('two', false);

    expect(await keys()).to.deep.equal([{ ...unverified('one'), retired: true }, unverified('two')]);
  });

  it('go on waiting when they are enrolled again unconfirmed, and sign when they are confirmed', async () => {
    await enroll('one', true);
    await enroll('two', false);

    await enroll('two', false);
    expect(await keys()).to.deep.equal([live('one'), waiting('two')]);
    await enroll('two', true, SOON);

    expect(await keys()).to.deep.equal([retired('one'), live('two')]);
    expect(await untilOf('two')).to.deep.equal(new Date(SOON));
  });

  it('that wait are forgotten when the good one is enrolled again, or another', async () => {
    await enroll('one', true);
    await enroll('two', false);
    await enroll('three', false);
    expect(await keys()).to.deep.equal([live('one'), waiting('three')]);

    await enroll('one', false);

    expect(await keys()).to.deep.equal([live('one')]);
  });

  it('keep what is known of them when they are enrolled again unread, and get what is read', async () => {
    const id = await enroll('one', true, SOON);
    await enroll('one', false);
    expect([await keys(), await untilOf('one')]).to.deep.equal([[live('one')], new Date(SOON)]);
    await call('mark_key_rejected($1)', id);
    await enroll('one', false);
    expect(await keys()).to.deep.equal([rejected('one')]);

    await enroll('one', true);

    expect([await keys(), await untilOf('one')]).to.deep.equal([[live('one')], null]);
  });

  it('that were retired are no agents any more; the own key of the wallet may come back', async () => {
    for (const signer of [WALLET, 'one', WALLET, 'two']) await enroll(signer, true);

    expect(await enroll('one', true).catch(({ constraint }) => constraint)).to.equal('signing_keys_agent_retired');
    expect((await keys()).at(-1)).to.deep.equal(live('two'));
  });

  it('that are confirmed late are confirmed if they still wait for it, as an event', async () => {
    const [gone, verified] = [await enroll('one', false), await enroll('two', true)];
    await makeOld();

    for (const id of [gone, verified]) await intentDb.query('select confirm_key($1, $2)', [id, SOON]);
    expect(await keys()).to.deep.equal([{ ...unverified('one'), retired: true }, live('two')]);
    expect([await isTouched(), await untilOf('two')]).to.deep.equal([false, null]);
    const id = await enroll('three', false);
    await makeOld();
    await call('confirm_key($1)', id);

    expect((await keys()).slice(1)).to.deep.equal([retired('two'), live('three')]);
    expect(await isTouched()).to.equal(true);
  });

  it('that the exchange had rejected sign again once they are confirmed, as an event', async () => {
    const id = await enroll('one', true);
    await call('mark_key_rejected($1)', id);
    await makeOld();

    await call('confirm_key($1)', id);

    expect([await keys(), await isTouched()]).to.deep.equal([[live('one')], true]);
  });

  it('that the exchange does not list are forgotten: one that waited, with its enrollment one that signed alone', async () => {
    await enroll('one', true);
    await call('reject_key($1)', await enroll('two', false));
    expect(await keys()).to.deep.equal([live('one')]);
    const id = await enroll('one', true);
    await call('reject_key($1)', id);
    expect(await keys(), 'one that is confirmed stays').to.deep.equal([live('one')]);
    await intentDb.query('truncate enrollments, signing_keys cascade');

    await call('reject_key($1)', await enroll('three', false));

    expect(await intentDb.query('select from enrollments')).to.deep.equal([]);
    expect(await keys()).to.deep.equal([{ ...unverified('three'), retired: true, sealed: false }]);
  });

  it('that were replaced or rejected before do not end the enrollment when they are not listed', async () => {
    const [gone, id] = [await enroll('one', false), await enroll('two', false)];
    await call('reject_key($1)', gone);
    expect((await keys()).at(-1)).to.deep.equal(unverified('two'));
    await call('confirm_key($1)', id);
    await call('mark_key_rejected($1)', id);

    await call('reject_key($1)', id);

    expect((await keys()).at(-1)).to.deep.equal(rejected('two'));
    expect(await intentDb.query('select from enrollments')).to.have.length(1);
  });

  it('are marked as rejected once, if they are a live agent’s', async () => {
    const [own, old, id] = [await enroll(WALLET, true), await enroll('one', true), await enroll('two', true)];
    await makeOld();
    for (const other of [own, old]) await call('mark_key_rejected($1)', other);
    expect([await isTouched(), (await keys()).some((key) => key.rejected)]).to.deep.equal([false, false]);

    await call('mark_key_rejected($1)', id);
    expect([await isTouched(), (await keys()).at(-1)]).to.deep.equal([true, rejected('two')]);
    await makeOld();
    await call('mark_key_rejected($1)', id);

    expect(await isTouched()).to.equal(false);
  });

  it('of a wallet itself are not marked: it may have no deposit yet', async () => {
    const id = await enroll(WALLET, true);

    await call('mark_key_rejected($1)', id);

    expect(await keys()).to.deep.equal([live(WALLET)]);
  });

  it('that were replaced are wiped once nothing open was signed with them', async () => {
    const [one, two] = [await enroll('one', true), await enroll('two', true)];
    await enroll('three', true);
    const signed: [string, number][] = [];
    for (const keyId of [one, two]) {
      const { id } = item();
      await intentDb.accept(item({ id, kind: 'exchange/place' }));
      const fence = (await intentDb.claim(id))?.fence ?? 0;
      await intentDb.query('select begin_sending($1, $2, $3)', [id, fence, JSON.stringify({ key_id: keyId })]);
      signed.push([id, fence]);
    }
    const [[id, fence] = ['', 0]] = signed;
    await intentDb.markInDoubt(id, fence);
    const wiped = async () => {
      await intentDb.query('select wipe_retired_keys()');
      return (await keys()).filter(({ sealed }) => !sealed).map(({ signer }) => signer);
    };

    expect(await wiped()).to.deep.equal([]);
    await intentDb.settle(id, fence);

    expect(await wiped()).to.deep.equal(['one']);
  });

  it('are all wiped when the enrollment is revoked, and keep the time at which they were replaced', async () => {
    await enroll('one', true);
    await enroll('two', true);
    await intentDb.query(`update signing_keys set retired_at = '2026-01-01' where retired_at is not null`);

    expect(await intentDb.query(`select revoke_enrollment('ptn_a', $1) as ok`, [WALLET])).to.deep.equal([{ ok: true }]);

    expect(await keys()).to.deep.equal(['one', 'two'].map((signer) => ({ ...retired(signer), sealed: false })));
    expect(await intentDb.query(`select from signing_keys where retired_at = '2026-01-01'`)).to.have.length(1);
    expect(await intentDb.query(`select revoke_enrollment('ptn_a', $1) as ok`, [WALLET])).to.deep.equal([
      { ok: false },
    ]);
  });
});

describe('the nonces of a signer', () => {
  it('increase by as many as are taken, from the present time on, also where that goes back', async () => {
    const intentDb = await openIntentDatabase();
    const next = async (count: number) =>
      Number((await intentDb.query<{ n: string }>(`select next_nonce('s', $1) n`, [count]))[0]?.n);

    const before = Date.now();
    const first = await next(100_001);
    await intentDb.query('update signer_nonces set last_nonce = last_nonce + 1000000');
    const ahead = await next(2);
    await intentDb.query('update signer_nonces set last_nonce = 1');
    const caughtUp = await next(2);
    await intentDb.close();

    expect(first - 100_000).to.be.within(before - 5, before + 5_000);
    expect(ahead).to.equal(first + 1_000_002);
    expect(caughtUp - 1).to.be.within(before - 5, before + 5_000);
  });
});
