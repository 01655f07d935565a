import { expect } from 'chai';
import { type LostResponses, loseResponses } from '../../support/lost-response.ts';
import { accountIn, type Money, startMoney, tierDemo } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';

describe('openFreeAccount whose connection to the database breaks once the account is accepted', () => {
  let reads: LostResponses;
  let service: Money;
  before(async () => {
    reads = loseResponses('account_of_intent');
    service = await startMoney();
    await service.stopWorkers(); // they read the account as well
  });
  after(async () => {
    reads.restore();
    await service.stop();
  });

  it('denies no effect, names the intent, and a repeat opens no second account', async () => {
    const open = () =>
      service.buyer.ask('POST', '/v2/payments/free', { json: tierDemo, headers: { Prefer: 'wait=0' } });
    reads.toLose = 1;

    const lost = await open();
    const again = await open();

    expect(reads.lost).to.equal(1);
    expectRejected(lost, 'SERVICE_UNAVAILABLE', { effect: 'unknown', retryable: false });
    expect(lost.body.error.intent_id).to.equal(again.headers.get('intent-id'));
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect(await accountIn(service.buyer.ask, 'provisioning')).to.have.property('id', again.body.id);
  });
});
