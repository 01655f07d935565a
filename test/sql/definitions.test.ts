import { expect } from 'chai';
import { Client } from 'pg';
import { applyDefinitions } from '../../src/db/apply-definitions.ts';
import { type Definition, inOrderOfUse, parseDefinition, readDefinitions } from '../../src/db/definitions.ts';
import { migrate } from '../../src/db/migrate.ts';
import { WAITING } from '../support/intent-database.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';

/** A definition as it is read from a file of this text; another text has another digest. */
const defined = (text: string): Definition => ({
  ...parseDefinition(text, 'x.sql'),
  file: 'x.sql',
  text,
  sha256: text,
});

const inner = defined(`create or replace function t_inner(n integer) returns integer language sql as 'select n + 1';`);
const outer = defined(
  `create or replace function t_outer(n integer) returns integer language sql as 'select t_inner(n)';`,
);
const view = defined('create or replace view t_view as select t_inner(1) as one;');
const top = defined('create or replace view t_top as select one from t_view;');

describe('definitions', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let client: Client;
  let all: Definition[];
  beforeEach(async () => {
    database = await freshDatabase();
    client = new Client({ ...database.connection, ssl: false });
    await client.connect();
    all = await readDefinitions();
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  const apply = (...more: Definition[]) => applyDefinitions(client, () => {}, [...all, ...more]);
  const value = async (expression: string) => (await client.query(`select ${expression} as value`)).rows[0].value;
  const recorded = async () =>
    (await client.query(`select d.name from definitions d where d.name like 't\\_%' order by 1`)).rows.map(
      ({ name }) => name,
    );

  it('all exist after a migration, each recorded with its digest', async () => {
    const { rows } = await client.query(
      'select d.kind, d.name, d.sha256 from definitions d order by d.name collate "C"',
    );

    const files = all.map(({ kind, name, sha256 }) => ({ kind, name, sha256 }));
    expect(rows).to.deep.equal(files.sort((a, b) => (a.name < b.name ? -1 : 1)));
    expect(files.length).to.be.above(150);
  });

  it('are not touched when nothing has changed', async () => {
    const data: string[] = [];
    const { rows: before } = await client.query(
      "select p.proname, p.xmin from pg_proc p where p.pronamespace = 'public'::regnamespace",
    );

    await migrate(database.url, (line) => data.push(line));

    const { rows: after } = await client.query(
      "select p.proname, p.xmin from pg_proc p where p.pronamespace = 'public'::regnamespace",
    );
    expect(data.join()).to.not.contain('Definitions');
    expect(after).to.deep.equal(before);
  });

  it('are created whatever the order of functions that call one another', async () => {
    await apply(outer, inner, view, top);

    expect(await value('t_outer(1)')).to.equal(2);
    expect(await recorded()).to.deep.equal(['t_inner', 't_outer', 't_top', 't_view']);
  });

  it('are replaced in place when their text changes', async () => {
    await apply(inner, outer, view, top);
    const before = await value(`'t_inner'::regproc::oid`);

    await apply(defined(inner.text.replace('+ 1', '+ 10')), outer, view, top);

    expect(await value('(select one from t_top)')).to.equal(11);
    expect(await value(`'t_inner'::regproc::oid`)).to.equal(before);
  });

  it('stay those that statements in progress have looked up, where another one has other parameters', async () => {
    await apply(inner, outer, view, top);
    const before = await value(`'t_outer'::regproc::oid`);

    const other = defined(inner.text.replace('n integer', 'n integer, m integer default 1'));
    await apply(other, defined(outer.text.replace('t_inner(n)', 't_inner(n, 2)')), view, top);

    expect(await value(`'t_outer'::regproc::oid`)).to.equal(before);
  });

  it('leave views alone that use none of them', async () => {
    await apply(inner, outer, defined('create or replace view t_view as select 1 as one;'));
    const before = await value(`'t_view'::regclass::oid`);

    const other = defined(inner.text.replace('n integer', 'n integer, m integer default 1'));
    await apply(other, outer, defined('create or replace view t_view as select 1 as one;'));

    expect(await value(`'t_view'::regclass::oid`)).to.equal(before);
  });

  for (const [what, text] of Object.entries({
    'one more parameter': `create or replace function t_inner(n integer, by integer default 5) returns integer language sql as 'select n + by';`,
    'another result': `create or replace function t_inner(n integer) returns bigint language sql as 'select n + 5::bigint';`,
  }))
    it(`are created again with ${what}, and the views that depend on them`, async () => {
      await apply(inner, view, top);

      await apply(defined(text), view, top);

      expect(Number(await value('(select one from t_top)'))).to.equal(6);
      expect(await value(`(select count(*)::integer from pg_proc where proname = 't_inner')`)).to.equal(1);
    });

  it('are created again with other columns of a view', async () => {
    await apply(inner, view, top);

    await apply(inner, defined('create or replace view t_view as select 2 as zero, 3 as one;'), top);

    expect(await value('(select one from t_top)')).to.equal(3);
  });

  it('are dropped when their file is gone', async () => {
    await apply(inner, outer, view, top);

    await apply();

    expect(await recorded()).to.deep.equal([]);
    expect(await value(`(select count(*)::integer from pg_proc where proname like 't\\_%')`)).to.equal(0);
    expect(await value(`to_regclass('t_view')`)).to.equal(null);
  });

  it('are restored when something has dropped them', async () => {
    await client.query('drop view ops.failed_intents; drop function was_accepted(jsonb)');

    await apply();

    expect(
      await value(`to_regclass('ops.failed_intents') is not null and to_regproc('was_accepted') is not null`),
    ).to.equal(true);
  });

  it('are all rolled back when one body is invalid, with its name', async () => {
    const misfit = defined(
      `create or replace function t_misfit() returns integer language sql as 'select no_such_thing()';`,
    );

    const error = await apply(inner, misfit).catch((thrown) => thrown);
    await client.query('rollback');

    expect(error.message).to.match(/^Function t_misfit: .*no_such_thing/);
    expect(await recorded()).to.deep.equal([]);
  });

  it('keep the operators’ rights on recreated objects', async () => {
    await client.query(`
      create role t_desk_${process.pid};
      select ops.grant_access('t_desk_${process.pid}')`);

    await apply(defined(`create or replace view ops.t_seen as select 1 as one;`));

    expect(await value(`has_table_privilege('t_desk_${process.pid}', 'ops.t_seen', 'select')`)).to.equal(true);
    await client.query(`drop owned by t_desk_${process.pid}; drop role t_desk_${process.pid}`);
  });

  it('of triggers are made last, so that their tables are locked for a moment only', async () => {
    await client.query(
      `update definitions set sha256 = '' where name in ('enrollments_emit on enrollments', 'ops.orders')`,
    );
    const [reader, traffic] = [
      new Client({ connectionString: database.url }),
      new Client({ connectionString: database.url }),
    ];
    await Promise.all([reader.connect(), traffic.connect()]);
    await reader.query('begin; select from ops.orders');

    const applied = apply();
    await until('the release to wait for the view', async () => (await traffic.query(WAITING)).rowCount || null);
    await traffic.query(`set lock_timeout = '300ms'`);
    const traded = await traffic.query(`delete from enrollments`).catch((error: Error) => error.message);
    await reader.query('commit');
    await applied;
    await Promise.all([reader.end(), traffic.end()]);

    expect(traded).to.include({ command: 'DELETE' });
  });

  it('are made again in few statements, since what reads a view waits meanwhile, however far the database is', async () => {
    await apply(inner, outer, view);
    const asked: string[] = [];
    const far = new Proxy(client, {
      get: (target, name) =>
        name === 'query'
          ? (text: string, values?: unknown[]) => {
              asked.push(text);
              return target.query(text, values);
            }
          : Reflect.get(target, name),
    });
    const other = defined(inner.text.replace('n integer', 'n integer, m integer default 1'));

    await applyDefinitions(far, () => {}, [...all, other, outer, view]);

    const firstDrop = asked.findIndex((text) => /^drop view/.test(text));
    expect(firstDrop).to.be.above(0);
    expect(asked.length - firstDrop).to.be.below(20);
    expect(await value('t_outer(1)')).to.equal(2);
  });

  it('are in files with one definition each', () => {
    expect(() => parseDefinition(`${inner.text}\n${outer.text}`, 'a.sql')).to.throw(
      /sql\/a\.sql does not hold one definition/,
    );
    expect(() => parseDefinition(`${inner.text}\ndrop table intents;`, 'a.sql')).to.throw(
      /does not hold one definition/,
    );
    expect(() => parseDefinition('select 1;', 'a.sql')).to.throw(/does not hold one definition/);
  });

  it('reject a view that reads itself, by its name', () => {
    expect(() =>
      inOrderOfUse([
        defined('create or replace view t_a as select * from t_b;'),
        defined('create or replace view t_b as select * from t_a;'),
      ]),
    ).to.throw(/t_a reads itself/);
  });
});
