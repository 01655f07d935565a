import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { applyDefinitions } from '../../src/db/apply-definitions.ts';
import { type Calls, digestOfCalls, readCalls } from '../../src/db/calls.ts';
import { readCatalog } from '../../src/db/catalog.ts';
import { checkPending, noteReleased, type Protected, readProtected, takenAway } from '../../src/db/compatibility.ts';
import { type Definition, parseDefinition, readDefinitions } from '../../src/db/definitions.ts';
import { migrate } from '../../src/db/migrate.ts';
import { freshDatabase } from '../support/postgres.ts';

const defined = (text: string): Definition => ({
  ...parseDefinition(text, 'x.sql'),
  file: 'x.sql',
  text,
  sha256: text,
});
const called = defined(
  `create or replace function t_called(n integer) returns integer language plpgsql as 'begin return t_used(n) + (select one from t_read); end';`,
);
const used = defined(`create or replace function t_used(n integer) returns integer language sql as 'select n + 1';`);
const read = defined('create or replace view t_read as select t_used(0) as one;');
const idle = defined(`create or replace function t_idle() returns integer language sql as 'select 1';`);

describe('a release', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let client: Client;
  let all: Definition[];
  let before: Protected[];
  beforeEach(async () => {
    database = await freshDatabase();
    client = new Client({ ...database.connection, ssl: false });
    await client.connect();
    all = await readDefinitions();
    await applyDefinitions(client, () => {}, [...all, called, used, read, idle]);
    const { functions, relations } = await readCatalog(client);
    const calls = { functions: only(functions, 't_called'), relations: {}, tasks: ['network/place'] };
    before = [{ by: 'version 1', calls }];
    relationsOf = only(relations, 'orders');
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  let relationsOf: Calls['relations'];
  const only = <Value>(of: Record<string, Value>, name: string) => ({ [name]: of[name] as Value });
  const release = (more: Definition[], tasks = ['network/place'], protectedCode = before) =>
    applyDefinitions(client, () => {}, [...all, ...more], { protectedCode, tasks });
  const rejection = async (...of: Parameters<typeof release>) => {
    const error = await release(...of).then(
      () => null,
      (thrown) => thrown,
    );
    await client.query('rollback');
    return error?.message ?? null;
  };
  const works = async (expression: string) =>
    client.query(`select ${expression}`).then(
      () => true,
      () => false,
    );

  it('keeps a removed definition that the version before calls, and what that uses, and drops the others', async () => {
    await release([]);

    expect([await works('t_called(1)'), await works('t_idle()')]).to.deep.equal([true, false]);
  });

  it('keeps it while other definitions are created again, and drops it once nobody calls it', async () => {
    await release([defined('create or replace view t_other as select 1 as one, 2 as two;')]);
    await release([defined('create or replace view t_other as select 2 as two;')]);
    const meanwhile = await works('t_called(1)');

    await release([], [], []);

    expect(meanwhile).to.equal(true);
    expect([await works('t_called(1)'), await works('t_used(1)')]).to.deep.equal([false, false]);
  });

  it('is rejected if a called function takes other arguments or returns something else, and nothing is changed', async () => {
    const other = defined(called.text.replace('(n integer)', '(n integer, m integer)'));
    const result = defined(called.text.replace('returns integer', 'returns text'));

    const messages = [await rejection([other, used, read, idle]), await rejection([result, used, read, idle])];

    for (const message of messages) expect(message).to.match(/takes away what version 1 calls: function t_called/);
    expect(await works('t_called(1)')).to.equal(true);
  });

  it('may add an argument that can be left out', async () => {
    const more = defined(called.text.replace('(n integer)', '(n integer, m integer default 0)'));

    expect(await rejection([more, used, read, idle])).to.equal(null);
  });

  it('is rejected without a task that the version before queues', async () => {
    expect(await rejection([called, used, read, idle], [])).to.match(/takes away .*: task network\/place\./);
  });

  it('is not held to what was missing before', async () => {
    const old: Calls = { functions: { gone: { args: [], optional: 0, result: 'text' } }, relations: {}, tasks: [] };

    expect(await rejection([called, used, read, idle], [], [{ by: 'version 0', calls: old }])).to.equal(null);
  });

  it('is rejected before a numbered file drops or renames a column that is called', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tps-test-pending-'));
    const file = join(folder, '9000_contract.sql');
    const pending = async (text: string) => {
      await writeFile(file, text);
      const by = [{ by: 'version 1', calls: { functions: {}, relations: relationsOf, tasks: [] } }];
      return checkPending(client, [file], by).then(
        () => null,
        ({ message }) => message,
      );
    };

    const drop = await pending('alter table orders\n  drop column lifecycle;');
    const rename = await pending('alter table orders rename column terms to wanted;');
    const table = await pending('drop table if exists orders;');
    const harmless = await pending('alter table orders drop constraint x; drop table worker_processes;');
    await rm(folder, { recursive: true });

    expect(drop).to.match(/column orders\.lifecycle \(9000_contract\.sql\)/);
    expect(rename).to.match(/column orders\.terms/);
    expect(table).to.match(/relation orders/);
    expect(harmless).to.equal(null);
  });

  it('is rejected for a task that is gone before a numbered file is applied', async () => {
    await client.query('drop table pauses cascade; delete from code_calls');
    await client.query(`delete from migrations where name >= '0030_pauses'`);
    await noteReleased(client, '1', { functions: {}, relations: {}, tasks: ['gone/task'] });

    const error = await migrate(database.url).catch((thrown) => thrown);

    const { rows } = await client.query(`select to_regclass('pauses') is not null as is_there`);
    expect(error.message).to.match(/takes away what version 1 .*: task gone\/task\./);
    expect(rows).to.deep.equal([{ is_there: false }]);
  });

  it('protects the release before it and every running process, not its own code', async () => {
    const [ours, old, living, dead] = ['ours', 'old', 'living', 'dead'].map(
      (task): Calls => ({ functions: {}, relations: {}, tasks: [task] }),
    ) as [Calls, Calls, Calls, Calls];
    await client.query('delete from code_calls');
    await noteReleased(client, '1', old);
    await noteReleased(client, '2', ours);
    for (const [calls, seen] of [
      [living, '1 second'],
      [dead, '2 hours'],
    ] as const) {
      await client.query(`insert into code_calls (digest, version, calls) values ($1, '3', $2)`, [
        digestOfCalls(calls),
        JSON.stringify(calls),
      ]);
      await client.query(
        `insert into processes (id, kind, instance, version, calls, settings, sealing_keys, agreement_keys, seen_at)
         values (gen_random_uuid(), 'web', 'host/1', '3', $1, '{}', '{}', '{}', now() - $2::interval)`,
        [digestOfCalls(calls), seen],
      );
    }

    const found = await readProtected(client, ours);

    expect(found.map(({ calls }) => calls.tasks[0])).to.have.members(['old', 'living']);
  });

  it('records what its code calls', async () => {
    await migrate(database.url, () => {}, { version: '9.9' });

    const { rows } = await client.query('select c.version, c.calls from code_calls c where c.released_at is not null');
    expect(rows).to.deep.equal([{ version: '9.9', calls: await readCalls() }]);
  });
});

describe('a numbered file', () => {
  for (const [text, expected] of [
    ['alter table a drop column b, drop column if exists c;', ['a.b', 'a.c']],
    ['alter table only a rename b to c;', ['a.b']],
    ['alter table a rename to b;', ['a.']],
    ['alter table a alter column b type bigint;', ['a.b']],
    ['alter table a alter column b drop not null, drop constraint c;', []],
    ['drop table a, b;', ['a.', 'b.']],
    ['-- drop table a;\nselect 1;', []],
  ] as const)
    it(`takes away ${expected.join(', ') || 'nothing'}: ${text}`, () => {
      expect(takenAway(text).map(({ relation, column }) => `${relation}.${column ?? ''}`)).to.deep.equal(expected);
    });
});
