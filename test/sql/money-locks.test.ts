import { expect } from 'chai';
import { endSessions } from '../../src/capabilities/admin/users/commands.ts';
import { openPool } from '../../src/db/pool.ts';
import { type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';
import { until } from '../support/processes.ts';

const STAGE = `
  update payments set status = 'succeeded', paid_at = now();
  update prop_accounts set status = 'funded', synthetic_hotkey = 'e_1';
  update user_sessions set expires_at = now() + interval '1 day';
  update payout_steps set state = 'done', processor_id = 'tr_1', ended_at = now();
  update payouts set processor_transfer_id = 'tr_1', made_in_session = 'ses_1';
  select post_entries('po_1', 'app_1', 'transfer', 'tr_1', now(), null, jsonb_build_array(leg('platform', 'exchange', 'usd', 100)))`;
const UNKNOWN = `
  insert into payout_steps (intent_id, payout_id, step, state, amount_cents, currency)
  values (gen_random_uuid(), 'po_1', 'payout', 'unknown', 100, 'usd')`;

type Call = (db: IntentDatabase) => Promise<unknown>;

const submission: Call = (db) => {
  const entry = JSON.stringify({ id: item().id, deadline_s: 60 });
  return db.query(`select * from submit_payout('po_1', 'app_1', 'usr_1', $1, 100)`, [entry]);
};
const loss: Call = (db) =>
  db.query(`select note_loss('pay_1', '{"kind": "dispute", "id": "dp_1", "cents": 100, "status": "lost"}', 1000)`);
const endOfSession: Call = async (db) => {
  const pool = await openPool(db.url, 1, () => {});
  // as: ids and an actor of the fixture
  const session = { userId: 'usr_1', sessionId: 'ses_1' } as Parameters<typeof endSessions>[1];
  const actor = { adminId: 'adm_1', address: null, requestId: 'req_1' } as unknown as Parameters<typeof endSessions>[2];
  return endSessions(pool, session, actor, 'stolen').finally(() => pool.end());
};

const HOLDING = `select note_holding('po_1', 'acct_1', 40, 'usd', '[]')`;
const FINDING = `select resolve_payout('po_1', 'admin:adm_1', 'looked up', null, null, '{}')`;
const SYNC = `select record_sync('prop_1', 'funded', 'eliminated', 'breach', 'eliminated', null)`;

describe('what moves money of one payment', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(STAGE);
    await intentDb.query(UNKNOWN);
  });
  afterEach(() => intentDb.close());

  // the last one changes its row twice, which has its foreign keys checked, or writes a row that names a row above
  for (const [name, above, row, below] of [
    ['a submission with what is read of its transfer', submission, `payouts where id = 'po_1'`, HOLDING],
    ['a submission with what was found of its step', submission, `payouts where id = 'po_1'`, FINDING],
    ['the end of a session with what is read of a transfer', endOfSession, `payouts where id = 'po_1'`, HOLDING],
    ['a loss with a sync of its account', loss, `prop_accounts where id = 'prop_1'`, SYNC],
  ] as const)
    it(`does not deadlock: ${name}`, async () => {
      const [lower, watch] = [await intentDb.session(), await intentDb.session()];
      await lower.query('begin');
      await lower.query(`select from ${row} for no key update`);
      const upper = above(intentDb);
      upper.catch(() => {}); // read below
      const waits = until('the other waits for the row', async () => (await watch.query(WAITING)).length > 0);
      await Promise.race([waits, upper]);

      await lower.query(`set local lock_timeout = '300ms'`); // less than it takes to resolve a deadlock
      await lower.query(below);
      await lower.query('commit');

      await upper;
      expect(await lower.query('select from operator_actions')).to.have.length(below === FINDING ? 2 : 1);
    });
});
