import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import type { Receipt, Signed } from '../../src/capabilities/agreements/rules.ts';
import { verifyAgreements } from '../../src/capabilities/agreements/verify.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { type HeadSigner, headSigner } from '../../src/kernel/head-keys.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startScript } from '../support/processes.ts';

const ROWS = 12;
const AT = 5;

/**
 * Possible manipulations with all rights on the database, and the positions of the rows that then differ from what was
 * signed.
 */
const tamperings: Record<string, { sql: string; positions: number[] }> = {
  ...Object.fromEntries(
    Object.entries({
      id: `'agr_other'`,
      user_id: `'usr_other'`,
      agreement_version: `'2'`,
      signature_name: `'Mallory'`,
      document_url: `'https://evil.example'`,
      document_sha256: 'null',
      address: `'203.0.113.9'`,
      user_agent: `''`,
      signed_at: `signed_at - interval '1 millisecond'`,
      row_hash: `repeat('a', 64)`,
    }).map(([column, value]) => [
      `a change of ${column}`,
      {
        sql: `update agreement_signatures set ${column} = ${value} where app = 'app_a' and position = ${AT}`,
        positions: [AT],
      },
    ]),
  ),
  'a change of previous_hash': {
    sql: `update agreement_signatures set previous_hash = repeat('b', 64) where app = 'app_a' and position = ${AT}`,
    positions: [AT],
  },
  'a change with a recomputed hash': {
    sql: `update agreement_signatures s set signature_name = 'Mallory' where app = 'app_a' and position = ${AT};
      update agreement_signatures s set row_hash = encode(sha256(agreement_canonical(s)), 'hex') where app = 'app_a' and position = ${AT}`,
    positions: [AT],
  },
  'a change of the last row with a recomputed hash': {
    sql: `update agreement_signatures s set signature_name = 'Mallory' where app = 'app_a' and position = ${ROWS};
      update agreement_signatures s set row_hash = encode(sha256(agreement_canonical(s)), 'hex') where app = 'app_a' and position = ${ROWS}`,
    positions: [ROWS],
  },
  'a row taken out': {
    sql: `delete from agreement_signatures where app = 'app_a' and position = ${AT}`,
    positions: [AT],
  },
  'the first row taken out': {
    sql: `delete from agreement_signatures where app = 'app_a' and position = 1`,
    positions: [1],
  },
  'rows cut off the end': {
    sql: `delete from agreement_signatures where app = 'app_a' and position > ${ROWS - 2}`,
    positions: [ROWS - 1, ROWS],
  },
  'a row taken out and the others moved up': {
    sql: `delete from agreement_signatures where app = 'app_a' and position = ${AT};
      update agreement_signatures set position = -position where app = 'app_a' and position > ${AT};
      update agreement_signatures set position = -position - 1 where app = 'app_a' and position < 0`,
    positions: [5, 6, 7, 8, 9, 10, 11, ROWS],
  },
  'two rows swapped': {
    sql: `update agreement_signatures set position = -1 where app = 'app_a' and position = 4;
      update agreement_signatures set position = 4 where app = 'app_a' and position = 7;
      update agreement_signatures set position = 7 where app = 'app_a' and position = -1`,
    positions: [4, 7],
  },
  'a row put in at the end': {
    sql: `insert into agreement_signatures
      select 'agr_forged', app, user_id, ${ROWS + 1}, '9', 'Mallory', null, null, null, null, now(), row_hash, repeat('c', 64)
      from agreement_signatures where app = 'app_a' and position = ${ROWS}`,
    positions: [ROWS + 1],
  },
  'a row moved to another app': {
    sql: `update agreement_signatures set app = 'app_b', position = ${ROWS + 1} where app = 'app_a' and position = ${ROWS}`,
    positions: [ROWS, ROWS + 1],
  },
  'the record of the end set back': {
    sql: `update agreement_chains set length = ${ROWS - 1} where app = 'app_a'`,
    positions: [ROWS],
  },
  'every third row changed': {
    sql: `update agreement_signatures set address = '192.0.2.66' where app = 'app_a' and position % 3 = 0`,
    positions: [3, 6, 9, 12],
  },
};

describe('agreements:verify with the triggers off', () => {
  let client: pg.Client;
  let db: DbPool;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  before(async () => {
    database = await freshDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    db = await openPool(database.url, 2, () => {});
    for (const app of ['app_a', 'app_b']) {
      await client.query(
        `insert into apps (id, slug, name, allowed_scopes) values ($1, replace($1, '_', '-'), 'App', '{api}')`,
        [app],
      );
      await client.query(
        `select sign_agreement($1, 'usr_' || n, '1', 'Signer ' || n, nullif('https://x.example/' || n, 'https://x.example/3'), repeat('d', 64), '192.0.2.1', 'Agent é')
         from generate_series(1, $2::integer) n`,
        [app, ROWS],
      );
    }
    await client.query('alter table agreement_signatures disable trigger all');
  });
  after(async () => {
    await client.end();
    await db.end();
    await database.drop();
  });
  beforeEach(() =>
    client.query(
      'create table kept as select * from agreement_signatures; create table kept_chains as select * from agreement_chains',
    ),
  );
  afterEach(() =>
    client.query(`delete from agreement_signatures; insert into agreement_signatures select * from kept; drop table kept;
      delete from agreement_chains; insert into agreement_chains select * from kept_chains; drop table kept_chains`),
  );

  it('finds nothing in untouched chains', async () => {
    expect(await verifyAgreements(db)).to.deep.equal({ chains: 2, rows: 2 * ROWS, faults: [] });
  });

  for (const [name, { sql, positions }] of Object.entries(tamperings)) {
    it(`names ${positions.length === 1 ? 'the row' : 'every row'} of ${name}`, async () => {
      await client.query(sql);

      const { faults } = await verifyAgreements(db);

      const named = new Set(faults.map(({ place }) => place));
      expect([...named], JSON.stringify(faults)).to.include.members(positions);
      expect(named.size, JSON.stringify(faults)).to.be.at.most(positions.length + 2);
    });
  }

  it('names every row of a rewritten chain, by the receipts that partners stored', async () => {
    const receipts = (
      await client.query('select *, app as app_id from agreement_signatures order by position')
    ).rows.map(asReceipt);
    await client.query(`
      do $$ declare r agreement_signatures; before text; begin
        for r in select * from agreement_signatures where app = 'app_a' and position >= ${AT} order by position loop
          r.signature_name := case when r.position = ${AT} then 'Mallory' else r.signature_name end;
          r.previous_hash := coalesce(before, r.previous_hash);
          r.row_hash := encode(sha256(agreement_canonical(r)), 'hex');
          before := r.row_hash;
          update agreement_signatures s set signature_name = r.signature_name, previous_hash = r.previous_hash, row_hash = r.row_hash where s.id = r.id;
        end loop;
        update agreement_chains set last_hash = before where app = 'app_a';
      end $$`);

    const alone = await verifyAgreements(db);
    const { faults } = await verifyAgreements(db, receipts);

    expect(alone.faults).to.deep.equal([]);
    expect(faults.map(({ app, place }) => `${app} ${place}`)).to.deep.equal(
      [5, 6, 7, 8, 9, 10, 11, 12].map((n) => `app_a ${n}`),
    );
  });

  it('finds a chain that was rewritten up to any row by the one receipt of that row, and believes no forged receipt', async () => {
    const signer = headSigner(KEYS);
    const rows = (
      await client.query(`select *, app as app_id from agreement_signatures where app = 'app_a' order by position`)
    ).rows;
    const receipts = rows.map(asReceipt).map((row) => receiptOf(row, signer));
    expect((await verifyAgreements(db, receipts, signer.publicKeys)).faults).to.deep.equal([]);
    await client.query(`
      do $$ declare r agreement_signatures; before text; begin
        for r in select * from agreement_signatures where app = 'app_a' and position >= ${AT} order by position loop
          r.id := 'agr_new' || r.position;
          r.user_id := case when r.position = ${AT} then 'usr_mallory' else r.user_id end;
          r.previous_hash := coalesce(before, r.previous_hash);
          r.row_hash := encode(sha256(agreement_canonical(r)), 'hex');
          before := r.row_hash;
          update agreement_signatures s set id = r.id, user_id = r.user_id, previous_hash = r.previous_hash, row_hash = r.row_hash
          where s.app = r.app and s.position = r.position;
        end loop;
        update agreement_chains set last_hash = before where app = 'app_a';
      end $$`);
    const rewritten = (
      await client.query(`select *, app as app_id from agreement_signatures where app = 'app_a' and position = ${AT}`)
    ).rows.map(asReceipt);
    const faultsOf = async (receipt: unknown) =>
      (await verifyAgreements(db, [receipt as Receipt], signer.publicKeys)).faults.map(({ what }) => what); // as: forged ones too

    expect((await verifyAgreements(db)).faults).to.deep.equal([]);
    for (const [n, receipt] of receipts.entries())
      expect(await faultsOf(receipt), `place ${n + 1}`).to.deep.equal(
        n + 1 < AT ? [] : ['the row differs from its receipt'],
      );
    const [forged] = rewritten.map((row) =>
      receiptOf(row, headSigner(`test:${Buffer.alloc(32, 7).toString('base64')}`)),
    );
    const unknownKey = { ...receipts[AT], key_id: 'other' };
    const moved = { ...receipts[AT], place: 1 };
    for (const receipt of [forged, unknownKey, moved])
      expect(await faultsOf(receipt)).to.deep.equal(['the receipt itself was changed, or its key is not known']);
  });

  it('is a command that names the rows and fails', async () => {
    await client.query(
      `update agreement_signatures set signature_name = 'Mallory' where app = 'app_a' and position = ${AT}`,
    );
    const file = join(tmpdir(), `receipts-${process.pid}.json`);
    await writeFile(file, '[]');

    const run = startScript('src/commands/agreements-verify.ts', { DATABASE_URL: database.url }, [file]);
    const { code } = await run.exited;

    expect(run.lines).to.have.length(2);
    expect(run.lines[0]).to.match(/^app_a place 5 agr_[0-9a-f]{32}: the row was changed$/);
    expect(run.lines[1]).to.equal(`${2 * ROWS} signatures in 2 chains, 0 receipts: 1 faults`);
    expect(code).to.equal(1);
    expect(await readFile(file, 'utf8')).to.equal('[]');
    await rm(file);
  });
});

const KEYS = `test:${Buffer.alloc(32, 'agree').toString('base64')}`;

const receiptOf = ({ id, app_id, place, previous_hash, row_hash }: Signed, signer: HeadSigner): Receipt => ({
  id,
  app_id,
  place,
  previous_hash,
  row_hash,
  ...signer.sign({ app_id, place, row_hash }),
});

const asReceipt = (row: Record<string, unknown>): Signed =>
  ({ ...row, place: Number(row.position), signed_at: (row.signed_at as Date).toISOString() }) as unknown as Signed; // as: pg's own types
