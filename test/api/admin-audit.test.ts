import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { asking, bearer, type TestAdmin } from '../support/identity.ts';
import {
  expectApiError,
  failedAccount,
  intentAt,
  type OperatorConsole,
  openOperatorConsole,
} from '../support/operator.ts';

/** Longer than an entry of an index may be. */
const LONG = randomBytes(4_500).toString('base64url');

type Entry = Awaited<ReturnType<OperatorConsole['storedOf']>>[number];

/** What an operator must give a reason for, as the contract's second round lists it. */
const NEED_A_REASON: [path: (ids: { account: string; payment: string }) => string, body: object][] = [
  [({ payment }) => `/v2/admin/payments/${payment}/refund`, {}],
  [({ account }) => `/v2/admin/prop-accounts/${account}/provision`, {}],
  [({ account }) => `/v2/admin/prop-accounts/${account}/attach`, { subaccount_id: 7 }],
  [({ account }) => `/v2/admin/prop-accounts/${account}/reinstate`, {}],
  [({ account }) => `/v2/admin/prop-accounts/${account}/abandon`, {}],
];

describe('the audit log over HTTP', () => {
  let desk: OperatorConsole;
  before(async () => {
    desk = await openOperatorConsole();
  });
  after(() => desk.stop());

  const lines = (entries: Entry[]) =>
    entries.map(({ action, detail }) => `${action} ${detail.rejected ?? detail.verdict}`);

  it('requires a reason for every recovery, and records the attempt without one', async () => {
    for (const [path, body] of NEED_A_REASON) {
      const account = await failedAccount(desk.session);
      const ids = { account: account.id, payment: account.paymentId };
      for (const given of [{}, { reason: '' }, { reason: ' \t ' }, { reason: 'x'.repeat(501) }])
        expectApiError(await desk.post(path(ids), { json: { ...body, ...given } }), 'INVALID_REQUEST');

      const subject = path(ids).includes('payments') ? account.paymentId : account.id;
      const stored = await desk.storedOf(subject);
      expect(stored.map(({ detail }) => detail.rejected)).to.deep.equal(Array(4).fill('INVALID_REQUEST'));
      expect(stored.every(({ actor }) => actor === `admin:${desk.admin.adminId}`)).to.equal(true);
    }
  });

  it('shows executed and rejected recoveries with reason and operator', async () => {
    const account = await failedAccount(desk.session, { paid: false });
    const path = `/v2/admin/prop-accounts/${account.id}`;
    const why = (reason: string) => ({ json: { reason } });

    expectApiError(await desk.post(`${path}/reinstate`, why('first')), 'V2_ACCOUNT_NOT_FAILED');
    expect(await desk.post(`${path}/abandon`, why('x'))).to.have.property('status', 200);
    expectApiError(await desk.post(`${path}/provision`, why('third')), 'V2_ACCOUNT_NOT_FAILED');
    expectApiError(
      await desk.post('/v2/admin/payments/pay_nobody/refund', why('fourth')),
      'V2_PAYMENTS_NOT_CONFIGURED',
    );

    const stored = (await desk.storedOf(account.id)).toReversed();
    expect(lines(stored)).to.deep.equal([
      'reinstatePropAccount V2_ACCOUNT_NOT_FAILED',
      'abandon done',
      'provisionAgain V2_ACCOUNT_NOT_FAILED',
    ]);
    expect(stored.map(({ detail }) => detail.why)).to.deep.equal(['first', 'x', 'third']);
    expect((await desk.storedOf('pay_nobody'))[0]).to.deep.include({
      actor: `admin:${desk.admin.adminId}`,
      action: 'refundPayment',
      detail: { why: 'fourth', rejected: 'V2_PAYMENTS_NOT_CONFIGURED' },
    });
  });

  it('names who acted, and what was acted on', async () => {
    const { service, admin, session } = desk;
    const app = await service.app();
    const { body: partner } = await admin.ask('POST', '/v2/admin/partners', { json: { name: 'Named partner' } });
    const { body: another } = await admin.ask('POST', `/v2/admin/partners/${partner.partner_id}/keys`);
    await admin.ask('DELETE', `/v2/admin/partner-keys/${another.key_id}`);
    await admin.ask('POST', `/v2/admin/apps/${app.appId}/disable`);
    const account = await failedAccount(session, { paid: false });
    await desk.post(`/v2/admin/prop-accounts/${account.id}/abandon`);
    const intent = await intentAt(session, 'succeeded');
    await desk.post(`/v2/admin/intents/${intent}/rerun`);
    await session.query(`select * from ops.rerun($1, 'ada at psql', 'to be sure')`, [intent]);

    const nameOf = async (subject: string) => {
      const [{ actor_name, subject_name }] = (await desk.get(`/v2/admin/audit?subject=${subject}&limit=1`)).body;
      return [actor_name, subject_name];
    };

    expect(await nameOf(app.appId)).to.deep.equal([admin.email, 'Example app']);
    expect(await nameOf(partner.partner_id)).to.deep.equal([admin.email, 'Named partner']);
    expect(await nameOf(another.key_id)).to.deep.equal([admin.email, 'Named partner']);
    expect((await nameOf(account.id))[1]).to.match(/@example\.com$/);
    expect(await nameOf(intent)).to.deep.equal([null, 'network/place']);
    expect(await nameOf(admin.adminId)).to.deep.equal([admin.email, admin.email]);
    expect(await nameOf('pay_nobody')).to.deep.equal([admin.email, null]);
  });

  it('keeps a row of every rejected write of an operator, and none of reads', async () => {
    const attempts: [...Parameters<TestAdmin['ask']>, subject: string | null][] = [
      ['POST', '/v2/admin/apps/app_gone/disable', {}, 'app_gone'],
      ['PATCH', '/v2/admin/apps/app_gone', { json: { name: 'New' } }, 'app_gone'],
      ['POST', '/v2/admin/partners/ptn_gone/keys', {}, 'ptn_gone'],
      ['DELETE', '/v2/admin/partner-keys/pk_gone', {}, 'pk_gone'],
      ['PUT', '/v2/admin/tiers/tier_bad', { json: { market: 'x' } }, 'tier_bad'],
      ['POST', '/v2/admin/operators/a%00/disable', { json: {} }, 'a\ufffd'],
      ['POST', `/v2/admin/operators/${LONG}/disable`, { json: {} }, LONG.slice(0, 200)],
      ['GET', '/v2/admin/partners/ptn_gone/keys', {}, null],
    ];
    for (const [method, path, options, subject] of attempts) {
      const before = (await desk.get('/v2/admin/audit?limit=1')).body[0];
      const { status, body } = await desk.admin.ask(method, path, options);
      const newest = (await desk.get('/v2/admin/audit?limit=1')).body[0];

      expect(status, path).to.be.within(400, 499);
      if (subject === null) expect(newest, path).to.deep.equal(before);
      else expect(newest, path).to.deep.include({ subject, detail: { rejected: body.error.code } });
    }
  });

  it('keeps a row of every write of an operator without an authenticator, and none of reads', async () => {
    const { token, adminId } = await desk.service.admin(false);
    const ask = asking(desk.service.url, bearer(token));
    const writes: [method: string, path: string, subject: string | null, action: string][] = [
      ['POST', '/v2/admin/partners', null, 'registerPartner'],
      ['POST', '/v2/admin/prop-accounts/prop_1/abandon', 'prop_1', 'abandonPropAccount'],
      ['DELETE', '/v2/admin/partner-keys/pky_1', 'pky_1', 'revokeKeyOfPartner'],
      ['POST', `/v2/admin/operators/${desk.admin.adminId}/release`, desk.admin.adminId, 'releaseOperator'],
      ['POST', '/v2/admin/operators/a%00/release', 'a\ufffd', 'releaseOperator'],
      ['POST', `/v2/admin/operators/${LONG}/release`, LONG.slice(0, 200), 'releaseOperator'],
    ];
    for (const [method, path, subject, action] of writes) {
      expectApiError(await ask(method, path, { json: { reason: 'curious' } }), 'V2_TOTP_REQUIRED');
      const [newest] = (await desk.get('/v2/admin/audit?limit=1')).body;

      const actor = `admin:${adminId}`;
      expect(newest).to.deep.include({ actor, action, subject, detail: { rejected: 'V2_TOTP_REQUIRED' } });
    }
    const before = (await desk.get('/v2/admin/audit?limit=1')).body[0];
    expectApiError(await ask('GET', '/v2/admin/partners'), 'V2_TOTP_REQUIRED');
    expect((await desk.get('/v2/admin/audit?limit=1')).body[0]).to.deep.equal(before);
  });

  for (const [what, attempt] of Object.entries<(desk: OperatorConsole) => Promise<{ status: number }>>({
    'a refund': async ({ session }) => {
      const { paymentId } = await failedAccount(session);
      const call = `select refund_payment($1, 'admin:adn_1', 'why', gen_random_uuid(), 60, 'req_1')`;
      return session.query(call, [paymentId]).then(
        () => ({ status: 200 }),
        () => ({ status: 500 }),
      );
    },
    'a tier': ({ admin }) =>
      admin.ask('PUT', '/v2/admin/tiers/tier_unaudited', {
        json: { market: 'crypto', asset_class: 'crypto', account_size: 1_000, amount_cents: 100 },
      }),
    'an abandoned account': async ({ session, post }) =>
      post(`/v2/admin/prop-accounts/${(await failedAccount(session, { paid: false })).id}/abandon`),
    'a re-run': async ({ session, post }) => post(`/v2/admin/intents/${await intentAt(session, 'in_doubt')}/rerun`),
    'a new partner': ({ admin }) => admin.ask('POST', '/v2/admin/partners', { json: { name: 'Unaudited' } }),
  }))
    it(`cannot be missed by ${what}: without its row nothing is changed`, async () => {
      const count = async () =>
        (
          await desk.session.query(`
            select (select count(*) from intents where kind = 'payments/refund') as refunds,
              (select count(*) from tiers) as tiers, (select count(*) from partners) as partners,
              (select count(*) from prop_accounts where abandoned_at is not null) as abandoned`)
        )[0];
      await desk.session.query(`
        create function lose_row() returns trigger language plpgsql as 'begin raise exception ''the audit is away''; end';
        create trigger lost before insert on admin_audit for each row execute function lose_row();
        create trigger lost before insert on operator_actions for each row execute function lose_row()`);
      const before = await count();

      const { status } = await attempt(desk).finally(() => desk.session.query('drop function lose_row() cascade'));

      expect(status).to.equal(500);
      expect(await count()).to.deep.equal(before);
    });
});
