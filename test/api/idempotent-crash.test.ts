import { expect } from 'chai';
import { Client } from 'pg';
import {
  type Ask,
  asking,
  bearer,
  codeIn,
  codeOf,
  fresh,
  type Identity,
  PASSWORD,
  startIdentity,
  type TestAdmin,
  type TestApp,
  type TestUser,
  tokenIn,
  withinOneStep,
} from '../support/identity.ts';
import { startWebProcess, until } from '../support/processes.ts';

type Who = { app: TestApp; user: TestUser; admin: TestAdmin };
type Write = { by: (who: Who) => Ask; path: string; json?: (who: Who) => object; rows: string };

const LOCK = 884_711;

/** Writes without an intent, and the rows of which each adds exactly one. */
const writes: Write[] = [
  {
    by: ({ app }) => app.ask,
    path: '/v2/notifications/send',
    json: ({ user: { email } }) => ({ email, subject: 's', html: 'h', fanout_event: 'payment.failed' }),
    rows: `select (select count(*) from mails where template = 'notification') + (select count(*) from events where type = 'payment.failed') - 1 as n`,
  },
  {
    by: ({ app }) => app.ask,
    path: '/v2/webhook-endpoints',
    json: () => ({ url: 'https://hooks.example.com/x', events: ['*'] }),
    rows: 'select count(*) as n from webhook_endpoints',
  },
  {
    by: ({ user }) => user.ask,
    path: '/v2/agreements/sign',
    json: () => ({ agreement_version: '1', signature_name: 'Ada' }),
    rows: 'select count(*) as n from agreement_signatures',
  },
  {
    by: ({ app }) => app.ask,
    path: '/v2/apps/me/rotate-secret',
    json: () => ({ overlap_seconds: 3600 }),
    rows: 'select count(*) - 1 as n from app_secrets',
  },
  {
    by: ({ admin }) => admin.ask,
    path: '/v2/admin/partners',
    json: () => ({ name: 'Partner' }),
    rows: 'select count(*) as n from partner_keys',
  },
  {
    by: ({ app }) => app.ask,
    path: '/v2/auth/signup',
    json: () => ({ email: `${fresh('new')}@example.com`, password: PASSWORD }),
    rows: `select count(*) as n from mails where template <> 'notification'`,
  },
  ...['resend-otp', 'password-reset/request'].map((path) => ({
    by: ({ app }: Who) => app.ask,
    path: `/v2/auth/${path}`,
    json: ({ user: { email } }: Who) => ({ email }),
    rows: `select count(*) as n from mails where template <> 'notification'`,
  })),
];

describe('a crash or a fault between a write and the storing of its response', function () {
  this.timeout(90_000);
  let service: Identity;
  let who: Who;
  let session: Client;
  before(async () => {
    service = await startIdentity();
    const app = await service.app(['*']);
    who = { app, user: await service.user(app), admin: await service.admin() };
    session = new Client({ connectionString: String(service.settings.DATABASE_URL) });
    await session.connect();
  });
  after(async () => {
    await session.end();
    await service.stop();
  });

  const count = async (rows: string) => Number((await session.query(rows)).rows[0].n);
  const expire = (key: string) =>
    session.query(
      `update idempotent_responses set created_at = created_at - interval '61 seconds' where key like '%' || $1 and status is null`,
      [key],
    );
  /** Runs a statement whenever a response is about to be stored, until the returned function is called. */
  const whenStoring = async (statement: string) => {
    await session.query(`
      create function at_storing() returns trigger language plpgsql as $$ begin ${statement}; return new; end $$;
      create trigger at_storing before update on idempotent_responses
        for each row when (new.status is not null) execute function at_storing()`);
    return () => session.query('drop function at_storing() cascade');
  };

  it('by SIGKILL of web and the loss of its connection: the repeat writes once', async () => {
    const [write] = writes as [Write];
    const web = await startWebProcess({ ...service.settings, PORT: '0' });
    const request = { json: write.json?.(who), headers: { 'Idempotency-Key': 'killed' } };
    const restore = await whenStoring(`perform pg_advisory_xact_lock(${LOCK})`);
    await session.query(`select pg_advisory_lock(${LOCK})`);

    const lost = asking(web.url, bearer(who.app.token))('POST', write.path, request).catch(() => 'no response');
    const { pid } = await until('the write is about to be stored', async () => {
      const found = await session.query(
        `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`,
      );
      return found.rows[0];
    });
    web.kill('SIGKILL');
    await web.exited;
    await session.query('select pg_terminate_backend($1, 10000)', [pid]);
    await session.query(`select pg_advisory_unlock(${LOCK})`);
    await restore();
    await expire('killed');
    const repeated = await who.app.ask('POST', write.path, request);

    expect(await lost).to.equal('no response');
    expect(repeated.status, JSON.stringify(repeated.body)).to.equal(200);
    expect(await count(write.rows)).to.equal(1);
  });

  /** Sends a write whose response cannot be stored, then twice again under its key. */
  async function failedAndRepeated(ask: Ask, path: string, json?: object) {
    const headers = { 'Idempotency-Key': fresh('crash') };
    const send = () => ask('POST', path, { ...(json && { json }), headers });
    const restore = await whenStoring(`raise exception 'gone'`);
    const crashed = await send();
    await restore();
    const [first, second] = [await send(), await send()];
    expect([crashed.status, first.status, second.status], JSON.stringify(first.body)).to.deep.equal([500, 200, 200]);
    expect(second.body).to.deep.equal(first.body);
  }

  for (const { by, path, json, rows } of writes)
    it(`leaves nothing of ${path}, or all of it, and the repeat need not wait`, async () => {
      const before = await count(rows);

      await failedAndRepeated(by(who), path, json?.(who));

      expect((await count(rows)) - before).to.equal(path.includes('notifications') ? 2 : 1);
    });

  it('spends no code and no invitation: log-ins and invitations can be repeated', async () => {
    const enrolled = async () => {
      const user = await service.user(who.app);
      const { body } = await user.ask('POST', '/v2/auth/totp/enroll');
      await user.ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(body.secret) } });
      return { ...user, seed: body.secret };
    };
    const loginOf = ({ email, seed }: { email: string; seed: string }) => ({
      ...{ email, password: PASSWORD },
      totp_code: codeOf(seed, 1),
    });
    const [admin, user, another] = [await service.admin(), await enrolled(), await enrolled()];
    const invited = `${fresh('invited')}@example.com`;
    const invitation = { email: invited, role: 'viewer', reason: 'joins' };
    await who.admin.ask('POST', '/v2/admin/operators', { json: invitation });
    const token = tokenIn((await service.mailTo(invited)).text);
    await withinOneStep();

    await failedAndRepeated(service.ask, '/v2/admin/login', loginOf(admin));
    await failedAndRepeated(who.app.ask, '/v2/auth/login', loginOf(user));
    const { email: _, ...proof } = loginOf(another);
    await failedAndRepeated(another.ask, '/v2/auth/reauthenticate', proof);
    await failedAndRepeated(service.ask, '/v2/admin/invitations/accept', { token, password: PASSWORD });
  });

  it('spends no mailed code: a user whose response was lost enters it again', async () => {
    const email = `${fresh('signed-up')}@example.com`;
    await who.app.ask('POST', '/v2/auth/signup', { json: { email, password: PASSWORD } });
    const code = codeIn((await service.mailTo(email)).text);

    await failedAndRepeated(who.app.ask, '/v2/auth/verify-email', { email, code });
  });

  it('lets only one of two requests write when the first one was slow, not dead', async () => {
    const [write] = writes.slice(4) as [Write];
    const before = await count(write.rows);
    const send = () =>
      who.admin.ask('POST', write.path, { json: { name: 'Slow' }, headers: { 'Idempotency-Key': 'slow' } });
    const restore = await whenStoring(`perform pg_advisory_xact_lock(${LOCK})`);
    await session.query(`select pg_advisory_lock(${LOCK})`);
    const waiting = async (n: number) => {
      const { rows } = await session.query(
        `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%idempotent_responses%'`,
      );
      return rows.length >= n;
    };

    const first = send();
    await until('the first one waits', () => waiting(1));
    await expire('slow');
    const second = send();
    await session.query(`select pg_advisory_unlock(${LOCK})`);
    const [one, two] = await Promise.all([first, second]);
    await restore();

    expect([one.status, two.status]).to.deep.equal([200, 200]);
    expect(two.body).to.deep.equal(one.body);
    expect((await count(write.rows)) - before).to.equal(1);
  });
});
