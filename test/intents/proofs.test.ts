import { expect } from 'chai';
import { z } from 'zod';
import { type Db, type DbPool, openPool } from '../../src/db/pool.ts';
import { beginSending, claim } from '../../src/intents/claim.ts';
import { defineIntent, type Finding } from '../../src/intents/define.ts';
import { findUnclaimed } from '../../src/intents/follow.ts';
import type { Intent } from '../../src/intents/intent.ts';
import { reconcile } from '../../src/intents/reconcile.ts';
import { unknownEffect } from '../../src/kernel/upstream-result.ts';
import { goByDatabaseTime, noteDatabaseTime } from '../../src/kernel/work.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

const IN_FLIGHT_S = 60;
const UNDECIDABLE = { kind: 'undecidable', problem: { code: 'PROCESSOR_SILENT' } } as const;
const UNKNOWN = unknownEffect('no response');

describe('an intent in doubt', () => {
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

  /** What becomes of one that was sent so long ago by a worker that has ended, and looked up often: its state, problem, and next look-up. */
  async function lookedUp(finding: Finding<object>, sentAgoS: number, deduplicates = false) {
    const { id } = item();
    await intentDb.accept(item({ id, lane: id }));
    const claimed = (await claim(db, { id, kind: 'network/place' })) as Intent; // as: it was queued
    await beginSending(db, claimed, {});
    await intentDb.markInDoubt(id, claimed.fence);
    await intentDb.finishJobs(id);
    await intentDb.query(
      `update intents set sending_at = now() - make_interval(secs => $2), reconcile_attempts = 9, sender_lost = true where id = $1`,
      [id, sentAgoS],
    );
    const verb = defineIntent({
      ...{ kind: 'network/place', retention: 'with_order', claimed: 'to_send', deduplicates },
      ...{ request: z.object({}), payload: z.object({}) },
      timing: () => ({ patienceMs: 1_000, inFlightMs: 1_000 * IN_FLIGHT_S }),
      prepare: async (_, _deps: { db: Db }) => ({ send: {} }),
      send: async () => UNKNOWN,
      reconcile: async () => finding,
      record: async () => expect.fail('nothing definite was found'),
    });
    const intent = (await findUnclaimed(db, id)) as Intent; // as: it is in doubt
    await reconcile(verb, { ...intent, request: {} }, { db });
    const { state, outcome } = await intentDb.row(id);
    const [job] = (await intentDb.jobs()).filter(({ intent_id }) => intent_id === id);
    return { state, problem: outcome?.problem, inMs: Math.max(0, job?.in_ms ?? 0) };
  }
  const FAILED = { state: 'failed', problem: { code: 'NOT_CARRIED_OUT' } };

  it('is absent once nothing can be in flight, and is looked up just then', async () => {
    const early = await lookedUp({ kind: 'absent' }, IN_FLIGHT_S - 1);

    expect(early).to.include({ state: 'in_doubt' });
    expect(early.inMs).to.be.within(500, 1_100);
    expect(await lookedUp({ kind: 'absent' }, IN_FLIGHT_S + 1)).to.deep.include(FAILED);
    expect(await lookedUp({ kind: 'absent', isOver: true }, 1)).to.deep.include(FAILED);
  });

  it('is left to operators only once nothing can be in flight', async () => {
    const problem = { ...UNDECIDABLE.problem, effect: 'unknown' };

    expect(await lookedUp(UNDECIDABLE, IN_FLIGHT_S - 1)).to.include({ state: 'in_doubt' });
    expect(await lookedUp(UNDECIDABLE, IN_FLIGHT_S + 1)).to.deep.include({ state: 'failed', problem });
  });

  it('is looked up as soon, or as rarely, as its verb says', async () => {
    const [usual, soon, rarely] = [
      await lookedUp(UNKNOWN, IN_FLIGHT_S + 1),
      await lookedUp({ ...UNKNOWN, againInMs: 100 }, IN_FLIGHT_S + 1),
      await lookedUp({ ...UNKNOWN, rarely: true }, IN_FLIGHT_S + 1),
    ];

    expect(usual.inMs).to.be.within(7_000, 12_100);
    expect(soon.inMs).to.be.below(101);
    expect(rarely.inMs).to.be.within(590_000, 600_000);
  });

  it('is sent again where it is proven absent only if its upstream knows it by its id, or it is owed', async () => {
    const over = { kind: 'absent', isOver: true } as const;

    expect(await lookedUp(over, 1)).to.deep.include(FAILED);
    expect(await lookedUp(over, 1, true)).to.include({ state: 'queued' });
    expect(await lookedUp({ ...over, isOwed: true }, 1)).to.include({ state: 'queued' });
  });

  it('is not absent by an age that the database’s clock shows since it has jumped ahead, as by a failover', async () => {
    goByDatabaseTime(600_000); // 10 minutes behind what the database shows from now on

    const jumped = await lookedUp({ kind: 'absent' }, 600);
    goByDatabaseTime(0); // the jump was noticed
    const later = await lookedUp({ kind: 'absent' }, 600);
    const over = await lookedUp({ kind: 'absent', isOver: true }, 600);
    const { now } = performance;
    Object.assign(performance, { now: () => -1e9 }); // as if it had jumped long ago
    noteDatabaseTime(Number.POSITIVE_INFINITY);
    Object.assign(performance, { now });

    expect([jumped, later].map(({ state }) => state)).to.deep.equal(['in_doubt', 'in_doubt']);
    expect(over).to.deep.include(FAILED);
    expect(await lookedUp({ kind: 'absent' }, 600)).to.deep.include(FAILED);
  });
});
