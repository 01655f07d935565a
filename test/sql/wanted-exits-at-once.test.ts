import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

type Row = { stops: string[] | null; version: number; is_due: boolean };

describe('wanted exits, beside a comparison that is not committed yet', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'A')`);
    await intentDb.query(await wanting('90'));
  });
  afterEach(() => intentDb.close());

  /** A command that is accepted now, and wants this stop beside those of earlier ones. */
  async function wanting(stop_loss: string, trader = 'e_1'): Promise<string> {
    const { id } = item();
    await intentDb.accept(item({ id }));
    const exits = JSON.stringify([{ take_profit: null, stop_loss, trailing_stop: null, size: null }]);
    return `select want_exits('netvenue', 'ptn_a', '${trader}', 'BTCUSDC', '${id}', '${id}', '${exits}')`;
  }
  const TAKEN = `select take_traders_due('netvenue', 10, 60) as trader`;
  const closed = (version: number) =>
    `select note_comparison('netvenue', 'e_1', 'BTCUSDC', ${version}, '[]', '{"state": "closed"}', 10, 60) as noted`;
  const row = async (): Promise<Row | undefined> =>
    (
      await intentDb.query<Row>(`
        select w.version, w.due_at <= now() as is_due, (select array_agg(e ->> 'stop_loss') from jsonb_array_elements(w.wanted) e) as stops
        from wanted_exits w
        where w.trader = 'e_1'`)
    )[0];
  it('are not overwritten by it, if a command came first', async () => {
    const { version = 0 } = (await row()) ?? {};

    const { second } = await intentDb.beside(await wanting('95'), closed(version));

    expect(second).to.deep.equal([{ noted: 'overtaken' }]);

    expect((await row())?.stops).to.deep.equal(['90', '95']);
  });

  it('are those of a later command, without what it has found to be over', async () => {
    const { version = 0 } = (await row()) ?? {};

    await intentDb.beside(closed(version), await wanting('95'));

    expect((await row())?.stops).to.deep.equal(['95']);
  });

  it('are compared again at once, if something ends while they are being taken', async () => {
    const before = await row();

    await intentDb.beside(TAKEN, `select exits_may_differ('netvenue', 'e_1')`);

    expect(await row()).to.deep.include({ version: Number(before?.version) + 1, is_due: true });
  });

  it('are taken by one, and without those that another transaction has', async () => {
    await intentDb.query(await wanting('90', 'e_2'));

    const { second: taken } = await intentDb.beside(`select from wanted_exits where trader = 'e_1' for update`, TAKEN);

    expect(taken).to.deep.equal([{ trader: 'e_2' }]);
  });
});
