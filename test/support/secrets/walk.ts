import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { createAdmin } from '../../../src/capabilities/admin/commands.ts';
import { type Ask, bearer, codeIn, codeOf, fresh, linkIn, resetTokenIn } from '../identity.ts';
import { until } from '../processes.ts';
import type { Stage } from './stage.ts';

/** Every caller that a walk has created. */
export type People = {
  operator: Ask;
  partner: Ask;
  app: Ask;
  user: Ask;
  trader: Ask;
  email: string;
  accountId: string;
};

const expectOk = <T extends { status: number; body: unknown }>(data: T): T => {
  if (data.status >= 300) throw new Error(`${data.status} ${JSON.stringify(data.body)}`);
  return data;
};
const key = () => ({ 'Idempotency-Key': fresh('key') });

/** Passes every secret through the operations that create, accept and return it, with valid and invalid requests. */
export async function walkAll(stage: Stage): Promise<People> {
  const operator = await walkOperator(stage);
  const partner = await walkPartner(stage, operator);
  const app = await walkApp(stage, operator);
  const { user, email } = await walkUser(stage, app.headers);
  const { trader, accountId } = await walkMoney(stage, user);
  await walkWebhooks(stage, app.ask, email);
  await walkRequest(stage, operator);
  return { operator, partner, app: app.ask, user, trader, email, accountId };
}

async function walkOperator({ as, db, vault }: Stage): Promise<Ask> {
  const [email, password] = [`${fresh('operator')}@example.com`, vault.make('operator password')];
  await createAdmin(db, email, password, 'admin');
  const login = (json: object) => as()('POST', '/v2/admin/login', { json: { email, password, ...json } });
  await login({ password: vault.make('operator password, wrong') });
  const first = sessionIn(expectOk(await login({})).headers);
  const unenrolled = as(bearer(vault.keep('operator session', first)));
  const { body } = expectOk(await unenrolled('POST', '/v2/admin/totp/enroll'));
  const seed = vault.keep('operator TOTP seed', body.secret);
  await unenrolled('POST', '/v2/admin/totp/confirm', { json: { code: '000000' } });
  expectOk(await unenrolled('POST', '/v2/admin/totp/confirm', { json: { code: codeOf(seed) } }));
  await login({ totp_code: codeOf(seed) });
  const second = sessionIn(expectOk(await login({ totp_code: codeOf(seed, 1) })).headers);
  return as(bearer(vault.keep('operator session', second)));
}

const sessionIn = (headers: Headers): string => /adm_[\w-]+/.exec(headers.getSetCookie()[0] ?? '')?.[0] ?? '';

async function walkPartner({ as, vault, upstreams }: Stage, operator: Ask): Promise<Ask> {
  const made = expectOk(await operator('POST', '/v2/admin/partners', { json: { name: 'Partner' }, headers: key() }));
  const more = await operator('POST', `/v2/admin/partners/${made.body.partner_id}/keys`, { json: {}, headers: key() });
  vault.keep('partner key', expectOk(more).body.key);
  const partner = as(bearer(vault.keep('partner key', made.body.key)));
  const [fixture, outsider] = [generatePrivateKey(), generatePrivateKey()].map((made) =>
    vault.keep('trader key', made),
  );
  const wallet = privateKeyToAddress(fixture as `0x${string}`).toLowerCase();
  const enroll = (private_key = fixture) =>
    partner('POST', '/v1/sessions', { json: { ex_wallet: wallet, private_key }, headers: key() });
  expectOk(await enroll());
  await enroll(outsider);
  const ofTrader = (path: string, json: object) =>
    partner('POST', path, { json, headers: { 'Trader-ID': wallet, Prefer: 'wait=5' } });
  expectOk(await ofTrader('/v1/orders/exvenue', { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' }));
  const payer = vault.keep('chain key', generatePrivateKey()) as `0x${string}`;
  const buy = (private_key: string) =>
    partner('POST', '/v1/register/exvenue', {
      json: {
        miner_slug: upstreams.registrar.minerSlug,
        account_size: 25_000,
        ex_wallet: privateKeyToAddress(payer).toLowerCase(),
        email: 'trader@example.com',
        private_key,
      },
    });
  expectOk(await buy(payer));
  await buy(vault.keep('chain key', generatePrivateKey()));
  const issued = expectOk(await partner('POST', '/v1/stream-tickets')).body.ticket;
  await as()('GET', `/v1/stream?interval_ms=never&ticket=${vault.keep('stream ticket', issued)}`);
  return partner;
}

async function walkApp(
  { as, vault, settings }: Stage,
  operator: Ask,
): Promise<{ ask: Ask; headers: Record<string, string> }> {
  const entity_hotkey = fresh('entity');
  const network_api_key = vault.keep("a tenant's miner key", `${settings.NETVENUE_MINER_KEY}:${entity_hotkey}`);
  const json = { name: 'Tenant', slug: fresh('tenant'), scopes: ['*'], entity_hotkey, network_api_key };
  const { body } = expectOk(await operator('POST', '/v2/admin/apps', { json, headers: key() }));
  await operator('POST', '/v2/admin/apps', { json, headers: key() });
  const secret = vault.keep('client secret', body.client_secret);
  const form = { grant_type: 'client_credentials', client_id: body.app_id, client_secret: secret };
  await as()('POST', '/v2/oauth/token', {
    form: { ...form, client_secret: vault.make('client secret, wrong', 'csk_') },
  });
  const issue = async () => {
    const issued = expectOk(await as()('POST', '/v2/oauth/token', { form }));
    return vault.keep('access token', issued.body.access_token);
  };
  const revoked = await issue();
  await as()('POST', '/v2/oauth/revoke', { form: { ...form, token: revoked } });
  await as(bearer(revoked))('GET', '/v2/oauth/me');
  const headers = bearer(await issue());
  const rotated = await operator('POST', `/v2/admin/apps/${body.app_id}/rotate-secret`, { json: {}, headers: key() });
  vault.keep('client secret', expectOk(rotated).body.client_secret);
  return { ask: as(headers), headers };
}

async function walkUser({ as, vault, mailTo }: Stage, headers: Record<string, string>) {
  const app = as(headers);
  const email = `${fresh('user')}@example.com`;
  const password = vault.make('user password');
  const post = (path: string, json: object) => app('POST', `/v2/auth/${path}`, { json: { email, ...json } });
  expectOk(await post('signup', { password }));
  const code = codeIn(await mailTo(email, /\b\d{6}\b/));
  await post('verify-email', { code: code === '000000' ? '000001' : '000000' });
  const verified = expectOk(await post('verify-email', { code }));
  await post('login', { password: vault.make('user password, wrong') });
  const ofUser = as({ ...headers, 'X-Session-Token': vault.keep('user session', verified.body.session_token) });
  const seed = vault.keep('user TOTP seed', expectOk(await ofUser('POST', '/v2/auth/totp/enroll')).body.secret);
  await ofUser('POST', '/v2/auth/totp/confirm', { json: { code: '000000' } });
  expectOk(await ofUser('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(seed) } }));
  await post('login', { password, totp_code: codeOf(seed) });
  expectOk(await post('password-reset/request', {}));
  const token = vault.keep('reset token', resetTokenIn(await mailTo(email, /rst_/)));
  const new_password = vault.make('user password');
  await post('password-reset/confirm', { token: vault.make('reset token, wrong', 'rst_'), new_password });
  expectOk(await post('password-reset/confirm', { token, new_password }));
  await post('password-reset/confirm', { token, new_password });
  await ofUser('GET', '/v2/auth/me');
  const again = expectOk(await post('login', { password: new_password, totp_code: codeOf(seed, 1) }));
  const session = vault.keep('user session', again.body.session_token);
  return { user: as({ ...headers, 'X-Session-Token': session }), email };
}

async function walkMoney({ as, vault }: Stage, user: Ask): Promise<{ trader: Ask; accountId: string }> {
  expectOk(
    await user('POST', '/v2/payments/free', {
      json: { tier_id: 'tier_demo', asset_class: 'crypto', account_size: 10_000 },
    }),
  );
  const accountId = await until('an account', async () => {
    const { body } = await user('GET', '/v2/payments/prop-accounts');
    return body.find(({ status }: { status: string }) => status === 'evaluation')?.id as string | undefined;
  });
  const json = {
    tier_id: 'tier_25k',
    market: 'crypto',
    asset_class: 'crypto',
    account_size: 25_000,
    amount_cents: 19_900,
  };
  const bought = expectOk(await user('POST', '/v2/payments/checkout', { json, headers: key() }));
  vault.keep('payment client secret', bought.body.client_secret);
  const kyc = await user('POST', '/v2/kyc/processor-identity/session', { headers: key() });
  if (kyc.body.client_secret) vault.keep('verification client secret', kyc.body.client_secret);
  const minted = expectOk(await user('POST', '/v2/api-keys', { json: { label: 'bot' }, headers: key() }));
  vault.keep('trader API key', minted.body.key_secret);
  const trader = as({ 'X-Api-Key': minted.body.api_key });
  await trader('POST', '/v2/trading/orders', {
    json: { trade_pair: 'BTCUSDC', order_type: 'LONG', execution_type: 'MARKET', leverage: 0.1 },
  });
  await as({ 'X-Api-Key': `${minted.body.key_id}.${vault.make('trader API key, wrong')}` })(
    'GET',
    '/v2/trading/balance',
  );
  return { trader, accountId };
}

async function walkWebhooks({ vault, upstreams: { receiver } }: Stage, app: Ask, email: string): Promise<void> {
  const json = { url: `${receiver.url}/hook`, events: ['*'] };
  const { body } = expectOk(await app('POST', '/v2/webhook-endpoints', { json, headers: key() }));
  vault.keep('webhook secret', body.secret);
  const rotated = await app('POST', `/v2/webhook-endpoints/${body.id}/rotate-secret`, { json: {}, headers: key() });
  vault.keep('webhook secret', expectOk(rotated).body.secret);
  receiver.behave((_, nth) => [500, 'drop' as const, 200][nth % 3] ?? 200);
  for (let n = 0; n < 3; n += 1) await app('POST', `/v2/webhook-endpoints/${body.id}/test`, { headers: key() });
  await app('POST', '/v2/notifications/send', {
    json: { email, subject: 'Hello', html: '<p>Hello</p>', fanout_event: 'payment.failed' },
    headers: key(),
  });
  await until('deliveries', () => receiver.ledger.length >= 4);
}

async function walkRequest({ as, vault, mailTo }: Stage, operator: Ask): Promise<void> {
  const contact_email = `${fresh('dev')}@example.com`;
  const json = { company_name: 'Example', slug: fresh('asked'), contact_email, use_case: 'Challenge accounts' };
  const { body } = expectOk(await as()('POST', '/v2/app-requests', { json }));
  const network = { entity_hotkey: fresh('entity'), network_api_key: vault.make("a tenant's miner key") };
  const path = `/v2/admin/app-requests/${body.request_id}`;
  expectOk(await operator('POST', `${path}/approve`, { json: network }));
  const link = new URL(linkIn(await mailTo(contact_email, /https?:/))).pathname;
  vault.keep('reveal link', link.split('/').at(-1) ?? '');
  await as()('POST', '/v2/reveal/rvl_unknown');
  const page = expectOk(await as()('POST', link));
  vault.keep('client secret', /csk_[\w-]+/.exec(page.body)?.[0] ?? '');
  await as()('POST', link);
}
