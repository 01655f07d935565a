import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Ask, asking, bearer, PASSWORD, type TestAdmin } from '../support/identity.ts';
import { eventually } from '../support/money.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startTrading, type Trading } from '../support/trading.ts';

describe('credentials that were stolen', function () {
  this.timeout(30_000);
  let service: Trading;
  let operator: TestAdmin;
  let [ours, thiefs]: Receiver[] = [];
  before(async () => {
    service = await startTrading();
    operator = await service.admin();
    [ours, thiefs] = [await startReceiver(), await startReceiver()];
  });
  after(async () => {
    await Promise.all([ours?.close(), thiefs?.close()]);
    await service.stop();
  });

  const endpoint = async (ask: Ask, root: string, url = ''): Promise<string> =>
    (await ask('POST', `${root}/webhook-endpoints`, { json: { url, events: ['*'] } })).body.id;
  const states = async (ask: Ask, root: string, ids: string[]) => {
    const shown = (await ask('GET', `${root}/webhook-endpoints`)).body as { id: string; deactivated_because: string }[];
    return ids.map((id) => shown.find((each) => each.id === id)?.deactivated_because);
  };

  it('of a partner end with the keys rolled from them and the endpoints set with any of them; others stay', async () => {
    const { owner, key } = await service.partner();
    const old = asking(service.url, bearer(key));
    const minted = await operator.ask('POST', `/v2/admin/partners/${owner}/keys`, { json: { label: 'safe' } });
    const safe = asking(service.url, bearer(minted.body.key));
    const [kept, moved, shown] = [
      await endpoint(safe, '/v1', ours?.url),
      await endpoint(safe, '/v1', ours?.url),
      await endpoint(safe, '/v1', ours?.url),
    ];
    const made = await endpoint(old, '/v1', thiefs?.url);
    const rolled = await old('POST', '/v1/keys/roll', {
      json: { overlap_seconds: 3_600 },
      headers: { 'Idempotency-Key': 'roll' },
    });
    const thief = asking(service.url, bearer(rolled.body.key));
    await thief('PATCH', `/v1/webhook-endpoints/${moved}`, { json: { url: thiefs?.url } });
    await thief('POST', `/v1/webhook-endpoints/${shown}/rotate-secret`, { headers: { 'Idempotency-Key': 'rotate' } });
    await old('PATCH', `/v1/webhook-endpoints/${kept}`, { json: { description: 'seen, not set' } });

    const [first] = (await safe('GET', '/v1/keys')).body.filter(({ hint }: { hint: string }) => key.startsWith(hint));
    const { body } = await operator.ask('DELETE', `/v2/admin/partner-keys/${first.key_id}?stolen=true`);

    expect(body.keys).to.have.members([first.key_id, rolled.body.key_id]);
    expect(body.endpoints).to.have.members([made, moved, shown]);
    for (const ended of [old, thief]) expect((await ended('GET', '/v1/keys')).status).to.equal(401);
    expect(await states(safe, '/v1', [kept, made, moved, shown])).to.deep.equal([null, 'stolen', 'stolen', 'stolen']);
    await eventually(async () => (await safe('POST', `/v1/webhook-endpoints/${kept}/test`)).status === 200);
    expect((await safe('POST', `/v1/webhook-endpoints/${made}/test`)).body.error.code).to.equal('V1_WEBHOOK_INACTIVE');
    const [noted] = (await operator.ask('GET', `/v2/admin/audit?subject=${first.key_id}`)).body;
    expect([noted.action, noted.detail]).to.deep.equal([
      'partner_key.revoke_stolen',
      { keys: body.keys, endpoints: body.endpoints },
    ]);
  });

  it('end with what they made also if they were revoked before it was known that they are stolen', async () => {
    const { owner, key } = await service.partner();
    const old = asking(service.url, bearer(key));
    const minted = await operator.ask('POST', `/v2/admin/partners/${owner}/keys`, { json: { label: 'safe' } });
    const safe = asking(service.url, bearer(minted.body.key));
    const [first] = (await safe('GET', '/v1/keys')).body.filter(({ hint }: { hint: string }) => key.startsWith(hint));
    const rolled = await old('POST', '/v1/keys/roll', {
      json: { overlap_seconds: 3_600 },
      headers: { 'Idempotency-Key': 'roll' },
    });
    const thief = asking(service.url, bearer(rolled.body.key));
    const made = await endpoint(thief, '/v1', thiefs?.url);
    await operator.ask('DELETE', `/v2/admin/partner-keys/${first.key_id}`);
    const survives = (await thief('GET', '/v1/keys')).status;

    const revoked = await operator.ask('DELETE', `/v2/admin/partner-keys/${first.key_id}?stolen=true`);

    expect(survives).to.equal(200);
    expect(revoked.status).to.equal(200);
    expect(revoked.body.keys).to.include(rolled.body.key_id);
    expect((await thief('GET', '/v1/keys')).status).to.equal(401);
    expect(await states(safe, '/v1', [made])).to.deep.equal(['stolen']);
  });

  it('mark an endpoint that is inactive, so that nobody activates it with the address that a thief set', async () => {
    const { owner, key } = await service.partner();
    const thief = asking(service.url, bearer(key));
    const minted = await operator.ask('POST', `/v2/admin/partners/${owner}/keys`, { json: { label: 'safe' } });
    const safe = asking(service.url, bearer(minted.body.key));
    const id = await endpoint(safe, '/v1', ours?.url);
    await thief('PATCH', `/v1/webhook-endpoints/${id}`, { json: { url: thiefs?.url, active: false } });
    const [first] = (await safe('GET', '/v1/keys')).body.filter(({ hint }: { hint: string }) => key.startsWith(hint));

    const revoke = () => operator.ask('DELETE', `/v2/admin/partner-keys/${first.key_id}?stolen=true`);
    const { body } = await revoke();

    expect(body.endpoints).to.deep.equal([id]);
    expect(await states(safe, '/v1', [id])).to.deep.equal(['stolen']);
    expect((await revoke()).body.endpoints, 'marked already').to.deep.equal([]);
  });

  it('of an app end at once, with the endpoints set with them in the last 30 days', async () => {
    const app = await service.app(['api', 'webhooks']);
    const [old, made] = [await endpoint(app.ask, '/v2', ours?.url), await endpoint(app.ask, '/v2', thiefs?.url)];
    await service.db.query(sql.type(z.object({}))`
      update webhook_endpoints e
      set credentials = (select jsonb_object_agg(c.key, now() - interval '31 days') from jsonb_each(e.credentials) c)
      where e.id = ${old}`);

    const rotated = await operator.ask('POST', `/v2/admin/apps/${app.appId}/rotate-secret?stolen=true`, { json: {} });

    expect(Date.parse(rotated.body.previous_secret_expires_at)).to.be.at.most(Date.now() + 1_000);
    expect((await app.ask('GET', '/v2/webhook-endpoints')).status).to.equal(401);
    const left = await service.db.any(sql.type(z.object({ id: z.string() }))`
      select e.id from webhook_endpoints e where e.owner = ${app.appId} and e.active`);
    expect(left.map(({ id }) => id)).to.deep.equal([old]);
    expect(made).to.match(/^whe_/);
  });

  it('never get a secret again that was shown to others, whatever Idempotency-Key they guess', async () => {
    const { owner, key } = await service.partner();
    const safe = asking(service.url, bearer(key));
    const minted = await operator.ask('POST', `/v2/admin/partners/${owner}/keys`, { json: { label: 'stolen' } });
    const thief = asking(service.url, bearer(minted.body.key));
    const app = await service.app(['*']);
    const user = await service.user(app);
    const logIn = { json: { email: user.email, password: PASSWORD } };
    const { body: session } = await app.ask('POST', '/v2/auth/login', logIn);
    const again = asking(service.url, { ...bearer(app.token), 'X-Session-Token': session.session_token });
    const writes: [safe: Ask, thief: Ask, path: string, json: object | undefined][] = [
      [safe, thief, '/v1/webhook-endpoints', { url: ours?.url, events: ['*'] }],
      [user.ask, again, '/v2/auth/totp/enroll', undefined],
      [safe, thief, '/v1/keys/roll', { overlap_seconds: 3_600 }],
    ];

    for (const [ask, other, path, json] of writes) {
      const write = { ...(json && { json }), headers: { 'Idempotency-Key': `guessed-${path}` } };
      const first = await ask('POST', path, write);
      const [repeat, guessed] = [await ask('POST', path, write), await other('POST', path, write)];

      expect(first.status, path).to.be.within(200, 201);
      expect(repeat.body, path).to.deep.equal(first.body);
      expect(guessed.status, path).to.equal(422);
      expect(guessed.body.error.code, path).to.equal('IDEMPOTENCY_KEY_REUSED');
    }
  });

  it('that are only replaced leave the endpoints as they are', async () => {
    const { key } = await service.partner();
    const ask = asking(service.url, bearer(key));
    const made = await endpoint(ask, '/v1', ours?.url);
    const rolled = await ask('POST', '/v1/keys/roll', {
      json: { overlap_seconds: 3_600 },
      headers: { 'Idempotency-Key': 'roll' },
    });
    const next = asking(service.url, bearer(rolled.body.key));
    const [first] = (await next('GET', '/v1/keys')).body.filter(({ hint }: { hint: string }) => key.startsWith(hint));

    const { body } = await operator.ask('DELETE', `/v2/admin/partner-keys/${first.key_id}`);

    expect(body).to.deep.equal({ revoked: true, keys: [first.key_id], endpoints: [] });
    expect(await states(next, '/v1', [made])).to.deep.equal([null]);
  });
});
