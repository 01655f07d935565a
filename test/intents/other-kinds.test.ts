import { expect } from 'chai';
import { z } from 'zod';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { defineIntent } from '../../src/intents/define.ts';
import { type Execution, runIntent } from '../../src/intents/run.ts';
import { succeed } from '../../src/intents/settle.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import { accepted } from '../../src/kernel/upstream-result.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { intentAt } from '../support/operator.ts';

/** Verbs of one capability have requests of one form: a payout's transfer, its way to the bank and its reversal, or what closes and what cancels. */
describe('a job that names an intent of another kind, as an operator may queue it', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 3, () => {});
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });

  let called: string[];
  beforeEach(() => {
    called = [];
  });

  function run(id: string, claimed: 'to_prepare' | 'to_send'): Promise<void> {
    const deps: Execution = {
      ...{ db, late: new Set(), stopping: new AbortController().signal, pauses: { leaves: () => false } },
    };
    const verb = defineIntent({
      ...{ kind: 'network/close', retention: 'alone', claimed },
      ...{ request: z.looseObject({}), payload: z.object({ what: z.number() }) },
      timing: () => ({ patienceMs: 1_000, inFlightMs: 0 }),
      prepare: async (_, __: Execution) => {
        called.push('prepare');
        return { send: { what: 1 } };
      },
      send: async () => {
        called.push('send');
        return accepted({});
      },
      reconcile: async () => {
        called.push('reconcile');
        return { kind: 'absent' };
      },
      record: ({ intent }, _, { db }) => succeed(db, intent, {}),
    });
    return runIntent(verb)({ intent_id: id as IntentId }, deps); // as: the id of an intent
  }

  for (const state of ['queued', 'running', 'sent', 'in_doubt', 'succeeded', 'failed', 'expired'] as const)
    for (const claimed of ['to_prepare', 'to_send'] as const)
      it(`leaves it as it is, ${state}: claimed ${claimed}`, async () => {
        const id = await intentAt(intentDb, state, { kind: 'network/cancel' });
        const [row, jobs] = [await intentDb.row(id), await intentDb.jobs()];

        await run(id, claimed);

        expect(called).to.deep.equal([]);
        expect(await intentDb.row(id)).to.deep.equal(row);
        expect((await intentDb.jobs()).map(({ task, intent_id }) => [task, intent_id])).to.deep.equal(
          jobs.map(({ task, intent_id }) => [task, intent_id]),
        );
      });
});
