import { expect } from 'chai';
import { sql } from 'slonik';
import { type Money, startMoney } from '../../support/money.ts';

const BEGIN = '/v2/kyc/processor-identity/session';

/** The processor notifies of nothing: what its sessions show is read. */
describe('an identity verification that is begun again', function () {
  this.timeout(30_000);
  let service: Money;
  before(async () => {
    service = await startMoney({ notified: false, settings: { PAYMENT_RECONCILE_MS: '1000' } });
  });
  after(() => service.stop());

  it('is read for 30 days from then, however long ago the user’s first one was', async () => {
    const user = await service.user(service.tenant);
    await user.ask('POST', BEGIN);
    await service.db.query(sql.unsafe`
      update kyc_cases
      set created_at = now() - interval '31 days', reconciled_at = now() - interval '1 day'
      where user_id = ${user.userId}`);
    const { body } = await user.ask('POST', BEGIN);

    await service.control('verification', { id: body.session_id, to: 'verified' });
    await service.db.query(sql.unsafe`
      update kyc_cases set reconciled_at = now() - interval '1 minute' where user_id = ${user.userId}`);
    await service.runTask('kyc/reconcile');

    expect((await user.ask('GET', '/v2/kyc/status')).body).to.include({ kyc_status: 'verified' });
  });
});
