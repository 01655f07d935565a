import { expect } from 'chai';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { noteReached } from '../../src/intents/claim.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { slotsOf } from '../support/slots.ts';

describe('a look-up that is responded to at once', () => {
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
  const { arrive, queuedNow } = slotsOf(() => intentDb);

  it('counts a request as there only once it must have left, however busy its process was', async () => {
    const [doubtful, running, waiting] = await arrive(3);
    const id = (doubtful?.id ?? '') as IntentId;
    await intentDb.markInDoubt(id, doubtful?.fence ?? 0);
    const sent = (one: string | undefined, agoS: number) =>
      intentDb.query('update intents set sending_at = now() - make_interval(secs => $2) where id = $1', [one, agoS]);
    await sent(id, 10);
    const lookUp = () => noteReached(db, { id, sent_ago_ms: 10_000 }, { holdMs: 30_000, tookMs: 5 });

    await sent(running?.id, 1);
    await lookUp();
    const early = await queuedNow();
    await sent(running?.id, 3);
    await lookUp();

    expect(early).to.not.include(waiting?.id);
    expect(await queuedNow()).to.include(waiting?.id);
  });
});
