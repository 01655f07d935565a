import { expect } from 'chai';
import { sql } from 'slonik';
import type { Caller } from '../support/caller.ts';
import { type Identity, startIdentity, type TestAdmin } from '../support/identity.ts';
import { eventually } from '../support/money.ts';
import { expectApiError } from '../support/operator.ts';
import { market } from '../support/orders.ts';
import { twice } from '../support/twice.ts';

const REGISTER = '/v1/register/netvenue';
const CREATE = '/miner/api/create-';
let sizes = 20_000;

describe('a registration at the network whose subaccount cannot be distinguished from others', function () {
  this.timeout(30_000);
  let service: Identity;
  let operator: TestAdmin;
  before(async () => {
    const settings = { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350', NETVENUE_ENTITY_USE: 'shared' };
    service = await startIdentity(settings);
    operator = await service.admin();
  });
  after(() => service.stop());

  /** A registration that was carried out, unheard, at an entity where others create subaccounts too. */
  async function ambiguous(partner: Caller, asked: object = {}) {
    const account_size = ++sizes;
    service.miner.faults.add({ kind: 'accept_then_drop', route: CREATE, times: 1 });
    const pending = await partner.post(
      REGISTER,
      { asset_class: 'crypto', account_size, ...asked },
      { prefer: 'wait=0' },
    );
    const ended = await partner.poll(pending);
    expect(ended.problem).to.include({ code: 'SUBACCOUNT_AMBIGUOUS' });
    const made = service.miner.ledger.entries().findLast(({ kind }) => kind === 'subaccount');
    const id = String(pending.headers['intent-id']);
    return {
      id,
      account_size,
      subaccount_id: Number(made?.subaccount_id),
      path: `/v2/admin/registrations/${id}/attach`,
    };
  }
  const bodyOf = (subaccount_id: unknown) => ({ json: { subaccount_id, reason: 'the network says so' } });
  const listed = async (id: string) => {
    const { body } = await operator.ask('GET', '/v2/admin/intents?state=undecided');
    return body.some(({ intent_id }: { intent_id: string }) => intent_id === id);
  };

  it('gets it from an operator: then it trades, the partner hears of it, and nobody is asked any more', async () => {
    const partner = await service.partner();
    const { id, account_size, subaccount_id, path } = await ambiguous(partner);
    const before = await listed(id);

    const attached = await twice(operator.ask, 'POST', path, bodyOf(subaccount_id));

    const subaccount = { subaccount_id, asset_class: 'crypto', account_size };
    expect(attached.body).to.include({ intent_id: id }).and.deep.include({ subaccount });
    expect([before, await listed(id)]).to.deep.equal([true, false]);
    const events = (await partner.get('/v1/events?type=subaccount.updated')).body;
    expect(events.at(-1).data).to.include({ subaccount_id, account_size });
    const headers = { 'Trader-ID': String(subaccount_id) };
    const order = await eventually(async () => {
      const placed = await partner.post('/v1/orders/netvenue', market(), { headers });
      return placed.status === 200 && placed;
    });
    expect(order.body).to.include({ success: true });
    const audit = (await operator.ask('GET', `/v2/admin/audit?subject=${id}`)).body;
    expect(audit[0]).to.deep.include({ action: 'attach', actor: `admin:${operator.adminId}` });
    expect(audit[0].detail).to.include({ why: 'the network says so', verdict: 'done' });
    const { about } = (await operator.ask('GET', `/v2/admin/intents/${id}`)).body;
    expect(about.trader).to.match(new RegExp(`_${subaccount_id}$`));
  });

  it('gets no other one: of another size, of another owner, none that is not there, and never a second', async () => {
    const partner = await service.partner();
    const { subaccount_id, account_size, path } = await ambiguous(partner);
    const [wrong, alike, spare] = [5_000, account_size, account_size].map(
      (size) => service.miner.addSubaccounts(1, { size })[0],
    );
    const other = await ambiguous(await service.partner(), { account_size });
    const attach = (to: string, id: unknown) => operator.ask('POST', to, bodyOf(id));
    expect((await attach(other.path, alike)).status).to.equal(200);

    for (const id of [wrong, alike, 999_999]) expectApiError(await attach(path, id), 'V2_SUBACCOUNT_INVALID');
    const both = await Promise.all([attach(path, subaccount_id), attach(path, spare)]);

    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    expectApiError(await attach(path, spare), 'V2_SUBACCOUNT_INVALID');
    const [won] = both.filter(({ status }) => status === 200);
    const owned = await service.db.any(sql.unsafe`
      select s.subaccount_id from subaccounts s where s.intent_id = ${path.split('/')[4] ?? ''}`);
    expect(owned).to.deep.equal([{ subaccount_id: won?.body.subaccount.subaccount_id }]);
  });

  it('gets only the one of its wallet, with the proof that it was requested with', async () => {
    const partner = await service.wallet();
    const { subaccount_id, path } = await ambiguous(partner, {
      ex_address: partner.wallet,
      asset_class: undefined,
      account_size: 10_000,
    });
    const [unlinked] = service.miner.addSubaccounts(1, { size: 10_000, assetClass: 'hl_all' });

    const wrong = await operator.ask('POST', path, bodyOf(unlinked));
    const attached = await operator.ask('POST', path, bodyOf(subaccount_id));

    expectApiError(wrong, 'V2_SUBACCOUNT_INVALID');
    expect(attached.status, JSON.stringify(attached.body)).to.equal(200);
    const row = await service.db.one(sql.unsafe`
      select s.ex_address, s.link_proof is not distinct from i.request ->> 'link_proof' as proven
      from subaccounts s join intents i on i.id = s.intent_id
      where s.intent_id = ${path.split('/')[4] ?? ''}`);
    expect(row).to.deep.equal({ ex_address: partner.wallet.toLowerCase(), proven: true });
  });

  it('is the only thing that one is attached to', async () => {
    const partner = await service.partner();
    const account_size = ++sizes;
    const made = await partner.post(REGISTER, { asset_class: 'crypto', account_size });
    const [spare] = service.miner.addSubaccounts(1, { size: account_size });
    const order = await partner.post('/v1/orders/netvenue', market(), {
      headers: { 'Trader-ID': String(made.body.subaccount.subaccount_id) },
    });
    const attach = (id: unknown) => operator.ask('POST', `/v2/admin/registrations/${id}/attach`, bodyOf(spare));

    expectApiError(await attach(made.headers['intent-id']), 'V2_ACCOUNT_NOT_FAILED');
    for (const id of [order.headers['intent-id'], '01890a5d-ac96-774b-bcce-b302099a9999'])
      expectApiError(await attach(id), 'INTENT_UNKNOWN');
    expectApiError(await attach('not-a-uuid'), 'INVALID_REQUEST');
    const support = await service.admin(true, 'support');
    const refused = await support.ask(
      'POST',
      `/v2/admin/registrations/${made.headers['intent-id']}/attach`,
      bodyOf(spare),
    );
    expectApiError(refused, 'V2_ROLE_MISSING');
  });
});
