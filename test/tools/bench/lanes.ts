import { item, openIntentDatabase, type Row } from '../../support/intent-database.ts';
import { type Extent, type Figures, within } from './figures.ts';
import { timed } from './p1.ts';

const TRADERS = 5_000;
const EACH_MS = 40;

/** LANES: the cost of an order in SQL alone, one after the other, next to thousands of waiting lanes. */
export async function measureLanes({ small }: Extent): Promise<Figures> {
  const orders = small ? 20 : 100;
  const intentDb = await openIntentDatabase();
  const ordered = (n: number) =>
    item({ lane: `netvenue:e_${n}:BTCUSDC`, trader: `e_${n}`, pair: 'BTCUSDC', terms: {}, n });
  const accept = (items: object[]) => intentDb.query('select from accept_network_orders($1)', [JSON.stringify(items)]);
  await intentDb.query(`
    insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
    select 'e_' || n, 'e', n, 'ptn_a', gen_random_uuid(), 'crypto', 10000, 'active'
    from generate_series(1, ${TRADERS}) n`);
  await accept(Array.from({ length: TRADERS }, (_, n) => ordered(n + 1)));
  await intentDb.query('analyze intents, lanes, orders, subaccounts');

  const ms = await timed(async () => {
    for (let n = 1; n <= orders; n += 1) {
      await accept([ordered(n)]);
      const held = (await intentDb.claim(String(await intentDb.headOf(`netvenue:e_${n}:BTCUSDC`)))) as Row; // as: it is the first
      await intentDb.beginSending(held.id, held.fence);
      await intentDb.settle(held.id, held.fence);
    }
  });
  await intentDb.close();
  return {
    name: 'LANES',
    title: `orders accepted, claimed and settled one by one, ${TRADERS} lanes in the table`,
    rows: [within(EACH_MS, { what: 'one order', figure: ms / orders, unit: 'ms' })],
  };
}
