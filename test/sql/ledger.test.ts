import { expect } from 'chai';
import { Client } from 'pg';
import { freshDatabase } from '../support/postgres.ts';

const WRITER = `ledger_writer_${process.pid}`;
const PAST = '2026-01-01T00:00:00Z';

describe('the ledger', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let owner: Client;
  let writer: Client;
  before(async () => {
    database = await freshDatabase();
    owner = new Client({ ...database.connection, ssl: false });
    writer = new Client({ ...database.connection, ssl: false });
    await Promise.all([owner.connect(), writer.connect()]);
    await owner.query(`insert into apps (id, slug, name, allowed_scopes) values ('app_l', 'l', 'L', '{api}')`);
    await owner.query(`create role ${WRITER}`);
    await owner.query(`grant all on all tables in schema public to ${WRITER}`);
    await post('pay_1', 'payment', [['receipts', 'platform', 'usd', 500]]);
    await post('po_1', 'arrival', [['exchange', 'held', 'usd', 300]]);
    await writer.query(`set role ${WRITER}`);
  });
  after(async () => {
    await Promise.all([
      writer.end(),
      owner.query(`drop owned by ${WRITER}`).then(() => owner.query(`drop role ${WRITER}`)),
    ]);
    await owner.end();
    await database.drop();
  });

  type Leg = [from: string, to: string, currency: string, amount: number];
  const post = (subject: string, kind: string, legs: Leg[], { at = PAST, source = null as string | null } = {}) =>
    owner.query('select post_entries($1, $2, $3, $4, $5, $6, $7)', [
      subject,
      'app_l',
      kind,
      source,
      at,
      'acct_1',
      JSON.stringify(legs.map(([from, to, currency, amount]) => ({ from, to, currency, amount }))),
    ]);
  const failure = (by: Client, statement: string) =>
    by.query(statement).then(
      () => null,
      (error) => error.code,
    );

  it('cannot be changed by a role that may do everything with tables, nor by their owner', async () => {
    for (const by of [writer, owner])
      for (const table of ['ledger_accounts', 'ledger_transactions', 'ledger_entries'])
        for (const statement of [
          `update ${table} set id = default`,
          `delete from ${table}`,
          `truncate ${table} cascade`,
        ])
          expect(await failure(by, statement), statement).to.equal('23001');
  });

  it('cannot be unbalanced: both sides of an entry are in one currency, and its amount is positive', async () => {
    await post('pay_2', 'payment', [['receipts', 'platform', 'eur', 100]]);
    const entry = (credit: string, debit: string, currency: string, amount: number) => `
      insert into ledger_entries (transaction_id, debit_id, credit_id, currency, amount)
      select t.id, d.id, c.id, '${currency}', ${amount}
      from ledger_transactions t, ledger_accounts d, ledger_accounts c
      where t.subject = 'pay_2' and (d.kind, d.currency) = ${debit} and (c.kind, c.currency) = ${credit}`;
    const eur = { receipts: `('receipts', 'eur')`, platform: `('platform', 'eur')` };

    expect(await failure(writer, entry(eur.receipts, `('platform', 'usd')`, 'eur', 5))).to.equal('23503');
    expect(await failure(writer, entry(eur.receipts, eur.platform, 'usd', 5))).to.equal('23503');
    expect(await failure(writer, entry(eur.receipts, eur.platform, 'eur', 0))).to.equal('23514');
    expect(await failure(writer, entry(eur.receipts, eur.receipts, 'eur', 5))).to.equal('23514');
    const { rows } = await owner.query(
      'select l.transaction_id from ledger_lines l group by l.transaction_id, l.currency having sum(l.amount) <> 0',
    );
    expect(rows).to.deep.equal([]);
  });

  it('has one account of each kind, currency and holder, and a holder only where somebody holds it', async () => {
    const open = (kind: string, holder: string, currency: string) =>
      failure(
        owner,
        `insert into ledger_accounts (kind, holder, currency) values ('${kind}', ${holder}, '${currency}')`,
      );

    expect(await open('platform', 'null', 'usd')).to.equal('23505');
    expect(await open('held', `'acct_1'`, 'usd')).to.equal('23505');
    expect(await open('held', 'null', 'usd')).to.equal('23514');
    expect(await open('platform', `'acct_1'`, 'usd')).to.equal('23514');
    expect(await open('platform', 'null', 'USD')).to.equal('23514');
  });

  it('posts an arrival, a fee and an exchange once, however often and for whomever the processor names it', async () => {
    for (const kind of ['arrival', 'fee', 'exchange'])
      for (const subject of ['po_3', 'po_3', 'po_4'])
        await post(subject, kind, [['platform', 'fees', 'gbp', 5]], { source: `txn_${kind}` });

    const { rows } = await owner.query(
      `select l.subject, sum(l.amount) as fees from ledger_lines l where l.account = 'fees' and l.currency = 'gbp' group by l.subject`,
    );
    expect(rows).to.deep.equal([{ subject: 'po_3', fees: '15' }]);
  });

  it('holds nothing below zero', async () => {
    expect(
      await failure(
        owner,
        `select post_entries('po_1', 'app_l', 'bank', null, now(), 'acct_1', '[{"from": "held", "to": "in_transit", "currency": "usd", "amount": 301}]')`,
      ),
    ).to.equal('23514');

    const { rows } = await owner.query(`select ledger_sum('po_1', '{held}', 'usd') as held`);
    expect(rows).to.deep.equal([{ held: '300' }]);
  });

  it('takes what is not held from what is overdrawn, and what arrives covers that first', async () => {
    const move = (amount: number) =>
      owner.query(
        `select post_entries('po_2', 'app_l', 'arrival', null, now(), 'acct_2', held_legs('po_2', 'exchange', 'jpy', $1))`,
        [amount],
      );
    const balances: string[] = [];
    for (const amount of [700, -1_000, 200, 400]) {
      await move(amount);
      const { rows } = await owner.query(
        `select ledger_sum('po_2', '{held}', 'jpy') || ' ' || ledger_sum('po_2', '{overdrawn}', 'jpy') as b`,
      );
      balances.push(rows[0].b);
    }

    expect(balances).to.deep.equal(['700 0', '0 -300', '0 -100', '300 0']);
  });
});
