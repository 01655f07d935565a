import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { resetAdmin } from '../../src/capabilities/admin/commands.ts';
import { digest, newSecret } from '../../src/kernel/ids.ts';
import { asking, bearer, codeOf, type Identity, startIdentity, type TestAdmin, tokenIn } from '../support/identity.ts';
import { expectRejected } from '../support/rejected.ts';

const NEW_PASSWORD = 'a new horse battery';
const WAITING_MS = 200;

describe('what is done to one operator at once', () => {
  let service: Identity;
  before(async () => {
    service = await startIdentity();
  });
  after(() => service.stop());

  /** Runs `change` while a log-in, with the password alone, holds the operator. Returns the token of its session. */
  async function duringLogIn({ adminId }: TestAdmin, change: () => Promise<unknown>): Promise<string> {
    const token = newSecret('adm');
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
    const logIn = service.db.transaction(async (tx) => {
      await tx.query(sql.type(z.object({}))`
        select open_admin_session(a.id, a.password_hash, null, null, ${`ads_${adminId}`}, ${sql.binary(digest(token))}, 3600)
        from admins a
        where a.id = ${adminId}`);
      hold();
      await sleep(WAITING_MS);
    });
    await isHeld;
    await Promise.all([logIn, change()]);
    return token;
  }

  const me = (token: string) => asking(service.url, bearer(token))('GET', '/v2/admin/me');

  it('ends a session of the password alone that was opened as the authenticator was confirmed', async () => {
    const admin = await service.admin(false);
    const { body } = await admin.ask('POST', '/v2/admin/totp/enroll');

    const token = await duringLogIn(admin, async () => {
      const confirmed = await admin.ask('POST', '/v2/admin/totp/confirm', { json: { code: codeOf(body.secret) } });
      expect(confirmed.status).to.equal(200);
    });

    expectRejected(await me(token), 'V2_ADMIN_SESSION_INVALID');
    expect((await me(admin.token)).body).to.include({ totp_enrolled: true });
  });

  it('ends a session that was opened as the operator was reset by script', async () => {
    const admin = await service.admin(false);

    const token = await duringLogIn(admin, () => resetAdmin(service.db, admin.email, NEW_PASSWORD, true));

    expectRejected(await me(token), 'V2_ADMIN_SESSION_INVALID');
  });

  it('ends an invitation, and withdraws approvals, when the operator is reset by script', async () => {
    const [admin, other] = [await service.admin(), await service.admin()];
    const json = { reason: 'lost the phone' };
    await other.ask('POST', `/v2/admin/operators/${admin.adminId}/reset-authenticator`, { json });
    const invitation = tokenIn((await service.mailTo(admin.email)).text);
    await service.db.query(sql.unsafe`
      insert into approvals (id, operation, subject, digest, summary, role, requested_by, decision, decided_by, decided_at, expires_at)
      values (${`apv_${admin.adminId}`}, 'refundPayment', 'pay_1', 'digest', '{}', 'finance', ${other.adminId}, 'approved', ${admin.adminId}, now(),
        now() + interval '1 day')`);

    await resetAdmin(service.db, admin.email, NEW_PASSWORD, true);
    const accepted = await service.ask('POST', '/v2/admin/invitations/accept', {
      json: { token: invitation, password: 'the password of a thief' },
    });
    const approval = await other.ask('GET', '/v2/admin/approvals');

    expect(invitation).not.to.equal('');
    expectRejected(accepted, 'V2_INVITATION_INVALID');
    expect(approval.body.find(({ subject }: { subject: string }) => subject === 'pay_1').status).to.equal('expired');
  });

  it('gives no approval by a role that is taken away while it is being given', async () => {
    const [admin, other] = [await service.admin(), await service.admin(true, 'finance')];
    const id = `apv_${other.adminId}`;
    await service.db.query(sql.unsafe`
      insert into approvals (id, operation, subject, digest, summary, role, requested_by, expires_at)
      values (${id}, 'refundPayment', 'pay_2', 'digest', '{}', 'finance', ${admin.adminId}, now() + interval '1 day')`);
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
    const demotion = service.db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select set_operator_role(${other.adminId}, ${admin.adminId}, 'viewer')`);
      hold();
      await sleep(WAITING_MS);
    });
    await isHeld;

    const json = { reason: 'looks right' };
    const [approved] = await Promise.all([other.ask('POST', `/v2/admin/approvals/${id}/approve`, { json }), demotion]);

    expectRejected(approved, 'V2_ROLE_MISSING');
    expect((await admin.ask('GET', `/v2/admin/approvals/${id}`)).body).to.include({ status: 'pending' });
  });
});
