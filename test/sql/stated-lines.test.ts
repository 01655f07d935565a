import { expect } from 'chai';
import { newIntentId } from '../../src/kernel/ids.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

const [WALLET, OTHER] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`];
const AT = '2026-11-01T00:00:00.000Z';

describe('lines of the statement', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
  });
  afterEach(() => intentDb.close());

  const intent = async (kind: string, request: object, result: object = {}, state = 'succeeded', name?: string) => {
    const id = newIntentId();
    await intentDb.query(
      `insert into intents (id, kind, owner, state, request, outcome, given_id, digest, deadline_at, settled_at)
       values ($1, $2, 'a', $3, $4, $5, $6, '', now(), now())`,
      [id, kind, state, request, { result }, name],
    );
    return id;
  };
  const lines = (columns: string) => intentDb.query(`select ${columns} from statement_lines l order by l.reference`);

  it('have the fee of an execution, or its rebate, when it was, for whoever placed the order of that wallet', async () => {
    const [placed, closed, cancelled, elsewhere] = [
      await intent('exchange/place', { wallet: WALLET }),
      await intent('exchange/close', { wallet: WALLET }),
      await intent('exchange/cancel', { wallet: WALLET }),
      await intent('exchange/place', { wallet: OTHER }),
    ];
    for (const [owner, trader] of [
      ['a', WALLET],
      ['b', OTHER],
    ])
      await intentDb.query(
        `insert into orders (id, venue, owner, trader, pair, executed) values (gen_random_uuid(), 'exvenue', $1, $2, 'BTC-USDC', '{"ex_order_id": "7"}')`,
        [owner, trader],
      );
    const cloids = [null, ...[placed, closed, cancelled, elsewhere].map((id) => `0x${id.replaceAll('-', '')}`), '0x1'];
    for (const [n, cloid] of cloids.entries())
      await intentDb.query(
        `insert into exchange_fills (ex_wallet, trade_id, oid, coin, side, price, size, start_position, closed_pnl, fee, fee_token, is_liquidation, cloid, filled_at)
         values ($1, $2, $3, 'BTC', 'buy', 1, 1, 0, 0, $4, 'USDC', false, $5, $6)`,
        [WALLET, n, cloid ? '8' : '7', -0.05, cloid, AT],
      );

    await intentDb.query('select state_fees($1, $2)', [WALLET, ['7', '8']]);

    const fee = { owner: 'a', amount: '-0.05', at: new Date(AT), pair: 'BTC-USDC' };
    expect(await lines('l.owner, l.amount::text, l.at, l.pair, l.reference')).to.deep.equal([
      { ...fee, reference: '0' },
      { ...fee, reference: '1' },
      { ...fee, reference: '2' },
    ]);
  });

  it('have what a verb executed, in which direction, of the account that it was for', async () => {
    const request = { prop_account_id: 'prop', subaccount_id: 12, trader: 'hk', trade_pair: 'BTCUSD' };
    const executed = { order_type: 'FLAT', quantity: -2, price: 10 };
    const [name, filled] = [newIntentId(), { side: 'long', filled_size: '2', fill_price: '10' }];
    const verbs = [
      await intent('network/place', request, { executed }, 'succeeded', name),
      await intent(
        'network/place',
        { ...request, prop_account_id: undefined },
        { executed: { ...executed, quantity: 2 } },
      ),
      await intent('network/place', request, { executed: { ...executed, quantity: 0 } }),
      await intent('network/place', request, { executed }, 'failed'),
      await intent('network/close', request, { executed: { order_type: 'FLAT', quantity: null, price: null } }),
      await intent('network/cancel', request, {}),
      await intent('exchange/place', { wallet: WALLET, pair: 'BTC-USDC' }, filled),
    ];

    await intentDb.query(`select emit_ended($1, '{}')`, [verbs]);

    expect(
      await lines('l.reference, l.account, l.side, l.quantity::text, l.price::text, l.progress::text'),
    ).to.have.deep.members([
      { reference: name, account: 'prop', side: 'SHORT', quantity: '2', price: '10', progress: '0' },
      { reference: verbs[1], account: '12', side: 'LONG', quantity: '2', price: '10', progress: '0' },
      { reference: verbs[4], account: 'prop', side: 'FLAT', quantity: null, price: null, progress: '0' },
      { reference: verbs[6], account: WALLET, side: 'long', quantity: '2', price: '10', progress: '2' },
    ]);
  });

  it('have an order of the network that was filled, as its caller names it, with the account of its owner', async () => {
    await intentDb.query(`
      set local session_replication_role = replica;
      insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
      values ('hk', 'e', 12, 'a', gen_random_uuid(), 'crypto', 1, 'active'), ('hk_b', 'e', 13, 'b', gen_random_uuid(), 'crypto', 1, 'active');
      insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status, synthetic_hotkey)
      values ('prop', 'a', 'u', 't', 'm', 'crypto', 1, 'funded', 'hk'), ('prop_b', 'b', 'u_b', 't', 'm', 'crypto', 1, 'funded', 'hk_b')`);
    const given = [newIntentId(), newIntentId()];
    const order = async (trader: string, lifecycle: string, venue: string, name: string | null) => {
      const id = newIntentId();
      await intentDb.query(
        `insert into orders (id, given_id, venue, owner, trader, pair, terms, lifecycle, executed)
         values ($1, $2, $3, 'a', $4, 'BTCUSD', '{}', $5, '{"order_type": "LONG", "quantity": 2, "price": 10}')`,
        [id, name, venue, trader, lifecycle],
      );
      return id;
    };
    const ids = [
      await order('hk', 'filled', 'netvenue', given[0] ?? null),
      await order('hk_b', 'filled', 'netvenue', given[1] ?? null),
      await order('hk', 'cancelled', 'netvenue', null),
      await order('hk', 'filled', 'exvenue', null),
    ];

    for (const _ of [1, 2]) await intentDb.query(`select emit_ended('{}', $1)`, [ids]);

    expect(await lines('l.reference, l.account')).to.have.deep.members([
      { reference: given[0], account: 'prop' },
      { reference: given[1], account: '13' },
    ]);
  });

  it('are distinguished by owner, kind, account, reference and progress, however that is written', async () => {
    const subject = newIntentId();
    const idOf = async (of: string) =>
      (await intentDb.query<{ id: string }>(`select statement_id(${of}, '${subject}') as id`))[0]?.id;
    const fill = await idOf(`'a', 'fill', 'w', 'r', 1.0`);
    const others = [`'b', 'fill', 'w', 'r', 1`, `'a', 'fee', 'w', 'r', 1`, `'a', 'fill', 'x', 'r', 1`];
    others.push(`'a', 'fill', 'w', 's', 1`, `'a', 'fill', 'w', 'r', 2`);

    const ids = [];
    for (const other of others) ids.push(await idOf(other));

    expect(await idOf(`'a', 'fill', 'w', 'r', 1.00`)).to.equal(fill);
    expect(new Set([fill, ...ids]).size).to.equal(6);
  });

  it('have the payment of a registration once, out of the account, in USDC', async () => {
    const id = await intent('registration/purchase', {});
    await intentDb.query(`update intents set sent_payload = '{"authorization": {"value": "99500000"}}' where id = $1`, [
      id,
    ]);
    await intentDb.query(
      `insert into registrations (id, owner, ex_address, miner_slug, account_size, payer)
       values ($1, 'a', $2, 'slug', 1000, $3)`,
      [id, WALLET, OTHER],
    );
    const note = (hash: string | null, message: string) =>
      intentDb.query(
        'update registrations set tx_hash = $2, paid_at = case when $2::text is not null then now() end, message = $3 where id = $1',
        [...[id, hash, message]],
      );

    await note(null, 'it is not paid yet');
    await note('0xaa', 'it is paid');
    await note('0xaa', 'it is registered');

    expect(await lines('owner, kind, what, venue, account, reference, amount, currency')).to.deep.equal([
      {
        ...{ owner: 'a', kind: 'payment', what: 'registration', venue: 'exvenue', account: WALLET },
        ...{ reference: id, amount: '-99.5000000000000000', currency: 'USDC' },
      },
    ]);
  });
});
