import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestApp } from '../../support/identity.ts';
import { eventually, type Money, startMoney } from '../../support/money.ts';
import { until } from '../../support/processes.ts';

const ACCOUNTS = '/v2/connect/accounts';
const CREATE = 'POST /v1/accounts';

describe('replaceConnectAccount', function () {
  this.timeout(60_000);
  let service: Money;
  let app: TestApp;
  before(async () => {
    service = await startMoney({ settings: { PAYOUT_DESTINATION_HOLD_H: '24' } });
    app = await payingApp(service);
  });
  after(() => service.stop());

  const replace = ({ ask, connected }: Pick<Earner, 'ask' | 'connected'>, headers: Record<string, string> = {}) =>
    ask('PUT', `${ACCOUNTS}/${connected}`, { json: { country: 'US' }, headers });
  const idsOf = async ({ ask }: Pick<Earner, 'ask'>): Promise<string[]> =>
    (await ask('GET', ACCOUNTS)).body.map((each: { processor_account_id: string }) => each.processor_account_id);
  /** How many accounts a user has and had. */
  const countAccounts = ({ userId }: Pick<Earner, 'userId'>) =>
    service.db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*) from connect_accounts where user_id = ${userId}`);

  it('puts another account in its place, to which pending payouts go after the hold, once under a key', async () => {
    const user = await earner(service, app, 900);
    const requested = await user.request(20_000);
    const key = { 'Idempotency-Key': randomUUID() };

    const replaced = await replace(user, key);
    const repeated = await replace(user, key);
    const another = await replace(user);
    const id = replaced.body.processor_account_id;
    await service.control('account', { id });
    await eventually(async () => (await user.ask('GET', ACCOUNTS)).body[0].payouts_enabled);
    const held = await user.submit(requested);

    expect([replaced.status, repeated.status]).to.deep.equal([200, 200]);
    expect(id).to.be.a('string').and.not.equal(user.connected);
    expect(replaced.body.onboarding_url).to.be.a('string');
    expect(repeated.body.processor_account_id).to.equal(id);
    expect([another.status, another.body.error?.code]).to.deep.equal([409, 'V2_CONNECT_ACCOUNT_EXISTS']);
    expect(await idsOf(user)).to.deep.equal([id]);
    expect(await countAccounts(user)).to.equal(2);
    expect(held.body.error?.code).to.equal('V2_PAYOUT_DESTINATION_HELD');
    for (const subject of [/payout account was removed/, /payout account was opened/])
      await until('a mail', () => service.mailbox.mails(user.email).find((mail) => subject.test(mail.subject)));
  });

  it('is not under way for ever, nor another account, when it is repeated under its key after the account is detached', async () => {
    const user = await service.user(app);
    const key = (name: string) => ({ 'Idempotency-Key': `${name}-${user.userId}` });
    const open = (name: string) => user.ask('POST', ACCOUNTS, { json: { country: 'US' }, headers: key(name) });
    const connected = (await open('first')).body.processor_account_id;
    const found = await open('second');
    const replaced = await replace({ ask: user.ask, connected }, key('replaced'));
    const gone = await open('first');
    await user.ask('DELETE', `${ACCOUNTS}/${replaced.body.processor_account_id}`);

    const repeats = [
      gone,
      await open('first'),
      await replace({ ask: user.ask, connected }, key('replaced')),
      await open('second'),
    ];

    expect([found.status, found.body.processor_account_id]).to.deep.equal([200, connected]);
    expect(repeats.map(({ status, body }) => [status, body.error?.code, body.error?.effect])).to.deep.equal([
      [404, 'V2_CONNECT_ACCOUNT_UNKNOWN', 'done'],
      [404, 'V2_CONNECT_ACCOUNT_UNKNOWN', 'done'],
      [404, 'V2_CONNECT_ACCOUNT_UNKNOWN', 'done'],
      [404, 'V2_CONNECT_ACCOUNT_UNKNOWN', 'none'],
    ]);
    expect((await open('third')).status).to.equal(200);
  });

  it('leaves the account in place if the processor rejects another one, and while that is being made', async () => {
    const user = await earner(service, app, 900);
    service.processor.faults.add({ kind: 'reject', route: CREATE, times: 1 });

    const rejected = await replace(user);
    const kept = await idsOf(user);
    const pending = await replace(user, { Prefer: 'wait=0' });
    await eventually(async () => !(await idsOf(user)).includes(user.connected));

    expect(rejected.body.error).to.include({ code: 'PROCESSOR_REJECTED', effect: 'none' });
    expect(kept).to.deep.equal([user.connected]);
    expect(pending.status).to.equal(202);
    expect(pending.body).to.include({ id: null, processor_account_id: null, onboarding_url: null });
  });

  it('replaces nothing for a session that has been revoked meanwhile', async () => {
    const user = await earner(service, app, 900);
    service.processor.faults.add({ kind: 'late', route: CREATE, times: 1, delayMs: 1_500 });

    const pending = await replace(user, { Prefer: 'wait=0' });
    await service.db.query(sql.unsafe`update user_sessions set revoked_at = now() where user_id = ${user.userId}`);
    await eventually(async () => (await countAccounts(user)) === 2);
    const attached = await service.db.anyFirst(sql.type(z.object({ id: z.string() }))`
      select processor_account_id id from connect_accounts where user_id = ${user.userId} and detached_at is null`);

    expect(pending.status).to.equal(202);
    expect(attached).to.deep.equal([user.connected]);
  });

  it('does not know an account of another user', async () => {
    const [user, other] = [await earner(service, app, 900), await earner(service, app, 900)];

    const reply = await replace({ ask: user.ask, connected: other.connected });

    expect(reply.status).to.equal(404);
    expect(reply.body.error).to.include({ code: 'V2_CONNECT_ACCOUNT_UNKNOWN', effect: 'none' });
    expect(await idsOf(other)).to.deep.equal([other.connected]);
  });
});
