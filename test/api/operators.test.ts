import { expect } from 'chai';
import { sql } from 'slonik';
import { listOperations } from '../../src/contract/document.ts';
import { codeOf, fresh, type Identity, PASSWORD, startIdentity, type TestAdmin, tokenIn } from '../support/identity.ts';
import { expectApiError } from '../support/operator.ts';

const OPERATORS = '/v2/admin/operators';
const because = { json: { reason: 'joins the desk' } };

describe('operators', function () {
  this.timeout(30_000);
  let service: Identity;
  let admin: TestAdmin;
  before(async () => {
    service = await startIdentity();
    admin = await service.admin();
  });
  after(() => service.stop());

  const invite = async (role: string, by = admin) => {
    const email = `${fresh('invited')}@example.com`;
    const reply = await by.ask('POST', OPERATORS, { json: { email, role, reason: 'joins the desk' } });
    return { email, reply };
  };
  const accept = (token: string, password = PASSWORD) =>
    service.ask('POST', '/v2/admin/invitations/accept', { json: { token, password } });
  const logIn = (email: string, more = {}) =>
    service.ask('POST', '/v2/admin/login', { json: { email, password: PASSWORD, ...more } });

  it('are invited by mail, set a password once, and enroll an authenticator; nobody else learns the token', async () => {
    const { email, reply } = await invite('finance');
    const token = tokenIn((await service.mailTo(email)).text);

    expect(reply.body).to.include({ email, role: 'finance', totp_enrolled: false, active: true, open_sessions: 0 });
    expect(JSON.stringify(reply.body)).not.to.include(token);
    expectApiError(await logIn(email), 'V2_INVALID_CREDENTIALS');
    expectApiError(await accept(token, email), 'V2_PASSWORD_GUESSABLE');
    expect((await accept(token)).body).to.deep.equal({ accepted: true });
    expectApiError(await accept(token), 'V2_INVITATION_INVALID');
    expect((await logIn(email)).body).to.include({ totp_required: false, totp_enrolled: false });
    expectApiError(
      await admin.ask('POST', OPERATORS, { json: { email, role: 'admin', reason: 'twice' } }),
      'V2_OPERATOR_EXISTS',
    );
  });

  it('whose invitation has expired cannot use it', async () => {
    const { email, reply } = await invite('viewer');
    const token = tokenIn((await service.mailTo(email)).text);
    await service.db.query(
      sql.unsafe`update admins set invitation_expires_at = now() where id = ${reply.body.admin_id}`,
    );

    expectApiError(await accept(token), 'V2_INVITATION_INVALID');
    const again = await admin.ask('POST', OPERATORS, { json: { email, role: 'viewer', reason: 'it has expired' } });
    expectApiError(again, 'V2_OPERATOR_EXISTS');
    expect(again.body.error.message).to.include('Resetting its authenticator mails another invitation');
    await admin.ask('POST', `${OPERATORS}/${reply.body.admin_id}/reset-authenticator`, {
      json: { reason: 'as it says' },
    });
    const renewed = tokenIn((await service.mailTo(email, 2)).text);
    expect((await accept(renewed)).body).to.deep.equal({ accepted: true });
  });

  it('are listed with role and sessions, the newest first', async () => {
    const other = await service.admin(true, 'support');

    const { body } = await admin.ask('GET', `${OPERATORS}?limit=1`);

    expect(body).to.have.length(1);
    expect(body[0]).to.include({ admin_id: other.adminId, role: 'support', totp_enrolled: true, open_sessions: 1 });
  });

  it('have another role from the next request on', async () => {
    const other = await service.admin(true, 'viewer');
    const mint = () => other.ask('POST', '/v2/admin/partners', { json: { name: 'Partner' } });
    expectApiError(await mint(), 'V2_ROLE_MISSING');

    const changed = await admin.ask('PATCH', `${OPERATORS}/${other.adminId}`, {
      json: { role: 'admin', reason: 'promoted' },
    });

    expect(changed.body).to.include({ role: 'admin' });
    expect((await mint()).status).to.equal(200);
  });

  it('are disabled: the sessions end, and no log-in opens another until somebody enables them', async () => {
    const other = await service.admin();
    const at = `${OPERATORS}/${other.adminId}`;

    const disabled = await admin.ask('POST', `${at}/disable`, because);

    expect(disabled.body).to.include({ active: false, open_sessions: 0 });
    expectApiError(await other.ask('GET', '/v2/admin/me'), 'V2_ADMIN_SESSION_INVALID');
    expectApiError(await logIn(other.email, { totp_code: codeOf(other.seed, 1) }), 'V2_INVALID_CREDENTIALS');
    await admin.ask('POST', `${at}/enable`, because);
    expect((await logIn(other.email, { totp_code: codeOf(other.seed, 1) })).status).to.equal(200);
  });

  it('lose their sessions, and only these', async () => {
    const other = await service.admin();

    const ended = await admin.ask('POST', `${OPERATORS}/${other.adminId}/end-sessions`, because);

    expect(ended.body).to.deep.equal({ ended: 1 });
    expectApiError(await other.ask('GET', '/v2/admin/me'), 'V2_ADMIN_SESSION_INVALID');
    expect((await admin.ask('GET', '/v2/admin/me')).status).to.equal(200);
  });

  it('who lost the authenticator start again by mail: a thief of the password gets in no more', async () => {
    const other = await service.admin();

    const reset = await admin.ask('POST', `${OPERATORS}/${other.adminId}/reset-authenticator`, because);
    const token = tokenIn((await service.mailTo(other.email)).text);

    expect(reset.body).to.include({ totp_enrolled: false, open_sessions: 0 });
    expectApiError(await logIn(other.email), 'V2_INVALID_CREDENTIALS');
    expect((await accept(token)).status).to.equal(200);
    expect((await logIn(other.email)).body).to.include({ totp_enrolled: false });
  });

  it('who are disabled are left no password either, and are mailed nothing until somebody enables and invites them', async () => {
    const other = await service.admin();
    const at = `${OPERATORS}/${other.adminId}`;
    await admin.ask('POST', `${at}/disable`, because);

    const reset = await admin.ask('POST', `${at}/reset-authenticator`, because);
    await admin.ask('POST', `${at}/enable`, because);

    expect(reset.body).to.include({ totp_enrolled: false, active: false });
    expectApiError(await logIn(other.email), 'V2_INVALID_CREDENTIALS');
    expect(service.mailbox.mails(other.email)).to.deep.equal([]);
    await admin.ask('POST', `${at}/reset-authenticator`, because);
    expect((await accept(tokenIn((await service.mailTo(other.email)).text))).status).to.equal(200);
  });

  it('change nothing about themselves, and nobody unknown', async () => {
    for (const verb of ['disable', 'enable', 'reset-authenticator']) {
      expectApiError(await admin.ask('POST', `${OPERATORS}/${admin.adminId}/${verb}`, because), 'V2_OPERATOR_SELF');
      expectApiError(await admin.ask('POST', `${OPERATORS}/adn_nobody/${verb}`, because), 'V2_OPERATOR_UNKNOWN');
    }
    expectApiError(await admin.ask('POST', `${OPERATORS}/adn_nobody/end-sessions`, because), 'V2_OPERATOR_UNKNOWN');
    const role = { json: { role: 'viewer', reason: 'less' } };
    expectApiError(await admin.ask('PATCH', `${OPERATORS}/${admin.adminId}`, role), 'V2_OPERATOR_SELF');
  });

  it('have one admin at least, also by psql', async () => {
    const other = await service.admin();
    await service.db.query(
      sql.unsafe`update admins set role = 'viewer' where id not in (${admin.adminId}, ${other.adminId})`,
    );
    await admin.ask('POST', `${OPERATORS}/${other.adminId}/disable`, because);
    const run = (verb: string) =>
      service.db.oneFirst(sql.unsafe`select ops.${sql.identifier([verb])}(${admin.email}, 'ada', 'gone') as verdict`);

    expect(await run('disable_operator')).to.equal('last_admin');
    expect(await run('enable_operator')).to.equal('done');
    expect(await run('end_operator_sessions')).to.equal(1);
    expect(await run('remove_operator_authenticator')).to.equal('done');
    expectApiError(await admin.ask('GET', '/v2/admin/me'), 'V2_ADMIN_SESSION_INVALID');
    const [shown] = await service.db.any(sql.unsafe`select * from ops.operators o where o.id = ${admin.adminId}`);
    expect(shown).to.include({ role: 'admin', has_authenticator: false, open_sessions: 0 });
  });

  it('all need a role, which the table of operations names', () => {
    const without = listOperations()
      .filter(({ path, isOpen }) => path.startsWith('/v2/admin/') && !isOpen)
      .filter(({ security }) =>
        security.some(
          (set) => !set.some(({ roles }) => roles.some((role) => /^(viewer|support|finance|admin)$/.test(role))),
        ),
      );

    expect(without.map(({ id }) => id)).to.deep.equal([]);
  });
});
