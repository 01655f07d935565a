import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

const EVENT = 'evt_early';

describe('an event about an object that no row of ours names yet', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
  });
  afterEach(() => intentDb.close());

  const take = (fact: object) =>
    intentDb.query(`select * from take_processor_events($1, 'notified')`, [
      JSON.stringify([{ id: EVENT, type: 'a.b', said_at_ms: 1, fact }]),
    ]);
  const outcome = async () =>
    (await intentDb.query<{ outcome: string }>(`select outcome from processor_events where id = $1`, [EVENT]))[0]
      ?.outcome;
  const jobs = () => intentDb.query(`select from queue_jobs where payload ->> 'event_id' = $1`, [EVENT]);

  /** Claims an intent of a kind. Resolves to the first arguments of what records its end. */
  async function claimed(kind: string, request: object) {
    const { id } = item();
    await intentDb.accept(item({ id, kind, owner: 'app_1', request }));
    return [id, (await intentDb.claim(id))?.fence];
  }
  const recorded = {
    payment: {
      fact: { about: 'charge', processorId: 'pi_9' },
      name: () => intentDb.query(`select name_payment('pay_1', 'pi_9')`),
    },
    verification: {
      fact: { about: 'verification', sessionId: 'vs_2' },
      name: async () => {
        const claim = await claimed('kyc/session', { user_id: 'usr_1' });
        await intentDb.query(`select record_verification_session($1, $2, '{"result": {}}', 'vs_2')`, claim);
      },
    },
    'payout account': {
      fact: { about: 'account', accountId: 'acct_2' },
      name: async () => {
        const claim = await claimed('payouts/account', { user_id: 'usr_1' });
        const made = `{"id": "con_2", "owner": "app_1", "user_id": "usr_1", "processor_account_id": "acct_2", "is_abroad": false,
          "payouts_enabled": true, "transfers_enabled": true, "charges_enabled": true, "details_submitted": true, "replaces": "acct_1"}`;
        await intentDb.query(`select record_connect_account($1, $2, '{"result": {}}', '${made}')`, claim);
      },
    },
    transfer: {
      fact: { about: 'transfer', accountId: 'acct_1', transferId: 'tr_9' },
      name: async () => {
        const [step] = await intentDb.query<{ id: string }>(`select intent_id as id from payout_steps`);
        const next = { id: item().id, deadline_s: 60 };
        await intentDb.query(`select note_step($1, 'tr_9', 'py_9', $2, now())`, [step?.id, next]);
      },
    },
  };

  for (const [what, { fact, name }] of Object.entries(recorded))
    it(`is applied once the ${what} that it is about is recorded`, async () => {
      await take(fact);
      expect([await outcome(), (await jobs()).length]).to.deep.equal(['not_ours', 0]);

      await name();

      expect([await outcome(), (await jobs()).length]).to.deep.equal([null, 1]);
    });
});
