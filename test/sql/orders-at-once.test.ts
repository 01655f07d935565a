import { expect } from 'chai';
import { type IntentDatabase, WAITING } from '../support/intent-database.ts';
import { openPlacement, PLACEMENT } from '../support/placement.ts';

describe('an order of the exchange that two transactions change at once', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openPlacement();
  });
  after(() => intentDb.close());

  const CHANGES = {
    'a cancellation': `select cancel_exchange_orders('0x1', '{7}')`,
    'a correction of its exits': `select correct_exits('[{"id": "${PLACEMENT}", "trigger_status": "failed"}]')`,
  };
  for (const [name, change] of Object.entries(CHANGES))
    it(`keeps what was executed meanwhile: ${name}`, async () => {
      await intentDb.query(`
        delete from orders;
        insert into orders (id, venue, owner, trader, pair, handle, lifecycle, terms, executed)
        values ('${PLACEMENT}', 'exvenue', 'ptn_a', '0x1', 'BTC-USDC', '${PLACEMENT}', 'resting', '{}',
          '{"ex_order_id": "7", "status": "open", "filled_size": "1", "trigger_status": "placed"}')`);
      const [filling, changing] = [await intentDb.session(), await intentDb.session()];
      await filling.query('begin');
      await filling.query(`update orders set executed = executed || '{"filled_size": "2"}'`);
      const late = changing.query(change);
      while ((await intentDb.query(WAITING)).length === 0);
      await filling.query('commit');
      await late;

      const [order] = await intentDb.query<{ filled: string }>(
        `select executed ->> 'filled_size' as filled from orders`,
      );
      expect(order).to.deep.equal({ filled: '2' });
    });
});

describe('an order of the network that is edited while a read shows its end', () => {
  const EDIT = '00000000-0000-7000-8000-000000000002';
  const entry = (stop_loss: string | null, more = {}) => ({
    ...{ take_profit: null, stop_loss, trailing_stop: null, size: null },
    ...more,
  });
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openPlacement();
    await intentDb.query(`
      insert into intents (id, kind, owner, state, request, digest, deadline_at)
      values ('${EDIT}', 'network/edit', 'ptn_a', 'queued', '{}', '', now());
      insert into orders (id, venue, owner, trader, pair, lifecycle, terms)
      values ('${PLACEMENT}', 'netvenue', 'ptn_a', 'e_1', 'BTCUSDC', 'resting', '{"stop_loss": 90}')`);
  });
  afterEach(() => intentDb.close());

  const change = async (more: object): Promise<string[]> => {
    const changes = JSON.stringify([{ id: PLACEMENT, ...more }]);
    const [row] = await intentDb.query<{ closed: string[] }>('select change_orders($1) as closed', [changes]);
    return row?.closed ?? [];
  };
  const edit = (...exits: object[]) =>
    change({ lifecycle: 'resting', terms: { stop_loss: 95 }, executed: null, exits, by_intent: EDIT });
  const read = (lifecycle: string, exits: object[]) =>
    change({ lifecycle, executed: { quantity: 1 }, exits, if_resting: true, if_terms: { stop_loss: 90 } });
  const state = async () => {
    const [row] = await intentDb.query(`
      select o.lifecycle, o.executed, o.ended_at is not null as has_ended, o.terms ->> 'stop_loss' as stop, (
        select jsonb_agg(e.entry - '{size,owner,version,order_uuid,take_profit,trailing_stop}'::text[])
        from wanted_exits w
        cross join jsonb_array_elements(w.wanted) as e (entry)
      ) as wanted
      from orders o`);
    return row;
  };

  it('stays filled, and wants the exits of the edit', async () => {
    expect(await read('filled', [entry('90')])).to.deep.equal([PLACEMENT]);
    expect(await edit(entry('95', { waits: true }))).to.deep.equal([]);

    expect(await state()).to.deep.equal({
      ...{ lifecycle: 'filled', executed: { quantity: 1 }, has_ended: true, stop: '95' },
      wanted: [{ stop_loss: '95' }],
    });
  });

  it('stays cancelled, and wants nothing', async () => {
    await read('cancelled', []);
    await edit(entry('95', { waits: true }));

    expect(await state()).to.include({ lifecycle: 'cancelled', has_ended: true, wanted: null });
  });

  it('wants nothing once it is filled without exits, or was an exit itself', async () => {
    await read('filled', []);
    await edit(entry(null, { waits: true }), entry('95'));

    expect(await state()).to.include({ lifecycle: 'filled', wanted: null });
  });

  it('stays filled, and wants nothing, if it is the exits of a position', async () => {
    await change({ lifecycle: 'filled', executed: { quantity: 1 } });
    const [row] = await intentDb.query<{ closed: string[] }>(
      `select record_bracket($1, 'ptn_a', 'e_1', 'bracket', $2, its_exits => $3, is_whole => true, by_intent => $4) as closed`,
      [PLACEMENT, { trade_pair: 'BTCUSDC', stop_loss: 95 }, JSON.stringify([entry('95')]), EDIT],
    );

    expect(row?.closed).to.deep.equal([]);
    expect(await state()).to.deep.equal({
      ...{ lifecycle: 'filled', executed: { quantity: 1 }, has_ended: true, stop: '95', wanted: null },
    });
  });

  it('stays filled, also if the read is not committed yet when its new exits are recorded', async () => {
    const filled = JSON.stringify([
      { id: PLACEMENT, lifecycle: 'filled', executed: { quantity: 1 }, if_resting: true },
    ]);
    const terms = JSON.stringify({ trade_pair: 'BTCUSDC', stop_loss: 95 });

    await intentDb.beside(
      `select change_orders('${filled}')`,
      `select record_bracket('${PLACEMENT}', 'ptn_a', 'e_1', '${PLACEMENT}', '${terms}')`,
    );

    expect(await state()).to.include({ lifecycle: 'filled', has_ended: true });
  });

  it('is not ended by a read that knew its former terms, but by the next one', async () => {
    await edit(entry('95', { waits: true }));
    expect(await read('filled', [entry('90')])).to.deep.equal([]);

    expect(await state()).to.deep.include({ lifecycle: 'resting', wanted: [{ stop_loss: '95', waits: true }] });
  });
});
