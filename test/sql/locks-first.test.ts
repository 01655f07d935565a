import { expect } from 'chai';
import { readDefinitions } from '../../src/db/definitions.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';
import { until } from '../support/processes.ts';

const ID = '00000000-0000-7000-8000-00000000000';
const STEP = `'${ID}5'`;
const ITEM = `jsonb_build_object('id', gen_random_uuid(), 'deadline_s', 60)`;
const CLAIM = `'${ID}4', 1, '{"result": {}}'`;
const BY = `'admin:adm_1', 'asked'`;
const STAGE = `
  update payments set status = 'succeeded', paid_at = now(), processor_payment_intent_id = 'pi_1', refund_intent_id = ${STEP};
  update payment_losses set payment_id = 'pay_1';
  update processor_events set object_id = 'pi_1', outcome = 'unreadable', acted_at = now();
  update payout_steps set state = 'unknown', processor_id = 'po_bank';
  update payouts set processor_transfer_id = 'tr_1', pay_after = now(), status = 'submitted';
  update lost_money set subject_id = 'po_1';
  update intents set state = 'running', settled_at = null, outcome = null, sending_at = null, request = '{"user_id": "usr_1", "in_session": "ses_1"}'
  where id = '${ID}4'`;
const SUBACCOUNT = `jsonb_build_object('synthetic_hotkey', 'e_9', 'entity_hotkey', 'e', 'subaccount_id', 9, 'asset_class', 'crypto',
  'account_size', 1000, 'status', 'active')`;
const REQUEST = `select request_payout('po_2', 'prop_1', 'con_1', 1, 'usd', 100, 'ses_1')`;
const SUBMISSION = `select * from submit_payout('po_1', 'app_1', 'usr_1', ${ITEM}, 100, 0, 'ses_1')`;
const LOSS = `select note_loss('pay_1', '{"kind": "refund", "id": "re_9", "cents": 1, "currency": "usd", "status": "succeeded"}', 1)`;

/** By row: what reads it and then writes what follows from it. Each says in its contract that it locks it. */
const LOCKING: Record<string, [table: string, where: string, calls: string[]]> = {
  payment: [
    'payments',
    `id = 'pay_1'`,
    [
      LOSS,
      REQUEST,
      SUBMISSION,
      `select * from reverse_payout('po_1', ${BY}, ${ITEM})`,
      `select * from refund_payment('pay_1', ${BY}, gen_random_uuid(), 60, 'req_1')`,
      `select close_event('evt_1', 'unreadable')`,
      `select dismiss_event('evt_1', ${BY})`,
      `select follow_refund(${STEP})`,
      `select record_checkout(${CLAIM}, 'pay_1', 'pi_9', 'canceled', null)`,
      `select abandon_account('prop_1', ${BY})`,
      `select reinstate_account('prop_1', ${BY})`,
      `select provision_again('prop_1', 'admin:adm_1', gen_random_uuid(), 60, 'asked')`,
      `select attach_subaccount('prop_1', 'admin:adm_1', ${SUBACCOUNT}, 'asked')`,
    ],
  ],
  account: [
    'prop_accounts',
    `id = 'prop_1'`,
    [
      REQUEST,
      SUBMISSION,
      `select follow_money('pay_1', null, 'refunded')`,
      `select abandon_account('prop_1', ${BY})`,
      `select reinstate_account('prop_1', ${BY})`,
      `select provision_again('prop_1', 'admin:adm_1', gen_random_uuid(), 60, 'asked')`,
      `select attach_subaccount('prop_1', 'admin:adm_1', ${SUBACCOUNT}, 'asked')`,
    ],
  ],
  payout: [
    'payouts',
    `id = 'po_1'`,
    [
      SUBMISSION,
      `select cancel_payout('po_1', 'app_1', 'usr_1')`,
      `select note_reversed('po_1', 1)`,
      `select note_holding('po_1', 'acct_1', 1, 'usd', '[]')`,
      `select note_bank_payout('po_bank', 'paid', 100, 'usd', null)`,
      `select note_step(${STEP}, 'tr_9', null, ${ITEM}, now())`,
      `select fail_payout_step(${STEP})`,
      `select fix_bank_leg(${STEP}, 0, 1, 'usd', 'py_1', 0)`,
      `select resolve_payout('po_1', ${BY}, null, null, ${ITEM})`,
      `select * from reverse_payout('po_1', ${BY}, ${ITEM})`,
      `update payout_steps set state = 'failed'; select pay_arrived('po_1', ${ITEM})`,
      `select submit_lost_transfers()`,
    ],
  ],
  'event of the processor': ['processor_events', `id = 'evt_1'`, [`select dismiss_event('evt_1', ${BY})`]],
  'payout account': ['connect_accounts', `id = 'con_1'`, [`select note_balance('acct_1', '[]')`]],
  verification: ['kyc_cases', `user_id = 'usr_1'`, [`select drop_verification('usr_1', null)`]],
  session: [
    'user_sessions',
    `id = 'ses_1'`,
    [
      REQUEST,
      SUBMISSION,
      `select note_payout_link('acct_1', 'ses_1')`,
      `select record_connect_account(${CLAIM}, '{"user_id": "usr_1", "made_in_session": "ses_1", "replaces": "acct_1"}')`,
      `select record_verification_session(${CLAIM}, 'vs_9')`,
    ],
  ],
};
/** Their first statement is the one that writes, with its conditions, or is all of them. */
const OF_ONE_STATEMENT = ['fail_checkout', 'name_payment', 'lock_payment_of'];

const nameOf = (call: string) => /(\w+)\(/.exec(call.replace(/^update.*; /, ''))?.[1];

describe('what follows from a row that others change is read under its lock:', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(STAGE);
  });
  afterEach(() => intentDb.close());

  for (const [what, [table, where, calls]] of Object.entries(LOCKING))
    for (const call of calls)
      it(`of the ${what}, by ${nameOf(call)}`, async () => {
        const [holding, calling] = [await intentDb.session(), await intentDb.session()];
        await holding.query('begin');
        await holding.query(`select from ${table} where ${where} for no key update`);

        const called = calling.query(call).catch(() => {}); // only its wait matters
        const waits = () =>
          intentDb.query<{ writes: boolean }>(`
            select exists (
              select from pg_locks l where l.pid = a.pid and l.relation = '${table}'::regclass and l.mode = 'RowExclusiveLock'
            ) as writes
            from pg_stat_activity a
            where a.datname = current_database() and a.wait_event_type = 'Lock'`);
        const [waiting] = await until('it waits for the row', async () => {
          const found = await waits();
          return found.length > 0 ? found : null;
        });
        await holding.query('rollback');
        await called;

        expect(waiting, 'it waited where it writes: it had read the row before').to.deep.equal({ writes: false });
      });

  it('of every payment and payout that a function says it locks', async () => {
    const definitions = await readDefinitions();
    for (const row of ['payment', 'payout']) {
      const saying = definitions.filter(({ text }) =>
        new RegExp(`Locks (?:[a-z ]+, )*(?:then )?the (?:[a-z]+, the )*${row}\\b`).test(text.replaceAll('\n-- ', ' ')),
      );
      const names = saying.map(({ name }) => name).filter((name) => !OF_ONE_STATEMENT.includes(name));

      expect(names).to.have.length.above(10);
      expect(LOCKING[row]?.[2].map(nameOf), row).to.include.members(names);
    }
  });
});
