import { expect } from 'chai';
import type { Caller } from '../support/caller.ts';
import { expectProblem } from '../support/problem.ts';
import { REGISTER, type RegistrationService, startRegistrationService } from '../support/registration.ts';

const PRICE = 119_000_000n;

describe('registerExvenueTrader', () => {
  let service: RegistrationService;
  let partner: Caller;
  before(async () => {
    service = await startRegistrationService();
    partner = await service.partner();
  });
  after(() => service.stop());

  afterEach('no key is left', async () => {
    expect(await service.keys()).to.equal(0);
    service.registrar.faults.clear();
  });

  it('pays the price once and registers', async () => {
    const buyer = await service.buyer();

    const reply = await service.buy(partner, buyer);

    const [transfer, ...others] = await service.paidBy(buyer);
    expect(reply.status).to.equal(200);
    expect(transfer).to.include({ value: PRICE, txHash: reply.body.tx_hash });
    expect(transfer?.to).to.equal(service.registrar.payTo);
    expect(others).to.be.empty;
    expect(reply.body).to.include({ status: 'registered', ex_address: buyer.wallet, account_size: 25_000 });
    expect(reply.body).to.include({ is_terminal: true, is_success: true });
    expect(reply.body.registration_id).to.equal(reply.headers['intent-id']);
  });
});
