import { expect } from 'chai';
import { z } from 'zod';
import { type Db, type DbPool, openPool } from '../../src/db/pool.ts';
import { defineIntent, type IntentOf } from '../../src/intents/define.ts';
import { runIntent } from '../../src/intents/run.ts';
import type { Hotkey, IntentId } from '../../src/kernel/ids.ts';
import { unknownEffect, unreachable } from '../../src/kernel/upstream-result.ts';
import { recordOtherwise } from '../../src/venues/network/orders/calls.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

/** A verb that needs a slot and is never ready. */
const unready = defineIntent({
  kind: 'network/close',
  retention: 'alone',
  claimed: 'to_prepare',
  request: z.object({}),
  payload: z.object({}),
  timing: () => ({ patienceMs: 1_000, inFlightMs: 0 }),
  slot: () => ({ upstream: 'miner:x', slots: 1, forExits: 0, isExit: true }),
  prepare: async (_, _deps: { db: Db }) => ({ wait: { code: 'VENUE_UNREACHABLE' } }),
  send: async () => unknownEffect('never sent'),
  reconcile: async () => unknownEffect('never sent'),
  record: async () => false,
});

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
    await intentDb.query(`select begin_sending($1, $2, '{}'), spend_pace(signals_pace('e_1'), 1)`, [one.id, fence]);
    const claim = { ...(await intentDb.row(one.id)), attempts: 20 } as unknown as IntentOf<{ trader: Hotkey }>; // as: a claimed row

    expect(await recordOtherwise({ db }, claim, unreachable('ECONNREFUSED'))).to.equal(true);

    const [job] = await intentDb.jobs();
    expect(job?.in_ms).to.be.within(1_000, 2_000);
    expect(await intentDb.query('select taken from paces'), 'no signal is counted').to.deep.equal([{ taken: [] }]);
  });

  it('is so too while it cannot be prepared, because its network cannot be read', async () => {
    const { id } = item();
    await intentDb.accept(item({ id, kind: unready.kind }));
    await intentDb.finishJobs(id);
    await intentDb.query('update intents set attempts = 20 where id = $1', [id]);

    const execution = { db, stopping: new AbortController().signal, late: new Set<Promise<unknown>>() };
    await runIntent(unready)({ intent_id: id as IntentId }, { ...execution, pauses: { leaves: () => false } });

    const job = (await intentDb.jobs()).find(({ intent_id }) => intent_id === id);
    expect(job?.in_ms).to.be.within(1_000, 2_000);
  });
});
