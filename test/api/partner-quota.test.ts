import { expect } from 'chai';
import { caller } from '../support/caller.ts';
import { type Identity, startIdentity } from '../support/identity.ts';
import { limit } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';

const QUOTA = 6;

describe('the request quota of a partner', () => {
  let service: Identity;
  before(async () => {
    service = await startIdentity({ THROTTLE_SCALE: '1' });
  });
  after(() => service.stop());

  async function partner(requests_per_minute?: number) {
    const { ask } = await service.admin();
    const { body } = await ask('POST', '/v2/admin/partners', { json: { name: 'Partner' } });
    const path = `/v2/admin/partners/${body.partner_id}`;
    if (requests_per_minute) await ask('PATCH', path, { json: { requests_per_minute } });
    return { ask, path, caller: caller(service.url, body.key) };
  }

  it('is counted down in the headers of every response, errors too, and ends in 429 with Retry-After', async () => {
    const { caller: limited } = await partner(QUOTA);
    const replies = [
      await limited.get('/v1/sessions'),
      await limited.get('/v1/events?limit=0'),
      await limited.get('/v1/intents/x'),
    ];
    for (let n = replies.length; n < QUOTA; n += 1) replies.push(await limited.get('/v1/sessions'));
    const over = await limited.post('/v1/orders/netvenue', limit(), { headers: { 'Trader-ID': '1' } });

    expect(replies.map(({ status }) => status)).to.deep.equal([200, 422, 422, 200, 200, 200]);
    expect(replies.map(({ headers }) => headers['ratelimit-policy'])).to.deep.equal(
      replies.map(() => `"requests";q=${QUOTA};w=60`),
    );
    expect(replies.map(({ headers }) => /;r=(\d+);/.exec(String(headers.ratelimit))?.[1])).to.deep.equal(
      replies.map((_, n) => String(QUOTA - 1 - n)),
    );
    expectProblem(over, 'RATE_LIMITED', { retryable: true, effect: 'none' });
    expect(Number(over.headers['retry-after'])).to.be.within(1, 60 / QUOTA);
    expect(over.headers.ratelimit).to.match(/^"requests";r=0;t=\d+$/);
  });

  it('is shown to operators with its use, of one partner and in the list', async () => {
    const { ask, path, caller: limited } = await partner(QUOTA);
    const unused = await ask('GET', path);
    for (let n = 0; n < QUOTA + 2; n += 1) await limited.get('/v1/sessions');

    const { body } = await ask('GET', path);
    const { body: all } = await ask('GET', '/v2/admin/partners');
    const unknown = await ask('GET', `${path.slice(0, -3)}xxx`);
    const { status } = await limited.get(path);

    expect(unused.body).to.include({ requests_per_minute: QUOTA, quota_used: 0, quota_rejections: 0 });
    expect(body).to.include({ requests_per_minute: QUOTA, quota_used: QUOTA, quota_rejections: 2 });
    expect(all.find(({ partner_id }: { partner_id: string }) => path.endsWith(partner_id))).to.include({
      quota_rejections: 2,
    });
    expect(unknown.body.error.code).to.equal('V2_PARTNER_UNKNOWN');
    expect(status).to.equal(401);
  });

  it('is of one partner: another one has its own, and who has no key spends none', async () => {
    const [one, other] = [await partner(1), await partner(1)];
    const outsider = caller(service.url, 'tpk_nobody');

    expect((await outsider.get('/v1/sessions')).headers).to.not.have.property('ratelimit');
    expect((await one.caller.get('/v1/sessions')).status).to.equal(200);
    expect((await one.caller.get('/v1/sessions')).status).to.equal(429);
    expect((await other.caller.get('/v1/sessions')).status).to.equal(200);
  });

  it('is generous by default; an operator sets another, with an audit row, and it holds at once', async () => {
    const { ask, path, caller: limited } = await partner();
    const before = await limited.get('/v1/sessions');
    const json = { requests_per_minute: 2, contact_email: 'ops@partner.example' };

    const changed = await ask('PATCH', path, { json });
    const unknown = await ask('PATCH', `${path.slice(0, -3)}xxx`, { json });

    expect(before.headers['ratelimit-policy']).to.equal('"requests";q=60000;w=60');
    expect(changed.body).to.include(json);
    expect((await limited.get('/v1/sessions')).headers.ratelimit).to.include('r=1;');
    expect((await limited.get('/v1/sessions')).status).to.equal(200);
    expect((await limited.get('/v1/sessions')).status).to.equal(429);
    expect(unknown.body.error.code).to.equal('V2_PARTNER_UNKNOWN');
    const { body: audit } = await ask('GET', '/v2/admin/audit');
    expect(JSON.stringify(audit)).to.include('partner.update');
    for (const requests_per_minute of [0, -1, 1.5])
      expect((await ask('PATCH', path, { json: { requests_per_minute } })).status).to.equal(422);
  });
});
