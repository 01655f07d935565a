import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { setAppActive } from '../../src/capabilities/admin/apps/commands.ts';
import type { AppId } from '../../src/kernel/ids.ts';
import { caller } from '../support/caller.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { atOnce, bearer, type Identity, startIdentity, statuses, type TestApp } from '../support/identity.ts';

const HOUR_MS = 3_600_000;
const TIMES = 20;

/** Requests without an Idempotency-Key: each response is about its own write, and a rejected one has written nothing. */
describe('two writes to one thing at once', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity();
    app = await service.app(['api', 'webhooks']);
  });
  after(() => service.stop());

  it('each show what they wrote: changes of an endpoint', async () => {
    const { body } = await app.ask('POST', ENDPOINTS, { json: { url: 'https://example.com/hook', events: ['*'] } });

    const replies = await atOnce(TIMES, (n) =>
      app.ask('PATCH', `${ENDPOINTS}/${body.id}`, { json: { description: `change ${n}` } }),
    );

    expect(replies.map((reply) => reply.body.description)).to.deep.equal(replies.map((_, n) => `change ${n}`));
  });

  it('each show what they wrote: keys of a wallet, and the end of its enrollment', async () => {
    const partner = await service.partner();
    const owner = caller(service.url, partner.key);
    const wallet = privateKeyToAddress(generatePrivateKey()).toLowerCase();
    const keys = Array.from({ length: TIMES }, () => generatePrivateKey());
    for (const [n, key] of keys.entries())
      service.exchange.approveAgent(wallet, privateKeyToAddress(key), `agent ${n}`, Date.now() + HOUR_MS);

    const [enrolled, revoked] = await Promise.all([
      atOnce(TIMES, (n) => owner.post('/v1/sessions', { ex_wallet: wallet, private_key: keys[n] })),
      atOnce(TIMES, () => owner.delete(`/v1/sessions/${wallet}`)),
    ]);

    expect(enrolled.map(({ body }) => body.agent_address ?? JSON.stringify(body))).to.deep.equal(
      keys.map((key) => privateKeyToAddress(key).toLowerCase()),
    );
    expect(revoked.map(({ status }) => status)).to.not.include(500);
  });

  it('is not written at all if a part of it fails: a signature whose receipt cannot be mailed', async () => {
    const user = await service.user(app);
    await service.db.query(sql.unsafe`
      create function lose_receipt() returns trigger language plpgsql as ${sql.literalValue(`
        begin
          if new.template = 'agreement_signed' then raise exception 'lost'; end if;
          return new;
        end`)}`);
    await service.db.query(
      sql.unsafe`create trigger lose_receipt before insert on mails for each row execute function lose_receipt()`,
    );

    const json = { agreement_version: '2026-01', signature_name: 'Ada' };
    const replies = await atOnce(1, () => user.ask('POST', '/v2/agreements/sign', { json }));
    await service.db.query(sql.unsafe`drop trigger lose_receipt on mails`);
    const { body } = await user.ask('GET', '/v2/agreements/status');

    expect(statuses(replies)).to.deep.equal({ 500: 1 });
    expect(body.signed).to.equal(false);
  });

  it('leave no token of an app that was disabled at that moment, also once it is enabled again', async () => {
    const other = await service.app();
    const appId = other.appId as AppId; // as: the service made it
    const actor = { adminId: null, address: '', requestId: '' };
    const asked = await service.db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select from apps where id = ${appId} for update`);
      const token = service.token(other);
      await sleep(300); // its secret has been checked by now
      await setAppActive(tx, appId, { active: false }, actor);
      return { token };
    });
    const { status, body } = await asked.token;
    await setAppActive(service.db, appId, { active: true }, actor);

    const reply = await service.ask('GET', '/v2/apps/me', { headers: bearer(body.access_token ?? 'none') });
    expect([status, reply.status]).to.deep.equal([401, 401]);
  });
});
