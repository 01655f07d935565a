import { expect } from 'chai';
import { startService, type TestService } from '../support/service.ts';

const READS = ['/v1/balance', '/v1/balance/limits', '/v1/rules', '/v1/positions/netvenue'];

/** The contract and the network take every size above 0. */
describe('a subaccount of less than a dollar', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  for (const account_size of [0.5, 5e-324])
    it(`is registered and read: ${account_size}`, async () => {
      const partner = await service.partner();

      const { status, body } = await partner.post('/v1/register/netvenue', { asset_class: 'crypto', account_size });
      const headers = { 'Trader-ID': String(body.subaccount?.subaccount_id) };
      const reads = await Promise.all(READS.map((path) => partner.get(path, { headers })));

      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.subaccount).to.include({ account_size });
      expect(reads.map((reply) => reply.status)).to.deep.equal(READS.map(() => 200));
    });
});
