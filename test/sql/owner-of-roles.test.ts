import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { Client } from 'pg';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

const GUIDE = new URL('../../src/docs/deploying.md', import.meta.url);

describe('an owner of the database that is no superuser', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query('create role plain_owner createrole');
    await intentDb.query('grant trading_web, trading_worker to plain_owner with admin option');
  });
  after(async () => {
    await intentDb.query('alter function ops.list_transactions() owner to current_user');
    await intentDb.query('drop role if exists web_login, worker_login');
    await intentDb.query('revoke all on schema ops from plain_owner');
    await intentDb.query('revoke trading_web, trading_worker from plain_owner');
    await intentDb.query('drop role plain_owner');
    await intentDb.close();
  });

  it('sees and ends a transaction of a process, once it has given the processes users as the guide says', async () => {
    const statements = /^```sql\n(create user web_login[\s\S]*?)```/m.exec(await readFile(GUIDE, 'utf8'))?.[1] ?? '';
    const owner = await intentDb.session();
    await intentDb.query('grant usage, create on schema ops to plain_owner');
    await intentDb.query('alter function ops.list_transactions() owner to plain_owner');
    await owner.query('set role plain_owner');
    await owner.query(statements);
    const web = new Client({ connectionString: intentDb.url.replace('//tps@', '//web_login@'), ssl: false });
    web.on('error', () => {}); // it is cut off
    await web.connect();
    await web.query('begin');

    const [open] = await owner.query<{ pid: number; role: string }>(
      `select t.pid, t.role from ops.list_transactions() t where t.role = 'web_login'`,
    );

    expect(open?.role).to.equal('web_login');
    expect(await owner.query('select pg_terminate_backend($1) as ended', [open?.pid])).to.deep.equal([{ ended: true }]);
    await web.end().catch(() => {});
  });
});
