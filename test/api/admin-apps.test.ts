import { expect } from 'chai';
import { sql } from 'slonik';
import { asking, bearer, fresh, type Identity, startIdentity, type TestAdmin } from '../support/identity.ts';

describe('administration of tenants', () => {
  let service: Identity;
  let admin: TestAdmin;
  before(async () => {
    service = await startIdentity();
    admin = await service.admin();
  });
  after(() => service.stop());

  describe('apps', () => {
    const create = (json: object) => admin.ask('POST', '/v2/admin/apps', { json });

    it('are created with a secret shown once, listed, and changed', async () => {
      const slug = fresh('made');
      const made = await create({
        name: 'Made',
        slug,
        entity_hotkey: fresh('hotkey'),
        network_api_key: 'miner-key',
        scopes: ['webhooks'],
      });
      const path = `/v2/admin/apps/${made.body.app_id}`;

      const changed = await admin.ask('PATCH', path, {
        json: {
          name: 'Renamed',
          verification_level: 'full',
          connect_return_url: 'https://example.com/back',
          allowed_origins: ['https://desk.example', 'http://localhost:5173'],
        },
      });
      const cleared = await admin.ask('PATCH', path, {
        json: { connect_return_url: null, allowed_scopes: ['api', 'reads'], allowed_origins: [] },
      });
      const listed = await admin.ask('GET', '/v2/admin/apps');

      expect(made.body).to.include({ client_id: made.body.app_id, slug, name: 'Made' });
      expect(changed.body).to.deep.include({
        allowed_origins: ['https://desk.example', 'http://localhost:5173'],
        name: 'Renamed',
        verification_level: 'full',
        connect_return_url: 'https://example.com/back',
        has_network_key: true,
      });
      expect(cleared.body).to.deep.include({
        name: 'Renamed',
        connect_return_url: null,
        allowed_scopes: ['api', 'reads'],
        allowed_origins: [],
      });
      for (const origin of ['https://desk.example/', 'HTTPS://desk.example', 'http://desk.example', '*', 'null'])
        expect((await admin.ask('PATCH', path, { json: { allowed_origins: [origin] } })).status, origin).to.equal(422);
      expect(listed.body.find(({ app_id }: { app_id: string }) => app_id === made.body.app_id)).to.deep.equal(
        cleared.body,
      );
      const stored = await service.db.oneFirst(sql.unsafe`select a::text from apps a where id = ${made.body.app_id}`);
      expect(stored).not.to.include(Buffer.from('miner-key').toString('hex'));
    });

    it('reject a taken slug or identity, half of the network credentials, and unknown ids', async () => {
      const slug = fresh('taken');
      const hotkey = fresh('hotkey');
      await create({ name: 'First', slug, entity_hotkey: hotkey, network_api_key: 'key' });

      const codes = [
        await create({ name: 'Second', slug }),
        await create({ name: 'Second', slug: fresh('free'), entity_hotkey: hotkey, network_api_key: 'key' }),
        await create({ name: 'Second', slug: fresh('free'), entity_hotkey: fresh('hotkey') }),
        await create({ name: 'Second', slug: fresh('free'), network_api_key: 'key' }),
        await admin.ask('PATCH', '/v2/admin/apps/app_aaaaaaaaaaaaaaaaaaaaaaa', { json: { name: 'None' } }),
        await admin.ask('POST', '/v2/admin/apps/app_aaaaaaaaaaaaaaaaaaaaaaa/rotate-secret'),
      ].map(({ body }) => body.error.code);

      expect(codes).to.deep.equal([
        'V2_APP_SLUG_TAKEN',
        'V2_APP_HOTKEY_TAKEN',
        'V2_APP_CREDENTIALS_MISMATCH',
        'V2_APP_CREDENTIALS_MISMATCH',
        'V2_APP_UNKNOWN',
        'V2_APP_UNKNOWN',
      ]);
    });

    it('lose their tokens at once when disabled, and do not regain them when enabled', async () => {
      const app = await service.app();

      const disabled = await admin.ask('POST', `/v2/admin/apps/${app.appId}/disable`);
      const whileDisabled = [await app.ask('GET', '/v2/oauth/me'), await service.token(app)];
      const enabled = await admin.ask('POST', `/v2/admin/apps/${app.appId}/enable`);

      expect(disabled.body.active).to.equal(false);
      expect(whileDisabled.map(({ status }) => status)).to.deep.equal([401, 401]);
      expect(enabled.body).to.deep.include({ active: true, disabled_at: null });
      expect((await app.ask('GET', '/v2/oauth/me')).status).to.equal(401);
      expect((await service.token(app)).status).to.equal(200);
    });

    it('lose a removed scope, also in tokens already issued', async () => {
      const app = await service.app(['api', 'webhooks']);

      await admin.ask('PATCH', `/v2/admin/apps/${app.appId}`, { json: { allowed_scopes: ['webhooks'] } });

      expect((await app.ask('GET', '/v2/oauth/me')).body.scopes).to.deep.equal(['webhooks']);
      expect((await app.ask('POST', '/v2/apps/me/rotate-secret')).body.error.code).to.equal('V2_SCOPE_MISSING');
    });

    it('receive a new secret, while the previous one stays valid as requested', async () => {
      const app = await service.app();

      const rotated = await admin.ask('POST', `/v2/admin/apps/${app.appId}/rotate-secret`, {
        json: { overlap_seconds: 0 },
      });

      expect((await service.token(app)).status).to.equal(401);
      expect((await service.token({ ...app, secret: rotated.body.client_secret })).status).to.equal(200);
    });
  });

  describe('partners', () => {
    const orderOf = (key: string) =>
      asking(service.url, { ...bearer(key) })('GET', '/v1/intents/0190aaaa-0000-7000-8000-000000000000');

    it('are created, receive keys, and lose them', async () => {
      const made = await admin.ask('POST', '/v2/admin/partners', { json: { name: 'Partner', label: 'first' } });
      const path = `/v2/admin/partners/${made.body.partner_id}`;
      const second = await admin.ask('POST', `${path}/keys`, { json: { label: 'second' } });
      const good = [await orderOf(made.body.key), await orderOf(second.body.key)];

      const revoked = await admin.ask('DELETE', `/v2/admin/partner-keys/${made.body.key_id}`);
      const again = await admin.ask('DELETE', `/v2/admin/partner-keys/${made.body.key_id}`);
      const afterRevoking = await orderOf(made.body.key);
      const disabled = await admin.ask('POST', `${path}/disable`);
      const whileDisabled = await orderOf(second.body.key);
      await admin.ask('POST', `${path}/enable`);
      const keys = await admin.ask('GET', `${path}/keys`);
      const partners = await admin.ask('GET', '/v2/admin/partners');

      expect(good.map(({ status }) => status)).to.deep.equal([404, 404]);
      expect(revoked.body).to.deep.equal({ revoked: true, keys: [made.body.key_id], endpoints: [] });
      expect(again.body.error.code).to.equal('V2_PARTNER_KEY_UNKNOWN');
      expect(afterRevoking.status).to.equal(401);
      expect(disabled.body).to.include({ active: false, live_keys: 1 });
      expect(whileDisabled.status).to.equal(401);
      expect((await orderOf(second.body.key)).status).to.equal(404);
      expect(keys.body.map(({ label }: { label: string }) => label)).to.deep.equal(['first', 'second']);
      expect(JSON.stringify(keys.body)).not.to.include(second.body.key);
      expect(partners.body.map(({ partner_id }: { partner_id: string }) => partner_id)).to.include(
        made.body.partner_id,
      );
      expect((await admin.ask('GET', '/v2/admin/partners/ptn_aaaaaaaaaaaaaaaaaaaaaaa/keys')).body.error.code).to.equal(
        'V2_PARTNER_UNKNOWN',
      );
    });
  });
});
