import { expect } from 'chai';
import { sql } from 'slonik';
import type { VerificationSeen } from '../../../src/adapters/processor/types.ts';
import { applyVerification } from '../../../src/capabilities/kyc/store.ts';
import { fresh } from '../../support/identity.ts';
import { type Money, startMoney } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';

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

  it('returns its first response to a repeat under its key, also once the user is verified', async () => {
    const user = await service.user(service.tenant);
    const once = { headers: { 'Idempotency-Key': fresh('once') } };
    const first = await user.ask('POST', BEGIN, once);
    await service.control('verification', { id: first.body.session_id, to: 'verified' });
    await service.db.query(sql.unsafe`
      update kyc_cases set reconciled_at = now() - interval '1 minute' where user_id = ${user.userId}`);
    await service.runTask('kyc/reconcile');

    const again = await user.ask('POST', BEGIN, once);
    const another = await user.ask('POST', BEGIN, { headers: { 'Idempotency-Key': fresh('once') } });

    expect(again.status, JSON.stringify(again.body)).to.equal(200);
    expect(again.body).to.deep.equal(first.body);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expectRejected(another, 'V2_KYC_VERIFIED', { effect: 'none' });
  });

  it('ends in the state that the newest event reports, whatever comes late or was read between', async () => {
    const user = await service.user(service.tenant);
    const { body } = await user.ask('POST', BEGIN);
    const shown = async (
      status: VerificationSeen['status'],
      failure: string | null,
      atS: number,
      event: string | null,
    ) => {
      await service.db.transaction((tx) =>
        applyVerification(
          tx,
          { sessionId: body.session_id, status, failure },
          atS * 1_000,
          event ? 'event' : 'reading',
        ),
      );
      return (await user.ask('GET', '/v2/kyc/status')).body.kyc_status;
    };
    const nowS = Math.floor(Date.now() / 1_000) + 60;

    expect(await shown('processing', null, nowS, 'evt_1')).to.equal('processing');
    expect(await shown('processing', null, nowS + 20, 'evt_3')).to.equal('processing');
    expect(await shown('requires_input', 'document_expired', nowS + 10, 'evt_2')).to.equal('processing');
    expect(await shown('processing', null, nowS + 40, null)).to.equal('processing');
    expect(await shown('requires_input', 'document_expired', nowS + 39, 'evt_4'), 'our clock is ahead').to.equal(
      'needs_input',
    );
  });
});
