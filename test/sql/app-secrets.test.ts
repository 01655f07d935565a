import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { appFinder } from '../../src/capabilities/apps/queries.ts';
import { issueToken } from '../../src/capabilities/apps/tokens/commands.ts';
import { digest } from '../../src/kernel/ids.ts';
import type { App } from '../../src/kernel/principal.ts';
import { type DbSession, type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
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

describe('a secret that is replaced with one token twice at once', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  it('is replaced once', async () => {
    await intentDb.query(`insert into apps (id, slug, name, allowed_scopes) values ('app', 'app', 'app', '{api}')`);
    await intentDb.query(`insert into app_secrets (id, app_id, digest, hint) values ('first', 'app', 'first', '')`);
    const [first, second] = [await intentDb.session(), await intentDb.session()];
    const rotate = (session: DbSession, id: string) =>
      session.query(`select * from rotate_app_secret('app', 'first', $1, convert_to($1, 'UTF8'), '', 60)`, [id]);
    await first.query('begin');
    await rotate(first, 'second');

    const late = rotate(second, 'third');
    await new Promise((resolve) => setTimeout(resolve, 200));
    await first.query('commit');

    expect(await late).to.deep.equal([]);
  });
});
