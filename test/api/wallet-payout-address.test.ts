import { expect } from 'chai';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const PAYOUT = `0x${'ab'.repeat(20)}`;
const REGISTER = '/v1/register/netvenue';

describe('a wallet of somebody else', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('is not linked with a payout address of somebody who has not proven it', async () => {
    const owner = await service.wallet();
    const squatter = await service.partner();
    const named = { ex_address: owner.wallet, payout_address: PAYOUT };

    expectProblem(await squatter.post(REGISTER, named), 'V1_WALLET_UNPROVEN', { effect: 'none' });
    expect((await owner.post(REGISTER, named)).status).to.equal(200);
  });
});
