import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import { bearer, type Identity, PASSWORD, startIdentity, type TestAdmin, type TestUser } from '../support/identity.ts';

describe('the headers of responses', () => {
  let service: Identity;
  let admin: TestAdmin;
  let user: TestUser;
  let partner: Record<string, string>;
  before(async () => {
    service = await startIdentity({
      PUBLIC_URL: 'https://partners.example.com',
      REGISTRATION_PAYEES: `0x${'01'.repeat(20)}`,
      WEBHOOK_LOOPBACK: 'false',
      NETVENUE_IN_FLIGHT_MS: '105000',
      EXVENUE_CLOCK_MARGIN_MS: '5000',
      EXVENUE_READ_LAG_MS: '60000',
      REGISTRATION_MARGIN_S: '30',
    });
    admin = await service.admin();
    user = await service.user(await service.app(['*']));
    partner = bearer((await service.partner()).key);
  });
  after(() => service.stop());

  const reads = listOperations().filter(({ method, path }) => method === 'get' && !path.includes('{'));
  /** Calls a read with the credentials that it names first. */
  const read = (path: string, schemes: string[]) => {
    if (schemes.includes('partnerKey')) return service.ask('GET', path, { headers: partner });
    return schemes.some((scheme) => scheme.startsWith('admin')) ? admin.ask('GET', path) : user.ask('GET', path);
  };

  it('keep responses that depend on a credential or on the time out of every cache', async () => {
    const statuses = new Set<number>();

    for (const { path, security } of reads.filter(({ streams }) => !streams)) {
      const reply = await read(
        path,
        security.flat().map(({ scheme }) => scheme),
      );
      statuses.add(reply.status);
      expect(reply.headers.get('cache-control'), `${reply.status} ${path}`).to.equal('no-store');
    }
    const login = await service.ask('POST', '/v2/admin/login', { json: { email: admin.email, password: PASSWORD } });

    expect(reads.length).to.be.above(30);
    expect([...statuses]).to.include.members([200]);
    expect(login.body.totp_required).to.equal(true);
    expect(login.headers.get('cache-control')).to.equal('no-store');
  });

  it('bind browsers to https where the public address is https', async () => {
    for (const path of ['/healthz', '/docs', '/admin', '/openapi.json', '/nowhere', '/v2/auth/me', '/v1/sessions'])
      expect((await service.ask('GET', path)).headers.get('strict-transport-security'), path).to.match(
        /^max-age=31536000/,
      );
  });
});
