import { expect } from 'chai';
import { paymentWrites } from '../../src/capabilities/payments/intents.ts';
import { payoutWrites } from '../../src/capabilities/payouts/intents.ts';
import { KEYS_KEPT_MS } from '../../src/intents/replay.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { intentAt, operatorOf } from '../support/operator.ts';

const MARGIN_MS = 60_000;

describe('what operators see of a re-run at the processor', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  it('is what a worker does, of every verb there: whether it looks for the write first, and until when it repeats it', async () => {
    const found = new Set([...paymentWrites, ...payoutWrites].map(({ kind }) => kind));
    const kinds = await intentDb.query<{ kind: string }>(`select kind from intent_kinds where upstream = 'processor'`);

    expect(kinds.length).to.be.above(found.size);
    for (const { kind } of kinds) {
      const id = await intentAt(intentDb, 'in_doubt', { kind });
      const assessedAfter = async (ms: number) => {
        await intentDb.query(`update intents set sending_at = now() - $2 * interval '1 ms' where id = $1`, [id, ms]);
        return operatorOf(intentDb).assess(id);
      };

      const early = await assessedAfter(KEYS_KEPT_MS - MARGIN_MS);
      expect(early?.verdict, kind).to.equal('send_again');
      expect(early?.would_do.includes('looks for it'), kind).to.equal(found.has(kind));
      expect((await assessedAfter(KEYS_KEPT_MS + MARGIN_MS))?.verdict, kind).to.equal('would_act_twice');
    }
  });
});
