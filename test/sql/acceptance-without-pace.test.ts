import { expect } from 'chai';
import { type DbSession, type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

describe('the acceptance of a new order of the network', () => {
  let intentDb: IntentDatabase;
  let session: DbSession;
  before(async () => {
    intentDb = await openIntentDatabase();
    session = await intentDb.session();
    await session.query(`set track_functions = 'all'`);
    await session.query(`
      insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
      values ('t', 'e', 0, 'ptn_a', gen_random_uuid(), 'crypto', 1, 'active')`);
  });
  after(() => intentDb.close());

  /** How often earlier acceptances were looked for so far. */
  async function lookUps(): Promise<number> {
    await session.query('select pg_stat_force_next_flush()');
    const rows = await intentDb.query<{ calls: number }>(
      `select calls::integer from pg_stat_user_functions where funcname = 'was_accepted'`,
    );
    return rows[0]?.calls ?? 0;
  }

  const accept = (trader: string) =>
    session.query<{ verdict: string }>('select verdict from accept_network_orders($1)', [
      JSON.stringify([{ ...item(), n: 0, trader, pair: 'BTCUSDC', request: { trader }, terms: {} }]),
    ]);

  it('reads no earlier order, also without a limit on how many its trader may send', async () => {
    expect(await accept('t')).to.deep.equal([{ verdict: 'accepted' }]);
    expect(await lookUps()).to.equal(0);

    expect(await accept('unknown')).to.deep.equal([{ verdict: 'trader_unknown' }]);
    expect(await lookUps(), 'they are counted').to.be.above(0);
  });
});
