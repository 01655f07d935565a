import { expect } from 'chai';
import { type Ask, type Identity, PASSWORD, startIdentity } from '../support/identity.ts';

const ROWS = 5;

/** Lists without a filter: who reads them, how one row is added, and the member that identifies a row. */
describe('lists are bounded pages with a Link to the next one', () => {
  let service: Identity;
  before(async () => {
    service = await startIdentity();
  });
  after(() => service.stop());

  async function pagesOf(ask: Ask, path: string, id: string) {
    const seen: string[] = [];
    for (let next = `${path}?limit=2`; next; ) {
      const { status, body, headers } = await ask('GET', next);
      expect(status, next).to.equal(200);
      expect(body.length, next).to.be.within(1, 2);
      seen.push(...body.map((row: Record<string, string>) => row[id]));
      next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '';
    }
    expect((await ask('GET', `${path}?cursor=nobody`)).status, path).to.equal(422);
    expect((await ask('GET', `${path}?limit=501`)).status, path).to.equal(422);
    expect(new Set(seen).size, path).to.equal(seen.length);
    return seen;
  }

  it('of apps, partners and their keys, for operators', async () => {
    const operator = await service.admin();
    const made: string[] = [];
    for (let n = 0; n < ROWS; n++) made.push((await service.app()).appId);
    const partners: string[] = [];
    for (let n = 0; n < ROWS; n++)
      partners.push((await operator.ask('POST', '/v2/admin/partners', { json: { name: 'P' } })).body.partner_id);
    const keys = `/v2/admin/partners/${partners[0]}/keys`;
    for (let n = 1; n < ROWS; n++) await operator.ask('POST', keys);
    const foreign = (await operator.ask('GET', `/v2/admin/partners/${partners[1]}/keys`)).body[0].key_id;

    expect(await pagesOf(operator.ask, '/v2/admin/apps', 'app_id')).to.deep.equal(made);
    expect(await pagesOf(operator.ask, '/v2/admin/partners', 'partner_id')).to.deep.equal(partners);
    expect(await pagesOf(operator.ask, keys, 'key_id')).to.have.length(ROWS);
    expect((await operator.ask('GET', `${keys}?cursor=${foreign}`)).status).to.equal(422);
  });

  it('of sessions, for their user', async () => {
    const app = await service.app();
    const [user, other] = [await service.user(app), await service.user(app)];
    for (let n = 1; n < ROWS; n++)
      await app.ask('POST', '/v2/auth/login', { json: { email: user.email, password: PASSWORD } });
    const [{ session_id: foreign }] = (await other.ask('GET', '/v2/auth/sessions')).body;

    expect(await pagesOf(user.ask, '/v2/auth/sessions', 'session_id')).to.have.length(ROWS);
    expect((await user.ask('GET', `/v2/auth/sessions?cursor=${foreign}`)).status).to.equal(422);
  });
});
