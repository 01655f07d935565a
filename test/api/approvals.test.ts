import { expect } from 'chai';
import { sql } from 'slonik';
import { listOperations } from '../../src/contract/document.ts';
import { fresh, type TestAdmin, type TestApp } from '../support/identity.ts';
import { checkOut } from '../support/money.ts';
import { expectApiError } from '../support/operator.ts';
import { startTrading, type Trading } from '../support/trading.ts';

const LIMIT_CENTS = 10_000;
const SECRET = 'key of a miner';
const PARTNERS = '/v2/admin/partners';
const APPROVALS = '/v2/admin/approvals';

describe('requests of operators that need a second operator', function () {
  this.timeout(30_000);
  let service: Trading;
  let [one, two]: TestAdmin[] = [];
  before(async () => {
    service = await startTrading({ settings: { DUAL_CONTROL_CENTS: String(LIMIT_CENTS) } });
    [one, two] = [await service.admin(), await service.admin()];
  });
  after(() => service.stop());

  const first = () => one as TestAdmin; // as: set before
  const second = () => two as TestAdmin;
  const mint = (by: TestAdmin, json = { name: 'Partner' }, key?: string) =>
    by.ask('POST', PARTNERS, { json, ...(key && { headers: { 'Idempotency-Key': key } }) });
  const decide = (by: TestAdmin, id: string, verb: 'approve' | 'reject' = 'approve') =>
    by.ask('POST', `${APPROVALS}/${id}/${verb}`, { json: { reason: 'called back' } });
  const auditOf = async (subject: string) =>
    (await first().ask('GET', `/v2/admin/audit?subject=${encodeURIComponent(subject)}`)).body;

  it('do nothing until another operator approves, then once what was asked for; the audit names both', async () => {
    const name = fresh('approved');

    const asked = await mint(first(), { name }, 'one-key');
    const again = await mint(first(), { name }, 'one-key');

    expectApiError(asked, 'V2_APPROVAL_REQUIRED');
    expect(asked.status).to.equal(202);
    const { approval_id: id, effect } = asked.body.error;
    expect([effect, again.body.error.approval_id]).to.deep.equal(['none', id]);
    expect(asked.headers.get('location')).to.equal(`${APPROVALS}/${id}`);
    const polled = await first().ask('GET', String(asked.headers.get('location')));
    expectApiError(await first().ask('GET', `${APPROVALS}/apv_nobody`), 'V2_APPROVAL_UNKNOWN');
    const [listed] = (await second().ask('GET', `${APPROVALS}?open=true&limit=1`)).body;
    expect(listed).to.deep.include({
      approval_id: id,
      operation: 'registerPartner',
      status: 'pending',
      summary: { name },
    });
    expect(listed).to.include({ requested_by: first().adminId, requested_by_name: first().email, role: 'admin' });

    expect(polled.body).to.deep.equal(listed);

    const approved = await decide(second(), id);
    expect((await first().ask('GET', `${APPROVALS}/${id}`)).body).to.deep.equal(approved.body);
    const other = await mint(second(), { name });
    const made = await mint(first(), { name }, 'one-key');
    const replayed = await mint(first(), { name }, 'one-key');

    expect(approved.body).to.include({
      status: 'approved',
      decided_by: second().adminId,
      decided_because: 'called back',
    });
    expectApiError(other, 'V2_APPROVAL_REQUIRED');
    expect(made.body.key).to.match(/^tpk_/);
    expect(replayed.body).to.deep.equal(made.body);
    const anew = await mint(first(), { name });
    expectApiError(anew, 'V2_APPROVAL_REQUIRED');
    expect(anew.body.error.approval_id).to.match(/^apv_/).and.not.equal(id);
    const [used] = (await auditOf(name)).filter(({ action }: { action: string }) => action === 'approval.use');
    expect(used.actor).to.equal(`admin:${first().adminId}`);
    expect(used.detail).to.deep.include({
      approval_id: id,
      approved_by: second().adminId,
      operation: 'registerPartner',
    });
  });

  it('are no other request: another body, another operator, a rejected or expired one', async () => {
    const name = fresh('rejected');
    const { approval_id: id } = (await mint(first(), { name })).body.error;
    expect((await decide(second(), id, 'reject')).body).to.include({ status: 'rejected' });
    const anew = (await mint(first(), { name })).body.error.approval_id;
    await decide(second(), anew);
    await service.db.query(sql.unsafe`update approvals set expires_at = now() where id = ${anew}`);

    expect(anew).not.to.equal(id);
    expectApiError(await mint(first(), { name }), 'V2_APPROVAL_REQUIRED');
    const third = (await mint(first(), { name })).body.error.approval_id;
    expect(third).to.match(/^apv_/).and.not.equal(anew);
    await decide(second(), third);
    expectApiError(await mint(first(), { name: `${name} too` }), 'V2_APPROVAL_REQUIRED');
    expectApiError(await mint(second(), { name }), 'V2_APPROVAL_REQUIRED');
  });

  it('are decided once, by another operator who has the role', async () => {
    const { approval_id: id } = (await mint(first(), { name: fresh('own') })).body.error;
    const support = await service.admin(true, 'support');

    expectApiError(await decide(first(), id), 'V2_OPERATOR_SELF');
    expectApiError(await decide(support, id), 'V2_ROLE_MISSING');
    expectApiError(await decide(second(), 'apv_nobody'), 'V2_APPROVAL_UNKNOWN');
    await decide(second(), id);
    expectApiError(await decide(second(), id, 'reject'), 'V2_APPROVAL_DECIDED');
  });

  it('of an operator who is disabled are worth nothing', async () => {
    const [name, leaver] = [fresh('leaver'), await service.admin()];
    const { approval_id: id } = (await mint(leaver, { name })).body.error;

    await first().ask('POST', `/v2/admin/operators/${leaver.adminId}/disable`, { json: { reason: 'left' } });

    expectApiError(await decide(second(), id), 'V2_APPROVAL_DECIDED');
  });

  it('that were given by an operator who is disabled since, or whose sessions were ended, are worth nothing', async () => {
    for (const verb of ['disable', 'end-sessions', 'reset-authenticator']) {
      const [name, decider] = [fresh('given'), await service.admin()];
      const { approval_id: id } = (await mint(first(), { name })).body.error;
      await decide(decider, id);

      const ended = await second().ask('POST', `/v2/admin/operators/${decider.adminId}/${verb}`, {
        json: { reason: 'stolen' },
      });
      if (ended.status === 202) {
        await decide(first(), ended.body.error.approval_id);
        await second().ask('POST', `/v2/admin/operators/${decider.adminId}/${verb}`, { json: { reason: 'stolen' } });
      }

      const executed = await mint(first(), { name });
      expectApiError(executed, 'V2_APPROVAL_REQUIRED');
      expect(executed.body.error.approval_id, verb).not.to.equal(id);
    }
  });

  it('are worth nothing once the request would do something else than was approved', async () => {
    const user = await service.user(await service.app(['api']));
    const { payment_id } = await checkOut(user.ask);
    const refund = () =>
      first().ask('POST', `/v2/admin/payments/${payment_id}/refund`, { json: { reason: 'asked for it' } });
    const { approval_id: id } = (await refund()).body.error;
    await decide(second(), id);

    await service.db.query(sql.unsafe`update payments set amount_cents = amount_cents + 1 where id = ${payment_id}`);
    const changed = await refund();

    expectApiError(changed, 'V2_APPROVAL_REQUIRED');
    expect(changed.body.error.approval_id).not.to.equal(id);
  });

  it('executed 20 times at once with one approval are executed once', async () => {
    const name = fresh('race');
    await decide(second(), (await mint(first(), { name })).body.error.approval_id);

    const replies = await Promise.all(Array.from({ length: 20 }, () => mint(first(), { name })));

    expect(replies.filter(({ status }) => status === 200)).to.have.length(1);
    const count = await service.db.any(sql.unsafe`select from partners where name = ${name}`);
    expect(count).to.have.length(1);
  });

  it('are those about more money than the limit, and not those about less', async () => {
    const app: TestApp = await service.app(['api']);
    const user = await service.user(app);
    const { payment_id } = await checkOut(user.ask);
    const refund = () =>
      first().ask('POST', `/v2/admin/payments/${payment_id}/refund`, { json: { reason: 'asked for it' } });

    const large = await refund();
    await service.db.query(sql.unsafe`update payments set amount_cents = ${LIMIT_CENTS} where id = ${payment_id}`);
    const small = await refund();

    expectApiError(large, 'V2_APPROVAL_REQUIRED');
    expectApiError(small, 'V2_PAYMENT_NOT_REFUNDABLE');
    const received = LIMIT_CENTS + 1; // more came than the price
    await service.db.query(
      sql.unsafe`select write_payment(${payment_id}, 'succeeded', now(), ${received}, 'usd', false, true, now())`,
    );
    expectApiError(await refund(), 'V2_APPROVAL_REQUIRED');
    expectApiError(
      await first().ask('POST', '/v2/admin/payments/pay_nobody/refund', { json: { reason: 'who' } }),
      'V2_PAYMENT_UNKNOWN',
    );
  });

  it('are all that the contract says', async () => {
    const reason = 'to see';
    const partner = await service.partner();
    const { appId } = await service.app(['api']);
    const operator = `/v2/admin/operators/${second().adminId}`;
    const asked: Record<string, [method: string, path: string, json?: object]> = {
      registerPartner: ['POST', PARTNERS, { name: 'P', label: 'first' }],
      mintKeyOfPartner: ['POST', `${PARTNERS}/${partner.owner}/keys`, { label: 'x' }],
      createTenantApp: [
        'POST',
        '/v2/admin/apps',
        { name: 'A', slug: fresh('a'), scopes: ['api'], entity_hotkey: 'h', network_api_key: SECRET },
      ],
      updateTenantApp: ['PATCH', `/v2/admin/apps/${appId}`, { name: 'B', network_api_key: SECRET }],
      rotateTenantAppSecret: ['POST', `/v2/admin/apps/${appId}/rotate-secret?stolen=true`, { overlap_seconds: 60 }],
      approveAccessRequest: [
        'POST',
        `/v2/admin/app-requests/req_aaaaaaaaaaaaaaaaaaaaaaa/approve`,
        { entity_hotkey: 'h', allowed_scopes: ['api'], network_api_key: SECRET },
      ],
      reissueAccessLink: ['POST', `/v2/admin/app-requests/req_aaaaaaaaaaaaaaaaaaaaaaa/reissue`],
      moveWalletLink: [
        'POST',
        `/v2/admin/wallet-links/0x${'a'.repeat(40)}/move`,
        { partner_id: partner.owner, reason },
      ],
      inviteOperator: ['POST', '/v2/admin/operators', { email: 'x@example.com', role: 'admin', reason }],
      setOperatorRole: ['PATCH', operator, { role: 'viewer', reason }],
      enableOperator: ['POST', `${operator}/enable`, { reason }],
      resetOperatorAuthenticator: ['POST', `${operator}/reset-authenticator`, { reason }],
    };
    const elsewhere = ['refundPayment', 'reversePayout', 'resolvePayout']; // about money: above, and money/
    const pending = ['proveLedger']; // 202 until it has ended
    const declared = listOperations().filter(
      ({ id, path, responses }) => path.startsWith('/v2/admin/') && responses.has(202) && id,
    );

    expect(declared.map(({ id }) => id as string)).to.have.members([...Object.keys(asked), ...elsewhere, ...pending]);
    for (const [id, [method, path, json]] of Object.entries(asked)) {
      const reply = await first().ask(method, path, { ...(json && { json }) });
      expect([id, reply.status, reply.body?.error?.code]).to.deep.equal([id, 202, 'V2_APPROVAL_REQUIRED']);
      const [{ summary }] = (await second().ask('GET', `${APPROVALS}?limit=1`)).body;
      const { reason: _, network_api_key: key, ...members } = Object(json);
      const query = Object.fromEntries([...new URL(path, 'http://x').searchParams].map(([name]) => [name, true]));
      expect(summary, id).to.deep.include({ ...members, ...query, ...(key && { has_network_api_key: true }) });
      expect(JSON.stringify(summary)).not.to.include(SECRET);
    }
  });
});
