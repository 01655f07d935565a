import pg from 'pg';

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.WORKER_POOL_SIZE ?? 20),
});

const CLAIM = { name: 'claim', text: 'select id, fence from claim_intent($1)' };
const BEGIN = { name: 'begin', text: 'select begin_sending($1, $2, $3)' };
const SETTLE = {
  name: 'settle',
  text: `
    with settled as materialized (
      select settle_intent($1, $2, 'succeeded', $3) ok
    ), changed as (
      update orders set lifecycle = 'filled', executed = $4 where id = $1 and (select ok from settled)
    )
    select ok from settled`,
};
const EXECUTED = JSON.stringify({ price: '100000', quantity: '0.0001', value: '10', leverage: '0.001' });

/** The cost of executing an intent in statements, each its own commit, without a call in between. */
export async function sameSql(intentId: string): Promise<void> {
  const { rows } = await pool.query<{ fence: number }>({ ...CLAIM, values: [intentId] });
  const [held] = rows;
  if (!held) return;
  await pool.query({ ...BEGIN, values: [intentId, held.fence, JSON.stringify({ signal: { order_uuid: intentId } })] });
  await pool.query({
    ...SETTLE,
    values: [intentId, held.fence, JSON.stringify({ result: { order_uuid: intentId, executed: EXECUTED } }), EXECUTED],
  });
}
