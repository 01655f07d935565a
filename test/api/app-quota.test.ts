import { expect } from 'chai';
import { type Data, type Identity, startIdentity, type TestApp } from '../support/identity.ts';

const QUOTA = 6;
const OF_A_USER = 1_200;
const AT_ONCE = 40;

describe('the request quota of an app', () => {
  let service: Identity;
  before(async () => {
    service = await startIdentity({ THROTTLE_SCALE: '1' });
  });
  after(() => service.stop());

  async function limitTo(requests_per_minute: number): Promise<TestApp> {
    const [app, { ask }] = await Promise.all([service.app(), service.admin()]);
    const { status } = await ask('PATCH', `/v2/admin/apps/${app.appId}`, { json: { requests_per_minute } });
    expect(status).to.equal(200);
    return app;
  }

  it('is counted down in the headers of every response, and ends in 429 with Retry-After; another app has its own', async () => {
    const [limited, other] = [await limitTo(QUOTA), await service.app()];
    const replies: Data[] = [];
    for (let n = 0; n < QUOTA; n += 1) replies.push(await limited.ask('GET', '/v2/apps/me'));
    const over = await limited.ask('GET', '/v2/apps/me');

    expect(replies.map(({ status }) => status)).to.deep.equal(replies.map(() => 200));
    expect(replies.map(({ headers }) => headers.get('ratelimit-policy'))).to.deep.equal(
      replies.map(() => `"requests";q=${QUOTA};w=60`),
    );
    expect(replies.map(({ headers }) => /;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1])).to.deep.equal(
      replies.map((_, n) => String(QUOTA - 1 - n)),
    );
    expect(over.body.error).to.include({ code: 'RATE_LIMITED', retryable: true });
    expect(Number(over.headers.get('retry-after'))).to.be.within(1, 60 / QUOTA);
    expect((await other.ask('GET', '/v2/apps/me')).status).to.equal(200);
  });

  it('has a part for each user: one who uses it up leaves the others theirs', async () => {
    const app = await service.app();
    const [loud, quiet] = [await service.user(app), await service.user(app)];
    const flood: number[] = [];
    while (!flood.includes(429) && flood.length < 3 * OF_A_USER) {
      const together = Array.from({ length: AT_ONCE }, () => loud.ask('GET', '/v2/auth/me'));
      flood.push(...(await Promise.all(together)).map(({ status }) => status));
    }

    expect(flood).to.include(429);
    expect(flood.filter((status) => status === 200).length).to.be.at.least(OF_A_USER - 1);
    const reply = await quiet.ask('GET', '/v2/auth/me');
    expect(reply.status).to.equal(200);
    expect(reply.headers.get('ratelimit-policy')).to.equal(
      `"requests";q=60000;w=60, "own_requests";q=${OF_A_USER};w=60`,
    );
  });

  it('counts its users, and a rejected request of one spends nothing of the others', async () => {
    const app = await limitTo(QUOTA);
    const user = await service.user(app); // three requests
    const statuses: number[] = [];
    for (let n = 0; n < QUOTA; n += 1) statuses.push((await user.ask('GET', '/v2/auth/me')).status);

    expect(statuses).to.include(429);
    expect((await app.ask('GET', '/v2/apps/me')).status).to.equal(429);
  });
});
