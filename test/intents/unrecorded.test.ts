import { expect } from 'chai';
import { z } from 'zod';
import { type Db, type DbPool, openPool } from '../../src/db/pool.ts';
import { beginSending, claim } from '../../src/intents/claim.ts';
import { defineIntent } from '../../src/intents/define.ts';
import { findUnclaimed } from '../../src/intents/follow.ts';
import type { Intent } from '../../src/intents/intent.ts';
import { reconcile } from '../../src/intents/reconcile.ts';
import { retry } from '../../src/intents/settle.ts';
import { recordedRejection, unknownEffect } from '../../src/kernel/upstream-result.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

/** A verb that would send again what was rejected, also when it is in doubt. */
const stubborn = defineIntent({
  kind: 'exchange/close',
  retention: 'alone',
  claimed: 'to_prepare',
  request: z.object({}),
  payload: z.object({}),
  timing: () => ({ patienceMs: 1_000, inFlightMs: 0 }),
  prepare: async (_, _deps: { db: Db }) => ({ send: {} }),
  send: async () => unknownEffect('no response'),
  reconcile: async () => recordedRejection({ slug: 'rejected_by_venue', message: 'The venue rejected the order.' }),
  record: ({ intent }, _, { db }) => retry(db, intent, 0, { code: 'VENUE_REJECTED' }),
});

describe('an intent in doubt whose finding its verb does not record', () => {
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

  it('is looked up again: it never waits without a job', async () => {
    const { id } = item();
    await intentDb.accept(item({ id, kind: stubborn.kind, lane: 'exvenue:0x1' }));
    const claimed = (await claim(db, { id, kind: stubborn.kind })) as Intent; // as: it was queued
    await beginSending(db, claimed, {});
    await intentDb.markInDoubt(id, claimed.fence);
    await intentDb.finishJobs(id);

    const intent = (await findUnclaimed(db, id)) as Intent; // as: it is in doubt
    await reconcile(stubborn, { ...intent, request: {} }, { db });

    expect(await intentDb.row(id)).to.include({ state: 'in_doubt', reconcile_attempts: 2 });
    expect((await intentDb.jobs()).map(({ task, intent_id }) => [task, intent_id])).to.deep.equal([
      [stubborn.kind, id],
    ]);
  });
});
