import { randomUUID } from 'node:crypto';
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

  it('stays linked: a repeat gets the result of the first, also once the proof has ended', async () => {
    const owner = await service.wallet();
    const [named, key] = [{ ex_address: owner.wallet, payout_address: PAYOUT }, randomUUID()];
    const first = await owner.post(REGISTER, named, { key });
    await owner.delete(`/v1/sessions/${owner.wallet}`);

    const again = await owner.post(REGISTER, named, { key });

    expect(again.body).to.deep.equal(first.body);
    expect(again.headers['idempotent-replayed']).to.equal('true');
    expectProblem(await owner.post(REGISTER, named, { key: randomUUID() }), 'V1_WALLET_UNPROVEN', { effect: 'none' });
  });
});
