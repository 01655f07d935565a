import { expect } from 'chai';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { findSubmitted, orEarlier } from '../../src/intents/follow.ts';
import { ApiError } from '../../src/kernel/errors.ts';
import { newIntentId, type OrderUuid, type OwnerId, orderIdOf } from '../../src/kernel/ids.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

const OWNER = 'ptn_a' as OwnerId; // as: its prefix
const OTHER = 'ptn_b' as OwnerId; // as: its prefix
const REJECTION = new ApiError('V1_SESSION_UNKNOWN');

describe('what was submitted before, for a repeat that is rejected', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 1, () => {});
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });

  const given = async (more: object = {}) => {
    const one = item({ owner: OWNER, digest: 'aa', idempotency_key: newIntentId(), ...more });
    await intentDb.accept(one);
    return { id: one.id, key: String(one.idempotency_key) };
  };
  const find = (key: string | undefined, more: { owner?: OwnerId; digest?: string } = {}, name?: OrderUuid) =>
    findSubmitted(db, { owner: OWNER, digest: 'aa', ...(key && { idempotency_key: key }), ...more }, name);

  it('is the intent of the same request of the same owner under the key', async () => {
    const { id, key } = await given();

    expect(await find(key)).to.deep.equal({ id, replayed: true });
    expect(await find(key, { digest: 'bb' }), 'another request').to.equal(null);
    expect(await find(key, { owner: OTHER }), 'another owner').to.equal(null);
    expect(await find(newIntentId()), 'another key').to.equal(null);
    expect(await find(undefined), 'no key').to.equal(null);
  });

  it('is none that does not keep the key: it may be submitted again', async () => {
    const { id, key } = await given();
    const fence = (await intentDb.claim(id))?.fence;
    await intentDb.query(`select settle_intent($1, $2, 'failed', '{"problem": {"code": "VENUE_UNREACHABLE"}}')`, [
      id,
      fence,
    ]);

    expect(await find(key)).to.equal(null);
  });

  it('is the order of this name of the same owner and request', async () => {
    const name = newIntentId() as unknown as OrderUuid; // as: both are UUIDs
    const id = orderIdOf(OWNER, name);
    await given({ id, given_id: name });
    const foreign = orderIdOf(OTHER, name);
    await given({ id: foreign });

    expect(await find(undefined, {}, name)).to.deep.equal({ id, replayed: true });
    expect(await find(undefined, { digest: 'bb' }, name), 'another request').to.equal(null);
    expect(await find(undefined, { owner: OTHER }, name), 'an id of another owner').to.equal(null);
  });

  it('is returned for a rejection, and for no fault of the service', async () => {
    const { id, key } = await given();
    const repeat = (error: Error, ofKey = key) =>
      orEarlier(db, { owner: OWNER, digest: 'aa', idempotency_key: ofKey })(error).catch((thrown) => thrown);
    const fault = new Error('a fault');

    expect(await repeat(REJECTION)).to.deep.equal({ id, replayed: true });
    expect(await repeat(REJECTION, newIntentId())).to.equal(REJECTION);
    expect(await repeat(fault)).to.equal(fault);
  });
});
