import { expect } from 'chai';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { beginSending, claim } from '../../src/intents/claim.ts';
import type { Intent } from '../../src/intents/intent.ts';
import { fail, succeed } from '../../src/intents/settle.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

describe('intents executed concurrently', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 5, () => {});
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });

  const accepted = async (count: number) => {
    const items = Array.from({ length: count }, () => item());
    await intentDb.accept(...items);
    return items.map(({ id }) => id);
  };
  const claimed = async (count: number) => {
    const held = await Promise.all((await accepted(count)).map((id) => claim(db, id)));
    return held as Intent[]; // they are queued, so each is returned
  };

  it('have a fence for each claim, also when one intent is claimed many times at once', async () => {
    const [id = ''] = await accepted(1);

    const held = await Promise.all(Array.from({ length: 6 }, () => claim(db, id)));

    expect(held.map((one) => one?.fence).sort()).to.deep.equal([1, 2, 3, 4, 5, 6]);
  });

  it('begin to send only under the newest fence', async () => {
    const [id = ''] = await accepted(1);
    const held = await Promise.all(Array.from({ length: 4 }, () => claim(db, id)));

    const begun = await Promise.all(held.map((one) => beginSending(db, one as Intent, {})));

    expect(held.filter((_, n) => begun[n] === 'sent').map((one) => one?.fence)).to.deep.equal([4]);
  });

  it('are each returned to their claimer, and ended ones to nobody', async () => {
    const ids = await accepted(8);
    const ended = await claim(db, ids[3] ?? '');
    await succeed(db, ended as Intent, {});

    const held = await Promise.all(ids.map((id) => claim(db, id)));

    expect(held.map((one) => one?.id ?? null)).to.deep.equal(ids.map((id, n) => (n === 3 ? null : id)));
  });

  it('end each with its own result, except one whose claim is lost', async () => {
    const held = await claimed(7);
    await intentDb.claim(held[4]?.id ?? ''); // another worker has it now

    const ok = await Promise.all(
      held.map((one, n) => (n % 2 ? fail(db, one, { code: 'VENUE_REJECTED' }) : succeed(db, one, { n }))),
    );

    expect(ok).to.deep.equal([true, true, true, true, false, true, true]);
    const states = [];
    for (const { id } of held) states.push(await intentDb.row(id));
    expect(states.map(({ state }) => state)).to.deep.equal([
      'succeeded',
      'failed',
      'succeeded',
      'failed',
      'running',
      'failed',
      'succeeded',
    ]);
    expect(states[2]?.outcome).to.deep.equal({ result: { n: 2 } });
  });

  it('fail individually when one of them cannot be written', async () => {
    const held = await claimed(5);
    const unstorable = String.fromCharCode(0);

    const ended = await Promise.allSettled(held.map((one, n) => succeed(db, one, n === 2 ? { unstorable } : {})));

    expect(ended.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });
});
