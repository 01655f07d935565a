import { expect } from 'chai';
import { applyAccount } from '../../src/capabilities/payouts/reports/store.ts';
import { openPool } from '../../src/db/pool.ts';
import { type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';
import { until } from '../support/processes.ts';

/** Another user of the app, and the payout account of that one. */
const OTHERS = `
  insert into users (id, app_id, email) values ('usr_2', 'app_1', 'b@example.com');
  insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted)
  values ('con_2', 'app_1', 'usr_2', 'acct_2', true, true, true)`;

describe('the payout account of another user', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(OTHERS);
  });
  afterEach(() => intentDb.close());

  it('receives no payout, though a transfer that was lost with a backup says so', async () => {
    await intentDb.query(`
      delete from payout_steps;
      update lost_money set subject_id = 'po_1', processor_account_id = 'acct_2'`);

    await intentDb.query('select submit_lost_transfers()');

    expect(await intentDb.query(`select connect_account_id as to from payouts`)).to.deep.equal([{ to: 'con_1' }]);
  });

  it('is not replaced when a user opens one', async () => {
    const { id } = item();
    await intentDb.accept(item({ id, kind: 'payouts/account', owner: 'app_1', request: {} }));
    const { fence } = (await intentDb.claim(id)) ?? {};
    const made = { id: 'con_3', owner: 'app_1', user_id: 'usr_1', processor_account_id: 'acct_3', is_abroad: false };
    const able = { payouts_enabled: true, transfers_enabled: true, charges_enabled: true };
    const seen = { ...able, details_submitted: true, replaces: 'acct_2' };

    await intentDb.query(`select record_connect_account($1, $2, '{"result": {}}', $3)`, [
      id,
      fence,
      { ...made, ...seen },
    ]);

    const attached = await intentDb.query(`select id from connect_accounts where detached_at is null order by id`);
    expect(attached).to.deep.equal([{ id: 'con_1' }, { id: 'con_2' }]);
  });
});

describe('a payout account', () => {
  it('keeps the newest report of its bank account, whichever is recorded first', async () => {
    const intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    const pool = await openPool(intentDb.url, 2, () => {});
    const able = { payoutsEnabled: true, transfersEnabled: true, chargesEnabled: true, detailsSubmitted: true };
    const seen = { accountId: 'acct_1', ...able, country: 'US', bankName: null, last4: null };
    const report = (tx: Parameters<typeof applyAccount>[0], destination: string, atMs: number) =>
      applyAccount(tx, { ...seen, destination }, atMs);

    const older = await pool.transaction(async (tx) => {
      await report(tx, 'ba_new', 2_000);
      const waiting = pool.transaction((other) => report(other, 'ba_old', 1_000));
      await until('it waits', async () => (await intentDb.query(WAITING)).length > 0);
      return () => waiting;
    });
    await older();

    const [account] = await intentDb.query(`select destination from connect_accounts where id = 'con_1'`);
    await pool.end();
    await intentDb.close();
    expect(account).to.deep.equal({ destination: 'ba_new' });
  });
});
