import { expect } from 'chai';
import { z } from 'zod';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { defineIntent } from '../../src/intents/define.ts';
import { type Execution, runIntent } from '../../src/intents/run.ts';
import { freeSlot, noteReached } from '../../src/intents/slots.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import { found, unknownEffect } from '../../src/kernel/upstream-result.ts';
import { reconcileAt } from '../../src/venues/network/orders/calls.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';
import { slotsOf } from '../support/slots.ts';

const STAYS = { stopping: new AbortController().signal, pauses: { leaves: () => false } };
const verb = defineIntent({
  ...{ kind: 'network/place', retention: 'with_order', claimed: 'to_send' },
  ...{ request: z.looseObject({}), payload: z.object({}) },
  timing: () => ({ patienceMs: 1_000, inFlightMs: 60_000 }),
  prepare: async (_, __: Execution) => ({ send: {} }),
  send: async () => unknownEffect('no response'),
  reconcile: async () => unknownEffect('not looked up'),
  record: async () => false,
});

describe('a look-up', () => {
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
  beforeEach(() =>
    intentDb.query('truncate intents, lanes, upstream_slots, upstream_proofs cascade; delete from queue_jobs'),
  );
  const { arrive, queuedNow } = slotsOf(() => intentDb);

  it('does not keep a response that comes while it is recorded from freeing the slot', async () => {
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

  it('has the slot held from then on, and what ends by records meanwhile gives it back only when that is over', async () => {
    const [sent] = await arrive(1);
    const id = (sent?.id ?? '') as IntentId;
    await intentDb.markInDoubt(id, sent?.fence ?? 0);
    await noteReached(db, { id, sent_ago_ms: 1_000 }, { holdMs: 5_000, tookMs: 5 });
    await intentDb.settle(id, sent?.fence ?? 0);
    const heldS = async () => {
      const [slot] = await intentDb.query<{ s: number }>(
        'select extract(epoch from held_until - now())::float8 as s from upstream_slots where intent_id = $1',
        [id],
      );
      return slot?.s;
    };

    await freeSlot(db, id, false);
    expect(await heldS()).to.be.within(4, 5);
    await intentDb.query('update upstream_slots set held_until = now() where intent_id = $1', [id]);
    await freeSlot(db, id, false);

    expect(await heldS()).to.equal(undefined);
  });

  it('of what has ended meanwhile hands its slot to those that wait, once the request can be there no longer', async () => {
    const [sent, , waiting] = await arrive(3);
    const id = (sent?.id ?? '') as IntentId;
    await intentDb.markInDoubt(id, sent?.fence ?? 0);
    await intentDb.settle(id, sent?.fence ?? 0);
    await intentDb.query('update upstream_slots set held_until = now() where intent_id = $1', [id]);
    const before = await queuedNow();

    await runIntent(verb)({ intent_id: id }, { db, late: new Set(), ...STAYS });

    expect(before).to.not.include(waiting?.id);
    expect(await queuedNow()).to.include(waiting?.id);
  });

  it('that is responded to with the record of the request frees its slot at once, whatever else is known of it', async () => {
    const [sent, , waiting] = await arrive(3);
    const id = (sent?.id ?? '') as IntentId;
    await intentDb.markInDoubt(id, sent?.fence ?? 0);
    const lookUp = async (executionType: string) => {
      const venue = { orderStatus: async () => found({ executionType }) };
      const signal = { execution_type: 'LIMIT', order_uuid: id };
      const about = { intent: { id, sent_ago_ms: 10, request: { trader: 'e_1' } }, payload: { signal } };
      const deps = { db, venues: { ofTrader: async () => venue }, config: { NETVENUE_IN_FLIGHT_MS: 60_000 } };
      await reconcileAt(about as never, deps as never, async () => unknownEffect('the records could not be read')); // as: it reads no more
      return queuedNow();
    };

    expect(await lookUp('LIMIT_CANCEL'), 'the record of another request').to.not.include(waiting?.id);
    expect(await lookUp('LIMIT')).to.include(waiting?.id);
  });

  it('has the slot held from the first response on, however often it is repeated', async () => {
    const [sent] = await arrive(1);
    const id = (sent?.id ?? '') as IntentId;
    await intentDb.markInDoubt(id, sent?.fence ?? 0);
    const look = () => noteReached(db, { id, sent_ago_ms: 1_000 }, { holdMs: 5_000, tookMs: 5 });
    await look();
    await intentDb.query(`update intents set reached_at = reached_at - interval '4 seconds'`);
    await intentDb.query(`update upstream_slots set held_until = held_until - interval '4 seconds'`);

    expect(await look(), 'milliseconds since the first').to.be.within(4_000, 6_000);

    const [slot] = await intentDb.query<{ s: number }>(
      'select extract(epoch from held_until - now())::float8 as s from upstream_slots where intent_id = $1',
      [id],
    );
    expect(slot?.s).to.be.below(1);
  });

  it('that is responded to at once counts a request as there only once it must have left, however busy its process was', async () => {
    const [doubtful, running, waiting] = await arrive(3);
    const id = (doubtful?.id ?? '') as IntentId;
    await intentDb.markInDoubt(id, doubtful?.fence ?? 0);
    const sent = (one: string | undefined, agoS: number) =>
      intentDb.query('update intents set sending_at = now() - make_interval(secs => $2) where id = $1', [one, agoS]);
    await sent(id, 10);
    const lookUp = (tookMs = 5) => noteReached(db, { id, sent_ago_ms: 10_000 }, { holdMs: 30_000, tookMs });

    await sent(running?.id, 1);
    await lookUp();
    const early = await queuedNow();
    await sent(running?.id, 6);
    await lookUp(1_000); // it may have waited for a thread itself
    const slow = await queuedNow();
    await sent(running?.id, 3);
    await lookUp();

    expect([...early, ...slow]).to.not.include(waiting?.id);
    expect(await queuedNow()).to.include(waiting?.id);
  });
});
