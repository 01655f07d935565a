import { expect } from 'chai';
import { sql } from 'slonik';
import { type AlikeOperation, alike, askAlike, unknownAddress, verifiedUsers } from '../support/alike.ts';
import { type Identity, startIdentity, type TestApp } from '../support/identity.ts';

const ADDRESSES = 3;

/** `npm run bench -- --only ALIKE` measures that the response times are alike too. */
describe('known and unknown addresses', () => {
  let service: Identity;
  let app: TestApp;
  let known: string[];
  before(async () => {
    service = await startIdentity({ THROTTLE_SCALE: '10000' }, false);
    app = await service.app();
    known = await verifiedUsers(service, app, ADDRESSES);
  });
  after(() => service.stop());

  for (const operation of Object.keys(alike) as AlikeOperation[]) {
    it(`get the same response from ${operation}: status and body`, async () => {
      const data = { known: new Set<string>(), unknown: new Set<string>() };

      for (const email of known) data.known.add((await askAlike(app, operation, email)).data);
      for (const _ of known) data.unknown.add((await askAlike(app, operation, unknownAddress())).data);

      expect([...data.known]).to.deep.equal([...data.unknown]);
      expect([...data.known]).to.have.length(1);
    });
  }

  it('get the same rate limits from a log-in, also where their owners have logged in before', async () => {
    const operator = await service.admin(); // has logged in from here
    const [email] = known as [string];
    await service.db.query(sql.unsafe`
      insert into known_addresses (account, address)
      select u.id, k.address
      from users u, known_addresses k
      where u.email = ${email} and k.account = ${operator.adminId}`);
    const wrong = (ask: typeof service.ask, path: string) => async (email: string) => {
      const { headers } = await ask('POST', path, { json: { email, password: 'wrong horse battery' } });
      return [headers.get('ratelimit-policy'), headers.get('ratelimit')?.replaceAll(/;[rt]=\d+/g, '')];
    };
    const [logIn, logInAdmin] = [wrong(app.ask, '/v2/auth/login'), wrong(service.ask, '/v2/admin/login')];

    const limits = [await logIn(email), await logInAdmin(operator.email)];
    const ofUnknown = [await logIn(unknownAddress()), await logInAdmin(unknownAddress())];

    expect(limits).to.deep.equal(ofUnknown);
  });
});
