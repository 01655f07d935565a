import { expect } from 'chai';
import { type DbPool, openPool, WORKER_LIMITS } from '../../src/db/pool.ts';
import { found } from '../../src/kernel/upstream-result.ts';
import { syncSubaccounts } from '../../src/venues/network/subaccounts/commands.ts';
import { type DbSession, type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

const UNREAD = {
  subaccountId: null,
  subaccountUuid: null,
  assetClass: null,
  accountSize: null,
  createdMs: null,
  exAddress: null,
};

describe('statuses that the network has given to subaccounts of partners by itself', function () {
  this.timeout(20_000);
  let intentDb: IntentDatabase;
  let worker: DbPool;
  let operator: DbSession;
  before(async () => {
    intentDb = await openIntentDatabase();
    worker = await openPool(intentDb.url, 4, () => {}, { ...WORKER_LIMITS, statementMs: 500 });
    operator = await intentDb.session();
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'A'), ('ptn_b', 'B')`);
    for (const [n, owner] of ['ptn_a', 'ptn_b'].entries())
      await intentDb.query(
        `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
         values ($1, '5E', $2, $3, gen_random_uuid(), 'crypto', 1, 'active')`,
        [`5E_${n}`, n, owner],
      );
  });
  after(async () => {
    await worker.end();
    await intentDb.close();
  });

  it('are recorded for each, although the event log of one partner is locked', async () => {
    const listSubaccounts = async () =>
      found(['5E_0', '5E_1', null].map((syntheticHotkey) => ({ ...UNREAD, syntheticHotkey, status: 'eliminated' })));
    await operator.query('begin');
    await operator.query(`select record_event('ptn_a', 'x', '{}')`);

    const synced = await syncSubaccounts({ db: worker, venues: { netvenue: { listSubaccounts } } }).then(
      () => 'all',
      () => 'not all',
    );
    const recorded = await intentDb.query('select owner from subaccounts where status = $1', ['eliminated']);
    await operator.query('rollback');

    expect(synced).to.equal('not all');
    expect(recorded).to.deep.equal([{ owner: 'ptn_b' }]);
  });
});

describe('a subaccount that has moved to another partner', () => {
  it('is reported to both: to the former owner that it moved, to the new one as it is', async () => {
    const intentDb = await openIntentDatabase();
    await intentDb.query(`
      insert into partners (id, name) values ('ptn_a', 'A'), ('ptn_b', 'B'), ('ptn_c', 'C');
      insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
      values ('5E_1', '5E', 1, 'ptn_a', gen_random_uuid(), 'crypto', 1, 'active')`);
    await intentDb.query('delete from events');

    await intentDb.query(`update subaccounts set owner = 'ptn_b'`);
    const told = await intentDb.query(`
      select owner, data::jsonb ->> 'status' as status from events where type = 'subaccount.updated' order by owner`);
    await intentDb.close();

    expect(told).to.deep.equal([
      { owner: 'ptn_a', status: 'moved' },
      { owner: 'ptn_b', status: 'active' },
    ]);
  });
});
