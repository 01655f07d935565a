import { expect } from 'chai';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { freeSlot } from '../../src/intents/claim.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';
import { slotsOf } from '../support/slots.ts';

describe('a response that comes while a look-up for its request is recorded', () => {
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
  const { arrive } = slotsOf(() => intentDb);

  it('frees the slot nevertheless', async () => {
    const [sent] = await arrive(1);
    const id = (sent?.id ?? '') as IntentId;
    await intentDb.markInDoubt(id, sent?.fence ?? 0);
    const lookUp = await intentDb.session();
    await lookUp.query('begin');
    await lookUp.query('select note_reached($1, 30)', [id]);

    let hasEnded = false;
    const freed = freeSlot(db, id, true).finally(() => {
      hasEnded = true;
    });
    await until('the response waits for the look-up, or is recorded', async () => {
      const waiting = await intentDb.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return hasEnded || waiting.length > 0 || null;
    });
    await lookUp.query('commit');
    await freed;

    expect(await intentDb.query('select from upstream_slots where intent_id = $1', [id])).to.deep.equal([]);
  });
});
