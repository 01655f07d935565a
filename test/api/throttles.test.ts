import { expect } from 'chai';
import { sql } from 'slonik';
import { throttle } from '../../src/db/throttles.ts';
import { budgetOf, limits } from '../../src/kernel/throttles.ts';
import {
  atOnce,
  codeOf,
  type Data,
  fresh,
  type Identity,
  PASSWORD,
  resetTokenIn,
  startIdentity,
  statuses,
  type TestApp,
  type TestUser,
  withinOneStep,
} from '../support/identity.ts';

describe('throttles', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity({ THROTTLE_SCALE: '1' });
    app = await service.app();
  });
  after(() => service.stop());

  const HOME = '198.51.100.1';
  const from = (address: string) => ({ 'X-End-User-Address': address });
  const logIn = (email: string, password: string, address: string, totp_code?: string) =>
    app.ask('POST', '/v2/auth/login', {
      json: { email, password, ...(totp_code && { totp_code }) },
      headers: from(address),
    });
  const wrong = (email: string, address: string) => logIn(email, 'wrong horse battery', address);
  const isThrottled = ({ status, body, headers }: Data) =>
    status === 429 && body.error.code === 'V2_THROTTLED' && Number(headers.get('retry-after')) > 0;
  /** A user who has logged in from home. */
  const userAtHome = async (): Promise<TestUser> => {
    const user = await service.user(app);
    await logIn(user.email, PASSWORD, HOME);
    return user;
  };

  it('count exactly: of 100 concurrent attempts 10 are compared', async () => {
    const user = await userAtHome();

    const replies = await atOnce(100, () => wrong(user.email, '203.0.113.1'));

    expect(statuses(replies)).to.deep.equal({ 401: 10, 429: 90 });
    const throttled = replies.filter(({ status }) => status === 429);
    expect(throttled.every(isThrottled)).to.equal(true);
    for (const { headers } of throttled)
      expect(headers.get('ratelimit')).to.match(new RegExp(`"login.*;r=0;t=${headers.get('retry-after')}(,|$)`));
  });

  it('treat known and unknown addresses alike', async () => {
    const user = await service.user(app);
    const unknownEmail = `${fresh('nobody')}@example.com`;

    const known = await inTurn(13, () => wrong(user.email, '203.0.113.2'));
    const unknown = await inTurn(13, () => wrong(unknownEmail, '203.0.113.3'));

    expect(unknown.map(({ status }) => status)).to.deep.equal(known.map(({ status }) => status));
    expect(known.filter(isThrottled)).to.have.length(3);
  });

  it('never lock out a user: from a known address the right password works whatever unknown callers do', async () => {
    const user = await userAtHome();
    const unknownCallers = await inTurn(60, (n) => wrong(user.email, `203.0.113.${100 + n}`));
    const newAddress = await logIn(user.email, PASSWORD, '192.0.2.9');
    const home = await logIn(user.email, PASSWORD, HOME);

    // the first log-in from home was counted as from an unknown address too
    expect(unknownCallers.filter(isThrottled)).to.have.length(11);
    expect(isThrottled(newAddress)).to.equal(true);
    expect(home.status).to.equal(200);
  });

  it('never lock out a user: the mailed code allows a log-in from a new address at once', async () => {
    const user = await userAtHome();
    await inTurn(60, (n) => wrong(user.email, `203.0.113.${100 + n}`));

    await app.ask('POST', '/v2/auth/password-reset/request', { json: { email: user.email } });
    const token = resetTokenIn((await service.mailTo(user.email, 2)).text);
    const json = { email: user.email, token, new_password: 'a new horse battery' };
    const reset = await app.ask('POST', '/v2/auth/password-reset/confirm', { json, headers: from('192.0.2.10') });

    expect(reset.status).to.equal(200);
    expect((await logIn(user.email, 'a new horse battery', '192.0.2.10')).status).to.equal(200);
  });

  it('reset attempts after the right password', async () => {
    const user = await userAtHome();

    for (let round = 0; round < 3; round += 1) {
      await inTurn(9, () => wrong(user.email, HOME));
      expect((await logIn(user.email, PASSWORD, HOME)).status).to.equal(200);
    }
  });

  it('increase waits up to their limit, and reduce them again', async () => {
    const counter = throttle(service.db, 1);
    const budget = budgetOf('login', fresh('subject'));
    const windowEnds = () =>
      service.db.query(sql.unsafe`update throttles set ends_at = now() where subject = ${sql.binary(budget.subject)}`);
    const waits: unknown[] = [];
    for (let window = 0; window < 7; window += 1) {
      const states = (await inTurn(11, () => counter.spend([budget]))).flat();
      waits.push(states[0]?.ends_in_s); // at its first attempt, by the database's one clock
      expect(states.map(({ remaining }) => remaining)).to.deep.equal([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1]);
      await windowEnds();
    }
    const calm: unknown[] = [];
    for (let window = 0; window < 3; window += 1) {
      calm.push((await counter.spend([budget]))[0]?.ends_in_s);
      await windowEnds();
    }
    await service.db.query(sql.unsafe`
      update throttles set forget_at = now() where subject = ${sql.binary(budget.subject)}`);
    const [forgotten] = await counter.spend([budget]);
    const [wide] = await throttle(service.db, 2).spend([budgetOf('login', fresh('subject'))]); // for load tests

    expect(wide).to.include({ budget: 20, remaining: 19 });
    expect(waits).to.deep.equal([60, 120, 240, 480, 900, 900, 900]);
    expect(calm).to.deep.equal([900, 900, 900]);
    expect(forgotten?.ends_in_s).to.equal(60);
  });

  it('allow 5 codes of an authenticator with the right password', async () => {
    const user = await service.user(app);
    await withinOneStep();
    const { body } = await user.ask('POST', '/v2/auth/totp/enroll');
    await user.ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(body.secret, -1) } });
    const right = [-1, 0, 1].map((steps) => codeOf(body.secret, steps));
    const guesses = Array.from({ length: 30 }, (_, n) => String(n).padStart(6, '0')).filter(
      (code) => !right.includes(code),
    );

    const replies = await atOnce(20, (n) => logIn(user.email, PASSWORD, `203.0.113.${n}`, guesses[n]));

    expect(statuses(replies)).to.deep.equal({ 401: 5, 429: 15 });
  });

  it('allow 2 first mails and 5 more to one address, known or not', async () => {
    const user = await service.user(app);
    const unknownEmail = `${fresh('nobody')}@example.com`;
    const resend = (email: string) => app.ask('POST', '/v2/auth/resend-otp', { json: { email } });

    const known = await inTurn(8, () => resend(user.email));
    const unknown = await inTurn(8, () => resend(unknownEmail));

    // the sign-up was the first
    expect(known.map(({ status }) => status)).to.deep.equal([...Array(6).fill(200), 429, 429]);
    expect(unknown.map(({ status }) => status)).to.deep.equal([...Array(7).fill(200), 429]);
  });

  it('show the remaining budgets in every response', async () => {
    const email = `${fresh('someone')}@example.com`;

    const { headers } = await wrong(email, '203.0.113.77');
    const rejected = await app.ask('POST', '/v2/auth/login', { json: {}, headers: from('203.0.113.77') });

    expect(headers.get('ratelimit-policy')).to.equal(
      '"address";q=300;w=60, "server";q=6000;w=60, "requests";q=60000;w=60, "login";q=10;w=60',
    );
    expect(headers.get('ratelimit')).to.match(
      /^"address";r=\d+;t=\d+, "server";r=\d+;t=\d+, "requests";r=\d+;t=\d+, "login";r=9;t=60$/,
    );
    expect(rejected.status).to.equal(422);
    expect(rejected.headers.get('ratelimit-policy')).to.equal(
      '"address";q=300;w=60, "server";q=6000;w=60, "requests";q=60000;w=60',
    );
  });

  it('apply to operators, to access requests, and to the token endpoint in its own format', async () => {
    const admin = await service.admin();
    const bad = { email: admin.email, password: 'wrong horse battery' };
    const request = { company_name: 'Many', slug: 'many', contact_email: 'many@example.com', use_case: 'Many' };

    const logins = await inTurn(11, () => service.ask('POST', '/v2/admin/login', { json: bad }));
    const requests = await inTurn(11, () => service.ask('POST', '/v2/app-requests', { json: request }));
    const moreThanRegrows = 2 * limits.client.budget;
    const tokens = await atOnce(moreThanRegrows, () => service.token({ appId: app.appId, secret: 'csk_wrong' }));
    const late = tokens.find(({ status }) => status === 429);

    expect(logins.map(({ status }) => status).slice(9)).to.deep.equal([401, 429]);
    expect(requests.map(({ status }) => status).slice(9)).to.deep.equal([200, 429]);
    expect(late?.body).to.include({ error: 'temporarily_unavailable', status: 429 });
    expect(late?.body.detail.code).to.equal('V2_THROTTLED');
  });

  it('count the users of an app separately, and count its server as one caller when it sends no user address', async () => {
    const email = `${fresh('someone')}@example.com`;
    const login = (headers: Record<string, string>) =>
      app.ask('POST', '/v2/auth/login', { json: { email, password: 'wrong horse battery' }, headers });

    const [one, neighbour, far, unnamed] = [
      await login(from('2001:db8:1:2::1')),
      await login(from('2001:db8:1:2::ffff')),
      await login(from('2001:db8:1:3::1')),
      await login({}),
    ].map(({ headers }) => headers.get('ratelimit'));

    expect(one).to.match(/"address";r=299.*"login";r=9/);
    expect(neighbour).to.match(/"address";r=298.*"login";r=8/);
    expect(far).to.match(/"address";r=299.*"login";r=9/);
    expect(unnamed).to.match(/"server";r=\d{4}.*"login";r=9/);
  });

  it('count wrong basic authorizations too', async () => {
    const form = { grant_type: 'client_credentials' };
    const headers = { Authorization: `Basic ${Buffer.from(`${app.appId}:csk_wrong`).toString('base64')}` };

    const reply = await service.ask('POST', '/v2/oauth/token', { form, headers });

    expect(reply.status).to.equal(401);
    expect(reply.headers.get('ratelimit')).to.match(/^"address";r=\d+;t=\d+$/);
  });

  it('count wrong tokens of throttled operations by client address', async () => {
    const ask = (token: string) =>
      service.ask('POST', '/v2/auth/login', {
        json: { email: 'someone@example.com', password: 'wrong horse battery' },
        headers: { Authorization: `Bearer apt_${token}`, 'X-End-User-Address': '203.0.113.5' },
      });

    const [first, second] = [await ask('one'), await ask('two')];
    const many = await atOnce(limits.address.budget, () => ask('many'));

    const left = [first, second].map(({ headers }) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]));
    expect(first.status).to.equal(401);
    expect(left[1]).to.equal((left[0] ?? 0) - 1);
    expect(many.some(isThrottled)).to.equal(true);
    expect((await wrong(`${fresh('someone')}@example.com`, '203.0.113.5')).status).to.equal(401);
  });

  it('store no address in plain text', async () => {
    const stored = await service.db.any(sql.unsafe`select t::text from throttles t`);

    expect(JSON.stringify(stored)).not.to.include('example.com').and.not.include('203.0.113');
  });
});

async function inTurn<T>(times: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let n = 0; n < times; n += 1) results.push(await work(n));
  return results;
}
