import { expect } from 'chai';
import { expectProblem } from '../support/problem.ts';
import { REGISTER, type RegistrationService, startRegistrationService } from '../support/registration.ts';

describe('getExvenueRegistration', () => {
  let service: RegistrationService;
  before(async () => {
    service = await startRegistrationService();
  });
  after(() => service.stop());

  const unknown = {
    status: 'not_found',
    registration_id: null,
    account_size: null,
    tx_hash: null,
    message: null,
    estimated_time: null,
    is_terminal: false,
    is_success: false,
  };

  it('shows a registration to its owner, for the address in upper and lower case', async () => {
    const [partner, buyer] = await Promise.all([service.partner(), service.buyer()]);
    const { body: bought } = await service.buy(partner, buyer);

    const reply = await partner.get(`${REGISTER}/status/0x${buyer.wallet.slice(2).toUpperCase()}`);

    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal(bought);
  });

  it('returns the same for a foreign address as for an unknown one', async () => {
    const [partner, other, buyer] = await Promise.all([service.partner(), service.partner(), service.buyer()]);
    await service.buy(partner, buyer);
    const unknownAddress = `0x${'9'.repeat(40)}`;

    const replies = await Promise.all(
      [buyer.wallet, unknownAddress].map((wallet) => other.get(`${REGISTER}/status/${wallet}`)),
    );

    expect(replies.map(({ body }) => body)).to.deep.equal([
      { ...unknown, ex_address: buyer.wallet },
      { ...unknown, ex_address: unknownAddress },
    ]);
  });

  for (const malformed of ['0x12', 'nobody', `0x${'g'.repeat(40)}`, `${'a'.repeat(40)}`]) {
    it(`rejects ${malformed}`, async () => {
      const partner = await service.partner();

      expectProblem(await partner.get(`${REGISTER}/status/${malformed}`), 'INVALID_REQUEST');
    });
  }

  it('does not call the registrar', async () => {
    const [partner, buyer] = await Promise.all([service.partner(), service.buyer()]);
    await service.buy(partner, buyer);
    service.registrar.faults.add({ kind: 'hang' });

    const reply = await partner.get(`${REGISTER}/status/${buyer.wallet}`);
    service.registrar.faults.clear();

    expect(reply.body).to.include({ status: 'registered' });
  });
});
