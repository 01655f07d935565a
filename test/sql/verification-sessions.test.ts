import { expect } from 'chai';
import { session } from '../../src/capabilities/kyc/session.ts';
import { applyVerification } from '../../src/capabilities/kyc/store.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { type DbSession, type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';
import { until } from '../support/processes.ts';

const VERIFIED = `update kyc_cases set status = 'verified', verified_at = now()`;

describe('a verification session', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 1, () => {});
    await intentDb.query(ONE_OF_EACH);
  });
  afterEach(async () => {
    await db.end();
    await intentDb.close();
  });

  /** Begins one in a session of the user. Resolves to what records that the processor has made it. */
  async function begun() {
    const { id } = item();
    const request = { user_id: 'usr_1', in_session: 'ses_1' };
    await intentDb.accept(item({ id, kind: 'kyc/session', owner: 'app_1', request }));
    const { fence } = (await intentDb.claim(id)) ?? {};
    return (session: DbSession = intentDb) =>
      session.query(`select record_verification_session($1, $2, '{"result": {}}', 'vs_2')`, [id, fence]);
  }
  const known = async () =>
    (await intentDb.query(`select status, session_id, earlier_session_ids as earlier from kyc_cases`))[0];
  const events = () => intentDb.query(`select from events where type = 'kyc.updated'`);

  it('counts, and those before it may still be verified', async () => {
    await (await begun())();

    expect(await known()).to.deep.equal({ status: 'unverified', session_id: 'vs_2', earlier: ['vs_1'] });
  });

  it('verifies nobody if the session in which it was begun has ended meanwhile', async () => {
    const record = await begun();
    await intentDb.query(`update user_sessions set revoked_at = now()`);

    await record();

    expect(await known()).to.include({ session_id: 'vs_1' });
  });

  it('verifies nobody if the session in which it was begun ends at this moment', async () => {
    const record = await begun();
    const [ending, recording] = [await intentDb.session(), await intentDb.session()];
    await ending.query('begin');
    await ending.query(`select remove_session('usr_1', 'ses_1')`);

    const recorded = record(recording);
    await until('it waits for the session', async () => (await intentDb.query(WAITING)).length > 0 || null);
    await ending.query('commit');
    await recorded;

    expect(await known()).not.to.include({ session_id: 'vs_2' });
  });

  it('does not undo an existing verification', async () => {
    const record = await begun();
    await intentDb.query(VERIFIED);

    await record();

    expect(await known()).to.deep.equal({ status: 'verified', session_id: 'vs_1', earlier: [] });
  });

  it('that was verified stays so after a reset of the password, and nothing is reported', async () => {
    await intentDb.query(VERIFIED);

    await intentDb.query(`select quarantine('usr_1')`);

    expect(await known()).to.include({ status: 'verified', session_id: 'vs_1' });
    expect(await events()).to.have.length(0);
  });

  for (const [status, told] of [
    ['unverified', 0],
    ['needs_input', 1],
  ] as const)
    it(`that is ${status} verifies nobody after a reset; ${told} event says so`, async () => {
      await intentDb.query(`update kyc_cases set status = '${status}'`);

      await intentDb.query(`select quarantine('usr_1')`);

      expect(await known()).to.deep.equal({ status: 'unverified', session_id: '', earlier: [] });
      expect(await events()).to.have.length(told);
    });

  const failed = { sessionId: 'vs_1', status: 'requires_input', failure: 'document_expired' } as const;

  it('causes one event however often its state is reported', async () => {
    for (const atMs of [1_000, 2_000]) await applyVerification(db, failed, atMs, 'event');

    expect(await known()).to.include({ status: 'needs_input' });
    expect(await events()).to.have.length(1);
  });

  it('that is verified at this moment stays so, whatever is reported of it beside that', async () => {
    const verifying = await intentDb.session();
    await verifying.query('begin');
    await verifying.query(VERIFIED);

    const applied = db.transaction((tx) => applyVerification(tx, failed, 2_000, 'event'));
    await until('it waits for the case', async () => (await intentDb.query(WAITING)).length > 0 || null);
    await verifying.query('commit');
    await applied;

    expect(await known()).to.include({ status: 'verified' });
  });

  it('asks for a selfie beside the document where the app wants users verified in full', async () => {
    const asked: boolean[] = [];
    for (const level of ['none', 'basic', 'full']) {
      await intentDb.query(`update apps set verification_level = $1`, [level]);
      const claim = { owner: 'app_1', request: { user_id: 'usr_1' } } as Parameters<typeof session.prepare>[0]; // as: what it reads
      const prepared = await session.prepare(claim, { db } as unknown as Parameters<typeof session.prepare>[1]); // as: the same
      if ('send' in prepared) asked.push(prepared.send.verification.withSelfie);
    }

    expect(asked).to.deep.equal([false, false, true]);
  });
});
