import { expect } from 'chai';
import { type Identity, startIdentity } from '../support/identity.ts';

const READS = 300; // far fewer than the quota of an app in a second

describe('a tenant beside an app whose users read all at once', function () {
  this.timeout(60_000);
  let service: Identity;
  before(async () => {
    service = await startIdentity({ WEB_POOL_SIZE: '1' });
  });
  after(() => service.stop());

  it('is found by its key before the sessions of all of them', async () => {
    const [app, other] = [await service.app(), await service.partner()];
    const user = await service.user(app);
    let done = 0;

    const flood = Array.from({ length: READS }, async () => {
      await user.ask('GET', '/v2/payments/prop-accounts');
      done += 1;
    });
    const { status } = await other.get('/v1/sessions');
    const before = done;
    await Promise.all(flood);

    expect(status).to.equal(200);
    expect(before).to.be.below(READS / 2);
  });
});
