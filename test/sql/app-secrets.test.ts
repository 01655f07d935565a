import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { setAppActive } from '../../src/capabilities/admin/apps/commands.ts';
import { appFinder } from '../../src/capabilities/apps/queries.ts';
import { issueToken } from '../../src/capabilities/apps/tokens/commands.ts';
import { openPool } from '../../src/db/pool.ts';
import { digest } from '../../src/kernel/ids.ts';
import type { App } from '../../src/kernel/principal.ts';
import { type IntentDatabase, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';
import { openRows, type Rows } from '../support/rows.ts';

const hex = (text: string) => `\\x${digest(text).toString('hex')}`;

describe('the secrets of an app', () => {
  let rows: Rows;
  const run: Rows['run'] = (...args) => rows.run(...args);
  beforeEach(async () => {
    rows = await openRows();
    for (const app of ['app_a', 'app_b']) {
      await run(`insert into apps (id, slug, name, allowed_scopes) values ($1, $1, $1, '{trading}')`, app);
      await run(
        `insert into app_secrets (id, app_id, digest, hint) values ('first of ' || $1, $1, $2, '')`,
        app,
        hex(app),
      );
    }
  });
  afterEach(() => rows.close());

  const rotate = (id: string, boughtWith: string | null, overlapS = 60) =>
    run(
      `select * from rotate_app_secret('app_a', nullif($1, ''), $2, convert_to($2, 'UTF8'), '', ${overlapS})`,
      ...[boughtWith ?? '', id],
    );
  const current = () =>
    rows.db.manyFirst(sql.type(z.object({ id: z.string() }))`
      select s.id from app_secrets s where s.superseded_at is null order by s.id`);

  it('are replaced by a token of the current one, once; not by one of an earlier secret, or of another app’s', async () => {
    const replaced = [
      await rotate('second', 'first of app_a'),
      await rotate('third', 'first of app_a'),
      await rotate('fourth', 'first of app_b'),
    ];

    expect(replaced).to.deep.equal([1, 0, 0]);
    expect(await current()).to.deep.equal(['first of app_b', 'second']);
  });

  it('end within the overlap of a rotation, the current one and those before, but not again', async () => {
    await rotate('second', null, 3_600);
    await rotate('third', null, 0);
    await rotate('fourth', null, 60);

    const left = await rows.db.any(sql.type(z.object({ id: z.string(), s: z.number().nullable(), again: z.boolean() }))`
      select s.id, extract(epoch from s.expires_at - now())::integer s, s.superseded_at > s.expires_at again
      from app_secrets s
      where s.app_id = 'app_a' and s.superseded_at is not null
      order by s.id`);
    expect(left.map(({ id, s }) => [id, Math.round(Number(s) / 60)])).to.deep.equal([
      ['first of app_a', 0],
      ['second', 0],
      ['third', 1],
    ]);
    expect(left.every(({ again }) => !again)).to.equal(true);
  });

  it('give a token no longer a life than their own, and show it so', async () => {
    await run(
      `update app_secrets set superseded_at = now(), expires_at = now() + interval '100 s' where id = 'first of app_a'`,
    );
    await run(
      `insert into app_tokens (digest, app_id, secret_id, scopes, expires_at) values
         ($1, 'app_a', 'first of app_a', '{trading}', now() + interval '1 hour'),
         ($2, 'app_a', 'first of app_a', '{trading}', now() + interval '10 s')`,
      ...[hex('long'), hex('short')],
    );
    const find = appFinder(rows.db);
    const secondsOf = async (token: string) =>
      Math.round((Date.parse(String((await find(token))?.expiresAt)) - Date.now()) / 1_000);

    const issued = await issueToken(rows.db, { owner: 'app_a', secretId: 'first of app_a' } as App, ['trading']); // as: all that it reads
    const unended = await issueToken(rows.db, { owner: 'app_b', secretId: 'first of app_b' } as App, ['trading']); // as: the same

    expect(issued.expiresInS).to.be.within(90, 100);
    expect(unended.expiresInS).to.be.within(3_590, 3_600);
    expect(await secondsOf('long')).to.be.within(90, 101);
    expect(await secondsOf('short')).to.be.within(0, 11);
  });

  it('of an app or partner that is not disabled are those of one that is not', async () => {
    await run(`insert into partners (id, name, disabled_at) values ('ptn_on', 'p', null), ('ptn_off', 'p', now())`);
    await run(`update apps set disabled_at = now() where id = 'app_b'`);

    const disabled = await rows.db.manyFirst(sql.type(z.object({ id: z.string() }))`
      select o.id from unnest(array['app_a', 'app_b', 'ptn_on', 'ptn_off', 'unknown']) o (id) where is_disabled(o.id)`);

    expect(disabled).to.deep.equal(['app_b', 'ptn_off']);
  });
});

describe('the secret, link and tokens of an app', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(`
      insert into apps (id, slug, name, allowed_scopes) values ('app', 'app', 'app', '{api}');
      insert into app_secrets (id, app_id, digest, hint) values ('first', 'app', 'first', '');
      insert into reveal_links (id, digest, app_id, expires_at) values ('open', 'open', 'app', now() + interval '1 hour')`);
  });
  afterEach(() => intentDb.close());

  const rotate = (id: string) => `select * from rotate_app_secret('app', 'first', '${id}', '${id}', '', 60)`;
  const anyhow = (id: string) => `select * from rotate_app_secret('app', null, '${id}', '${id}', '', 60)`;
  const issue = (id: string) => `select issue_reveal_link('app', '${id}', '${id}', 60)`;
  const OPEN = `select * from open_reveal_link('open', 'shown', 'shown', '')`;

  it('is replaced once by one token, used twice at once', async () => {
    expect((await intentDb.beside(rotate('second'), rotate('third'))).second).to.deep.equal([]);
  });

  for (const [name, first, second, current] of [
    ['two links that are issued', issue('a'), issue('b'), []],
    ['a link that is opened and a new secret', anyhow('second'), OPEN, ['shown']],
    ['a new secret and a link that is opened', OPEN, anyhow('second'), ['second']],
  ] as const)
    it(`follow one another: ${name} at once`, async () => {
      expect((await intentDb.beside(first, second)).second).to.have.length(1);

      const left = await intentDb.query<{ id: string }>(`
        select id from app_secrets where superseded_at is null and (expires_at is null or expires_at > now())`);
      expect(left.map(({ id }) => id)).to.deep.equal(current);
    });

  it('end with the app that is disabled while one is issued: they are not there once it is enabled', async () => {
    await intentDb.query(`insert into admins (id, email, role) values ('adm_1', 'a@x', 'admin')`);
    const pool = await openPool(intentDb.url, 2, () => {});
    const actor = { adminId: 'adm_1', address: null, requestId: 'req_1' } as unknown as Parameters<
      typeof setAppActive
    >[3]; // as: what the audit notes

    const disabled = await pool.transaction(async (tx) => {
      await issueToken(tx, { owner: 'app', secretId: 'first' } as App, []); // as: all that it reads
      const waiting = setAppActive(pool, 'app', { active: false }, actor);
      await Promise.race([waiting, until('it waits', async () => (await intentDb.query(WAITING)).length > 0)]);
      return () => waiting;
    });
    await disabled();

    await pool.end();
    expect(await intentDb.query('select from app_tokens')).to.deep.equal([]);
  });
});
