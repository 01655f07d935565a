import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { Client } from 'pg';
import { type DbSession, type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { intentAt } from '../support/operator.ts';

const CANARY = 'canary-4b1d';
const GUIDES = ['operating', 'runbooks'].map((name) => new URL(`../../src/docs/${name}.md`, import.meta.url));

/** The reads that the guides for operators print in a line of text. */
async function printedReads(): Promise<string[]> {
  const texts = await Promise.all(GUIDES.map((guide) => readFile(guide, 'utf8')));
  return texts.flatMap((text) =>
    [...text.matchAll(/`(select (?!pg_|ops\.grant_access)[^`]*)`/g)].map(([, statement]) => String(statement)),
  );
}

describe('the role trading_operator', () => {
  let intentDb: IntentDatabase;
  let operator: DbSession;
  before(async () => {
    intentDb = await openIntentDatabase();
    operator = await intentDb.session();
    await operator.query('set role trading_operator');
  });
  after(() => intentDb.close());

  const tables = (schemas: string[]) =>
    intentDb.query<{ name: string; is_view: boolean }>(
      `select format('%I.%I', n.nspname, c.relname) as name, c.relkind = 'v' as is_view
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = any($1) and c.relkind in ('r', 'v', 'p', 'm')
       order by 1`,
      [schemas],
    );
  /** The result of a statement: the number of its rows, or the SQLSTATE of its failure. */
  const tried = (statement: string) =>
    operator.query(statement).then(
      (rows) => rows.length,
      (error) => error.code,
    );

  it('reads every view of the kit', async () => {
    const views = await tables(['ops']);

    expect(views).to.have.length.above(15);
    for (const { name } of views) expect(await tried(`select * from ${name}`), name).to.be.a('number');
  });

  it('can run what the guides print in their lines', async () => {
    const statements = await printedReads();

    expect(statements).to.have.length.above(5);
    for (const statement of statements) expect(await tried(`explain ${statement}`), statement).to.be.a('number');
  });

  it('reads and writes no table behind it', async () => {
    const behind = await tables(['public', 'graphile_worker']);
    const opened: string[] = [];

    for (const { name, is_view } of behind)
      for (const statement of [
        `select from ${name}`,
        ...(is_view ? [] : [`insert into ${name} default values`, `delete from ${name}`, `truncate ${name}`]),
        `do 'begin lock ${name}; end'`,
      ])
        if ((await tried(statement)) !== '42501') opened.push(statement);

    expect(behind).to.have.length.above(50);
    expect(opened).to.deep.equal([]);
  });

  it('changes nothing through a view', async () => {
    for (const { name } of await tables(['ops']))
      expect(await tried(`delete from ${name}`), name).to.be.oneOf(['42501', '55000']);
  });

  it('can run no function outside the kit with elevated rights, and no function of the kit is public', async () => {
    const lending = await intentDb.query(`
      select p.oid::regprocedure::text as name
      from pg_proc p
      where p.pronamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) and p.prosecdef`);
    const open = await intentDb.query(`
      select p.oid::regprocedure::text as name
      from pg_proc p
      where p.pronamespace = 'ops'::regnamespace and has_function_privilege('public', p.oid, 'execute')`);
    const loose = await intentDb.query(`
      select p.oid::regprocedure::text as name
      from pg_proc p
      where p.pronamespace = 'ops'::regnamespace and p.prosecdef
        and not coalesce('search_path=pg_catalog, public, pg_temp' = any(p.proconfig), false)`);

    expect({ lending, open, loose }).to.deep.equal({ lending: [], open: [], loose: [] });
    expect(await tried(`select ops.note('ada', 'rerun', 'x', 'forged', '{}')`)).to.equal('42501');
    expect(await tried(`select ops.grant_access('public')`)).to.equal('42501');
    expect(await tried('select requeue_stranded()')).to.equal('42501');
    expect(await tried(`select settle_intent('${await intentAt(intentDb, 'queued')}', 0, 'failed', '{}')`)).to.equal(
      '42501',
    );
  });

  it('acts through the functions of the kit', async () => {
    const id = await intentAt(intentDb, 'queued');
    await intentDb.finishJobs(id);

    expect(await operator.query(`select r.done from ops.rerun($1, 'ada', 'lost its job') r`, [id])).to.deep.equal([
      { done: true },
    ]);
    for (const call of [
      `ops.retry_delivery('whd_x', 'ada', 'why')`,
      `ops.retry_deliveries_of('whe_x', 'ada', 'why')`,
      `ops.provision_account('prop_x', 'ada', 'why')`,
      `ops.attach_account('prop_x', 'entity_1', 'ada', 'why')`,
      `ops.abandon_account('prop_x', 'ada', 'why')`,
      `ops.attach_registration('${id}', 'entity_1', 'ada', 'why')`,
    ])
      expect(await tried(`select * from ${call}`), call).to.equal(1);
    expect(
      await operator.query(
        `select a.action from ops.actions a where a.detail ->> 'verdict' in ('unknown', 'not_given')`,
      ),
    ).to.have.length(6);
  });

  it('acts under the role it connected as, whatever name it gives or takes on', async () => {
    const id = await intentAt(intentDb, 'succeeded');
    const [{ login } = { login: '' }] = await operator.query<{ login: string }>('select session_user as login');

    await operator.query(`select from ops.rerun($1, 'admin:adn_1', 'forged')`, [id]);
    await operator.query('set role trading_operator');
    await operator.query(`select from ops.rerun($1, 'somebody else', 'forged')`, [id]);
    await operator.query('reset role');

    const actions = await intentDb.query<{ who: string; given: string }>(
      `select a.who, a.detail ->> 'given_name' as given from ops.actions a where a.subject = $1 order by a.at`,
      [id],
    );
    expect(actions).to.deep.equal([
      { who: login, given: 'admin:adn_1' },
      { who: login, given: 'somebody else' },
    ]);
  });

  it('cannot see request, sent payload or response', async () => {
    const secrets = { private_key: CANARY, url: `https://x.example/?t=${CANARY}`, nested: { token: [CANARY] } };
    const ids = [
      await intentAt(intentDb, 'sent', { request: secrets }),
      await intentAt(intentDb, 'in_doubt', { request: secrets }),
      await intentAt(intentDb, 'failed', { request: secrets }),
      await intentAt(intentDb, 'succeeded', { request: secrets, kind: 'payouts/link' }),
    ];
    await intentDb.query('update intents set sent_payload = $1', [secrets]);
    await intentDb.query(
      `update intents set outcome = jsonb_build_object('result', $1::jsonb) where state = 'succeeded'`,
      [secrets],
    );
    await intentDb.query(
      `update intents set outcome = outcome || jsonb_build_object('said', $1::jsonb) where state = 'failed'`,
      [secrets],
    );
    await intentDb.query(`update queue_jobs set payload = (payload::jsonb || $1::jsonb)::json`, [secrets]);

    const shown = [];
    for (const { name } of await tables(['ops'])) shown.push(await operator.query(`select * from ${name}`));
    for (const id of ids) {
      shown.push(await operator.query('select * from ops.history($1)', [id]));
      shown.push(await operator.query('select ops.subjects_of($1)', [id]));
      shown.push(await operator.query(`select * from ops.rerun($1, 'ada', 'why')`, [id]));
    }

    expect(JSON.stringify(shown)).to.contain(ids[0]).and.not.contain(CANARY);
  });

  describe('creation by a migration', () => {
    const migration = async () => {
      const text = await readFile(new URL('../../sql/0016_operators.sql', import.meta.url), 'utf8');
      return text.slice(text.indexOf('do $$'));
    };

    it('works when the role already exists', async () => {
      await intentDb.query(await migration());
    });

    it('reports what to do where roles may not be created, and continues', async () => {
      const client = new Client({ connectionString: intentDb.url });
      const notices: string[] = [];
      client.on('notice', ({ message }) => notices.push(String(message)));
      await client.connect();
      await client.query('begin');
      await client.query('alter role trading_operator rename to trading_operator_away');
      await client.query('create role plain; set role plain');

      await client.query(await migration());

      await client.query('rollback');
      await client.end();
      expect(notices.join('\n')).to.match(/no role trading_operator: .*ops\.grant_access/);
    });

    it('works for several databases at once', async () => {
      const [one, other] = [
        new Client({ connectionString: intentDb.url }),
        new Client({ connectionString: intentDb.url.replace(/[^/]+$/, 'postgres') }),
      ];
      await Promise.all([one.connect(), other.connect()]);
      const create = (await migration()).split(/(?<=end \$\$;)/)[0] ?? '';
      const renamed = create.replaceAll('trading_operator', 'trading_operator_twice');
      await one.query('begin');
      await one.query(renamed);
      const late = other.query(renamed); // waits for the end of the other transaction, and then finds the role

      await one.query('commit');
      await late;

      const { rows } = await one.query(`select from pg_roles where rolname = 'trading_operator_twice'`);
      expect(rows).to.have.length(1);
      await one.query('drop role trading_operator_twice');
      await Promise.all([one.end(), other.end()]);
    });
  });
});
