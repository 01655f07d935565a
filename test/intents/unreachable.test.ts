import { expect } from 'chai';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import type { IntentOf } from '../../src/intents/define.ts';
import type { Hotkey } from '../../src/kernel/ids.ts';
import { unreachable } from '../../src/kernel/upstream-result.ts';
import { recordOtherwise } from '../../src/venues/network/orders/calls.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

describe('an order of the network that nothing was sent of', () => {
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

  it('is tried again within 2 s, however often that was in vain', async () => {
    const one = item({ kind: 'network/close', request: { trader: 'e_1' } });
    await intentDb.accept(one);
    await intentDb.finishJobs(one.id);
    const { fence } = (await intentDb.claim(one.id)) ?? { fence: 0 };
    await intentDb.beginSending(one.id, fence);
    const claim = { ...(await intentDb.row(one.id)), attempts: 20 } as unknown as IntentOf<{ trader: Hotkey }>; // as: a claimed row

    expect(await recordOtherwise({ db }, claim, unreachable('ECONNREFUSED'))).to.equal(true);

    const [job] = await intentDb.jobs();
    expect(job?.in_ms).to.be.within(1_000, 2_000);
  });
});
