import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { type Ask, bearer, asking as byHand, fresh } from '../identity.ts';
import { market } from '../orders.ts';
import { keyed, type Scene, type Scenes, type Stage } from './scene.ts';

const URL = 'https://hooks.example.com/x';
const hook = (more: object = {}) => ({ url: URL, events: ['*'], ...more });

/** Credentials of partners and apps, and what they name. */
export function callerScenes({ service, asking, counts }: Stage): Scenes {
  const endpoints = counts.rows('webhook_endpoints');
  const byUser = (headers: Record<string, string>) => byHand(service().url, headers);
  return {
    async V1_KEY_INVALID() {
      const { key } = await service().partner();
      const send = (used: string, once: string) =>
        asking(bearer(used))('POST', '/v1/webhook-endpoints', keyed(once, hook()));
      return { makes: endpoints, ...renewed('tpk_none', () => key, send) };
    },
    async V1_KEY_SUPERSEDED() {
      const { key } = await service().partner();
      const lost = keyed(fresh('roll'), {});
      await byUser(bearer(key))('POST', '/v1/keys/roll', lost);
      const newest = async () => (await byUser(bearer(key))('POST', '/v1/keys/roll', lost)).body.key;
      const send = (used: string, once: string) => asking(bearer(used))('POST', '/v1/keys/roll', keyed(once, {}));
      return { makes: counts.rows('partner_keys'), ...renewed(key, newest, send) };
    },
    async V2_TOKEN_INVALID() {
      const app = await service().app(['*']);
      const send = (used: string, once: string) =>
        asking(bearer(used))('POST', '/v2/webhook-endpoints', keyed(once, hook()));
      return { makes: endpoints, ...renewed('apt_none', () => tokenOf(app), send) };
    },
    async V2_SCOPE_MISSING() {
      const app = await service().app(['*']);
      const narrow = await tokenOf(app, 'reads');
      const send = (used: string, once: string) =>
        asking(bearer(used))('POST', '/v2/webhook-endpoints', keyed(once, hook()));
      return { makes: endpoints, ...renewed(narrow, () => tokenOf(app, 'webhooks'), send) };
    },
    async V2_SECRET_SUPERSEDED() {
      const app = await service().app(['*']);
      const { body } = await app.ask('POST', '/v2/apps/me/rotate-secret', keyed(fresh('rotation'), {}));
      const newest = () => tokenOf({ ...app, secret: body.client_secret });
      const send = (used: string, once: string) =>
        asking(bearer(used))('POST', '/v2/apps/me/rotate-secret', keyed(once, {}));
      return { makes: counts.rows('app_secrets'), ...renewed(app.token, newest, send) };
    },
    async V2_API_KEY_INVALID() {
      const { api_key } = await (await service().propTrader()).key();
      const send = (used: string, once: string) =>
        asking({ 'X-Api-Key': used })('POST', '/v2/trading/orders', keyed(once, market()));
      return { makes: counts.atNetwork('market'), ...renewed('key_none.none', () => api_key, send) };
    },
    async V2_API_KEY_ACCOUNT_MISMATCH() {
      const { api_key } = await (await service().propTrader()).key();
      const place = (more: Record<string, string>) => (once: string) =>
        asking({ 'X-Api-Key': api_key, ...more })('POST', '/v2/trading/orders', keyed(once, market()));
      return {
        makes: counts.atNetwork('market'),
        send: place({ 'X-Prop-Account': `prop_${'n'.repeat(22)}` }),
        instead: place({}),
      };
    },
    async V2_API_KEY_UNKNOWN() {
      const trader = await service().propTrader();
      const { id } = await trader.key();
      const ask = asking({ ...bearer(service().tenant.token), 'X-Session-Token': trader.user.session });
      const revoke = (key: string) => (once: string) => ask('DELETE', `/v2/api-keys/${key}`, keyed(once));
      return {
        makes: counts.rows('trader_keys where revoked_at is not null'),
        send: revoke(`key_${'n'.repeat(22)}`),
        instead: revoke(id),
      };
    },
    async V2_API_KEY_TOO_MANY() {
      const trader = await service().propTrader();
      const ask = asking({ ...bearer(service().tenant.token), 'X-Session-Token': trader.user.session });
      const json = { label: 'bot', prop_account_id: trader.account.id };
      const made: string[] = [];
      for (let status = 200; status === 200; ) {
        const reply = await trader.ask('POST', '/v2/api-keys', { json });
        status = reply.status;
        if (reply.body.id) made.push(reply.body.id);
      }
      return {
        makes: counts.rows('trader_keys'),
        heal: () => trader.ask('DELETE', `/v2/api-keys/${made[0]}`),
        send: (once) => ask('POST', '/v2/api-keys', keyed(once, json)),
      };
    },
    async INTENT_UNKNOWN() {
      const { key } = await service().partner();
      const json = { asset_class: 'crypto', account_size: 10_000 };
      const made = await byUser(bearer(key))('POST', '/v1/register/netvenue', { json });
      const id = made.headers.get('intent-id');
      const ask = asking(bearer(key));
      return {
        shows: ({ intent_id }) => intent_id === id,
        send: () => ask('GET', '/v1/intents/0190b4ad-ac96-774b-bcce-000000000000'),
        instead: () => ask('GET', `/v1/intents/${id}`),
      };
    },
    async V1_SESSION_UNKNOWN() {
      const { key } = await service().partner();
      const private_key = generatePrivateKey();
      const ex_wallet = privateKeyToAddress(private_key).toLowerCase();
      const ask = asking(bearer(key));
      return {
        makes: counts.rows('enrollments'),
        send: () => ask('GET', `/v1/sessions/${ex_wallet}`),
        instead: (once) => ask('POST', '/v1/sessions', keyed(once, { ex_wallet, private_key })),
      };
    },
    async V1_KEY_UNUSABLE() {
      const { key } = await service().partner();
      const right = generatePrivateKey();
      const enroll = (private_key: string) => (once: string) =>
        asking(bearer(key))(
          'POST',
          '/v1/sessions',
          keyed(once, { ex_wallet: privateKeyToAddress(right).toLowerCase(), private_key }),
        );
      return { makes: counts.rows('enrollments'), send: enroll(`0x${'00'.repeat(32)}`), instead: enroll(right) };
    },
  };

  async function tokenOf(app: { appId: string; secret: string }, scope?: string): Promise<string> {
    return (await service().token(app, scope)).body.access_token;
  }
}

/** The same request, first with a credential that does not do, then with one that does. */
function renewed(
  wrong: string,
  right: () => string | Promise<string>,
  send: (used: string, key: string) => ReturnType<Ask>,
): Pick<Scene, 'heal' | 'send'> {
  let used = wrong;
  return {
    async heal() {
      used = await right();
    },
    send: (key) => send(used, key),
  };
}
