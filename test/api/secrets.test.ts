import { expect } from 'chai';
import { sql } from 'slonik';
import { findLeaks, formsOfText, gathered, type Haystack } from '../support/canary.ts';
import { findQueueTable } from '../support/queue.ts';
import {
  breakSeals,
  failUpstreams,
  failWrites,
  letDatabaseLeak,
  misplaceSecrets,
} from '../support/secrets/failures.ts';
import { outputOf, type Stage, startStage } from '../support/secrets/stage.ts';
import { type People, walkAll } from '../support/secrets/walk.ts';

describe('secrets', function () {
  this.timeout(120_000);
  let stage: Stage;
  let people: People;
  let rejectedWrites: number[];

  before(async () => {
    stage = await startStage();
    people = await walkAll(stage);
    await misplaceSecrets(stage, people);
    await failUpstreams(stage, people);
    rejectedWrites = await failWrites(stage, people);
    await letDatabaseLeak(stage, people);
    await breakSeals(stage, people);
  });
  after(() => stage.stop());

  it('of every kind were created, received and returned', () => {
    expect(stage.vault.kinds()).to.include.members([
      'sealing key',
      "the platform's miner key",
      'validator key',
      'processor secret',
      'processor notification secret',
      'operator password',
      'operator session',
      'operator TOTP seed',
      'partner key',
      'stream ticket',
      'trader key',
      'chain key',
      "a tenant's miner key",
      'client secret',
      'access token',
      'reveal link',
      'user password',
      'user session',
      'user TOTP seed',
      'reset token',
      'payment client secret',
      'trader API key',
      'webhook secret',
    ]);
  });

  it('went through every failure: failed writes, tasks that threw, broken connections', () => {
    const output = stage.processes.flatMap(({ lines }) => lines).join('\n');

    expect(new Set(rejectedWrites)).to.deep.equal(new Set([500]));
    expect(output).to.include('task threw').and.to.include('"msg":"bug"').and.to.include('database connection');
    expect(stage.errors.length).to.be.above(1_000);
  });

  it('are in no value of the database, job, error of a job, log line or error response, in no spelling', async () => {
    const haystacks = gathered(await stage.everything());
    const secrets = stage.vault.secrets();

    const leaks = secrets.flatMap(({ name, forms }) => findLeaks(forms, haystacks).map((leak) => ({ name, ...leak })));

    const length = haystacks.reduce((total, { text }) => total + text.length, 0);
    const spellings = secrets.reduce((total, { forms }) => total + forms.length, 0);
    console.log(
      `      ${secrets.length} secrets of ${stage.vault.kinds().length} kinds in ${spellings} spellings; ` +
        `${haystacks.length} places, ${Math.round(length / 1e5) / 10} MB, ${stage.errors.length} rejections`,
    );
    expect(leaks).to.deep.equal([]);
  });

  it('would be found: planted in every location and spelling', async () => {
    const secret = 'planted-secret-Ab9_x-77Zq';
    const forms = formsOfText(secret);
    const found = (haystacks: Haystack[]) => new Set(findLeaks(forms, gathered(haystacks)).map(({ where }) => where));
    const queue = (await findQueueTable(stage.db, 'payload')).join('.');
    await stage.db.query(sql.unsafe`create table planted (what text, within jsonb, raw bytea)`);

    expect([...found(await stage.everything())]).to.deep.equal([]);
    for (const [name, spelt] of spellings(secret)) {
      const text = `before ${spelt} after`;
      await stage.db.query(sql.unsafe`
        insert into planted (what, within, raw)
        values (${text}, ${JSON.stringify({ deep: [text] })}::jsonb, ${sql.binary(Buffer.from(text))})`);
      await stage.db.query(sql.unsafe`
        select graphile_worker.add_job('planted', ${JSON.stringify({ text })}::json, run_at => now() + interval '1 day')`);
      await stage.db.query(sql.unsafe`
        update queue_jobs set last_error = ${`Error: ${text}`} where task = 'planted'`);
      const locations = found([
        ...(await stage.everything()),
        ...outputOf({ lines: [JSON.stringify({ level: 50, err: { message: text } })] }),
        { where: 'rejection', text: JSON.stringify([422, [], { error: { message: text } }]) },
      ]);
      expect([...locations], name).to.include.members([
        'public.planted.what',
        'public.planted.within',
        'public.planted.raw',
        `${queue}.payload`,
        `${queue}.last_error`,
        'public.jobs_seen.job',
        'output',
        'rejection',
      ]);
      await stage.db.query(sql.unsafe`delete from planted`);
      await stage.db.query(sql.unsafe`delete from queue_jobs where last_error like 'Error: before%'`);
      await stage.db.query(sql.unsafe`delete from jobs_seen where job like '%Error: before%'`);
    }
  });
});

/** Plausible spellings of a secret, built without the forms that the search uses. */
const spellings = (secret: string): [string, string][] => [
  ['plain', secret],
  ['in a header', `Authorization: Bearer ${secret}`],
  ['hex', Buffer.from(secret).toString('hex')],
  ['upper hex', Buffer.from(secret).toString('hex').toUpperCase()],
  ['base64', btoa(secret)],
  ['base64, moved on by one', btoa(`x${secret}y`)],
  ['base64, moved on by two', btoa(`xx${secret}yy`)],
  ['base64 of JSON', btoa(JSON.stringify({ key: secret }))],
  ['base64url', Buffer.from(`?>${secret}`).toString('base64url')],
  ['URL-encoded', encodeURIComponent(secret)],
  ['percent', [...Buffer.from(secret)].map((byte) => `%${byte.toString(16)}`).join('')],
  ['URL-encoded base64', encodeURIComponent(btoa(`${secret}?`))],
];
