import { expect } from 'chai';
import { z } from 'zod';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import type { IntentOf } from '../../src/intents/define.ts';
import { defineProcessorIntent, type ProcessorDeps } from '../../src/intents/replay.ts';
import { accepted, rejected } from '../../src/kernel/upstream-result.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

describe('a write at the processor that rejects our key', () => {
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

  for (const [what, onWait, state] of [
    ['ends, so that its caller may submit it again', undefined, 'failed'],
    ['waits for another key, if its verb records why', async () => {}, 'queued'],
  ] as const)
    it(what, async () => {
      const one = item({ kind: 'payments/refund' });
      await intentDb.accept(one);
      const { fence } = (await intentDb.claim(one.id)) ?? { fence: 0 };
      await intentDb.query(`update intents set sending_at = now(), sent_payload = '{}' where id = $1`, [one.id]);
      const verb = defineProcessorIntent({
        ...{ kind: 'payments/refund', retention: 'with_money', request: z.object({}), payload: z.object({}) },
        prepare: async (_, __: ProcessorDeps) => ({ send: {} }),
        call: async () => accepted({}),
        ...(onWait && { onWait }),
        record: async () => true,
      });
      const intent = { ...(await intentDb.row(one.id)), fence } as unknown as IntentOf<Record<string, never>>; // as: a claimed row

      await verb.record({ intent, payload: {} }, rejected('processor_auth', 'no'), { db } as never); // as: all that it uses

      const row = await intentDb.row(one.id);
      expect(row).to.include({ state });
      expect(row.outcome?.problem).to.include({ code: 'PROCESSOR_AUTH' });
    });
});
