import { expect } from 'chai';
import { sql } from 'slonik';
import { createPartner } from '../../src/capabilities/partners/commands.ts';
import { saveTier } from '../../src/capabilities/payments/commands.ts';
import { issueTicket } from '../../src/capabilities/streams/tickets/commands.ts';
import { listOperations, type Operation } from '../../src/contract/document.ts';
import { digest, type OwnerId, type PropAccountId } from '../../src/kernel/ids.ts';
import { type OperatorRole, operatorRoles } from '../../src/kernel/operator-roles.ts';
import { sandboxTiers } from '../../src/sandbox/tiers.ts';
import { GRANTS } from '../support/authorization.ts';
import {
  bearer,
  type Data,
  type Identity,
  startIdentity,
  type TestAdmin,
  type TestApp,
  type TestUser,
} from '../support/identity.ts';

const UNMADE = 'prop_unmade' as PropAccountId;

/** What a kind of credential grants: the security schemes it satisfies, with their roles. */
type Kind = { shows: Record<string, string[]>; headers: Record<string, string>; ticket?: () => Promise<string> };

const COVERED_BY_API = ['api', 'webhooks', 'reads', 'trading'];
const EVERYTHING = [...COVERED_BY_API, 'payouts:write', '*'];
const CREDENTIALS_IN_BODY = new Set(['issueAccessToken', 'revokeAccessToken']); // their credentials are in the form too

describe('every operation with every kind of credential', function () {
  this.timeout(60_000);
  let service: Identity;
  let kinds: Record<string, Kind>;
  before(async () => {
    service = await startIdentity();
    kinds = await everyKind(service);
  });
  after(() => service.stop());

  for (const operation of listOperations()) {
    if (CREDENTIALS_IN_BODY.has(operation.id)) continue;
    it(`${operation.id} accepts the right ones only`, async () => {
      const faults: string[] = [];

      for (const [name, kind] of Object.entries(kinds)) {
        const reply = await call(service, operation, kind);
        const passed = reply.status !== 401 && reply.status !== 403;
        if (passed && operation.method !== 'get') await reviveSessions(service); // it may have logged out
        if (passed !== mayPass(operation, kind)) faults.push(`${name}: ${reply.status} ${JSON.stringify(reply.body)}`);
        if (reply.status >= 500 && reply.status !== 503) faults.push(`${name}: ${reply.status}`);
        if (reply.status === 401 && !reply.headers.get('www-authenticate')) faults.push(`${name}: no challenge`);
      }

      expect(faults).to.deep.equal([]);
    });
  }

  it('accepts a trader key for /v2/trading and nothing else', async () => {
    const operations = listOperations().filter(({ id }) => GRANTS.get(id)?.length && !CREDENTIALS_IN_BODY.has(id));
    const key = kinds['a trader key'] as Kind;

    const opened: string[] = [];
    for (const operation of operations)
      if ((await call(service, operation, key)).status !== 401) opened.push(operation.path);

    expect(opened).to.have.length.above(10);
    expect(opened.filter((path) => !path.startsWith('/v2/trading/'))).to.deep.equal([]);
  });
});

async function reviveSessions({ db }: Identity): Promise<void> {
  await db.query(sql.unsafe`
    with operators as (update admin_sessions set revoked_at = null where revoked_at is not null)
    update user_sessions set revoked_at = null where revoked_at is not null`);
}

/** Whether the contract accepts a credential: one set of its requirements is met completely, with every role. */
const mayPass = ({ security, method }: Operation, { shows }: Kind): boolean =>
  security.length === 0 ||
  security.some((set) =>
    set.every(({ scheme, roles }) => {
      const opened = [...(shows[scheme] ?? [])];
      if (method === 'get' && opened.includes('reads')) opened.push('api', 'trading');
      return shows[scheme] !== undefined && roles.every((role) => opened.includes(role));
    }),
  );

/** The input that an operation needs to distinguish its callers, where an empty request is not enough. */
const bodies: Record<string, object> = { revokeUserSession: { session_token: 'sess_nobody' } };

/** Sends no body and ids that do not exist: an accepted caller gets 404, 415 or 422, and nothing is done. */
async function call(service: Identity, operation: Operation, { headers, ticket }: Kind): Promise<Data> {
  const { id, method, path, parameters, streams } = operation;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => idFor(name));
  const trader = parameters.some(({ name }) => name === 'Trader-ID') ? { 'Trader-ID': 'nobody' } : {};
  const origin = method === 'get' ? {} : { Origin: service.url };
  const query = new URLSearchParams({
    ...(streams && { interval_ms: 'never' }), // an open stream does not end
    ...(ticket && { ticket: await ticket() }),
  });
  return service.ask(method.toUpperCase(), `${filled}?${query}`, {
    headers: { ...headers, ...trader, ...origin },
    ...(bodies[id] && { json: bodies[id] }),
  });
}

const PREFIXES: Record<string, string> = { app_id: 'app', request_id: 'req', partner_id: 'ptn', key_id: 'pky' };
const idFor = (name: string) =>
  PREFIXES[name] ? `${PREFIXES[name]}_aaaaaaaaaaaaaaaaaaaaaaa` : '0190aaaa-0000-7000-8000-000000000000';

/** One caller of each kind. */
async function everyKind(service: Identity): Promise<Record<string, Kind>> {
  const fullApp = await service.app(['*']);
  const apiApp = await service.app(['api']);
  const narrow = await service.app(['webhooks']);
  const other = await service.app(['*']);
  const user = await service.user(fullApp);
  const apiUser = await service.user(apiApp);
  const admin = await service.admin();
  const unenrolled = await service.admin(false);
  const partner = await createPartner(service.db, 'Partner');
  const session = (token: string) => ({ 'X-Session-Token': token });
  return {
    nothing: { shows: {}, headers: {} },
    'a partner key': { shows: { partnerKey: [] }, headers: bearer(partner.key) },
    'a wrong partner key': { shows: {}, headers: bearer(`${partner.key.slice(0, -2)}xx`) },
    'an app token for everything': { shows: { appToken: EVERYTHING }, headers: bearer(fullApp.token) },
    'an app token for api': { shows: { appToken: COVERED_BY_API }, headers: bearer(apiApp.token) },
    'an app token for webhooks': { shows: { appToken: ['webhooks'] }, headers: bearer(narrow.token) },
    'a wrong app token': { shows: {}, headers: bearer(`apt_${'x'.repeat(43)}`) },
    "an app's secret as a token": { shows: {}, headers: bearer(fullApp.secret) },
    'app and user': {
      shows: { appToken: EVERYTHING, userSession: [] },
      headers: { ...bearer(fullApp.token), ...session(user.session) },
    },
    'app for api and user': {
      shows: { appToken: COVERED_BY_API, userSession: [] },
      headers: { ...bearer(apiApp.token), ...session(apiUser.session) },
    },
    'a user without an app': { shows: {}, headers: session(user.session) },
    'a user as a bearer': { shows: {}, headers: bearer(user.session) },
    'an admin by cookie': { shows: { adminCookie: ['enrolled', ...operatorRoles] }, headers: { Cookie: admin.cookie } },
    'an admin by bearer': { shows: { adminBearer: ['enrolled', ...operatorRoles] }, headers: bearer(admin.token) },
    'an admin not enrolled': { shows: { adminBearer: [...operatorRoles] }, headers: bearer(unenrolled.token) },
    'a viewer': operator(await service.admin(true, 'viewer'), 'viewer'),
    support: operator(await service.admin(true, 'support'), 'viewer', 'support'),
    finance: operator(await service.admin(true, 'finance'), 'viewer', 'finance'),
    ...(await disabledKinds(service)),
    'an unknown operator': { shows: {}, headers: { Cookie: `__Host-admin_session=adm_${'x'.repeat(43)}` } },
    'a trader key': { shows: { traderKey: [] }, headers: { 'X-Api-Key': await traderKey(service, fullApp, user) } },
    'a wrong trader key': { shows: {}, headers: { 'X-Api-Key': 'tk_aaaaaaaaaaaaaaaaaaaaaaa.secret' } },
    "a ticket of the partner's stream": {
      shows: { partnerTicket: [] },
      headers: {},
      ticket: async () =>
        (await service.ask('POST', '/v1/stream-tickets', { headers: bearer(partner.key) })).body.ticket,
    },
    "a ticket of an account's stream": {
      shows: { accountTicket: [] },
      headers: {},
      ticket: async () => {
        const credentials = [`token ${digest(fullApp.token).toString('hex')}`];
        const issued = { owner: fullApp.appId as OwnerId, caller: 'app', credentials, propAccountId: UNMADE };
        return (await issueTicket(service.db, issued)).ticket;
      },
    },
    'a wrong ticket': { shows: {}, headers: {}, ticket: async () => `stk_${'x'.repeat(43)}` },
    'basic authorization': {
      shows: { clientBasic: [] },
      headers: { Authorization: `Basic ${Buffer.from(`${other.appId}:${other.secret}`).toString('base64')}` },
    },
  };
}

const operator = ({ token }: TestAdmin, ...roles: OperatorRole[]): Kind => ({
  shows: { adminBearer: ['enrolled', ...roles] },
  headers: bearer(token),
});

/** Callers whose owner or operator is disabled, or whose credential has ended: they pass nowhere. */
async function disabledKinds(service: Identity): Promise<Record<string, Kind>> {
  const [app, admin] = [await service.app(['*']), await service.admin()];
  const user = await service.user(app);
  const key = (await user.ask('POST', '/v2/api-keys', { json: { label: 'bot' } })).body.api_key;
  const [partner, revoked] = [await createPartner(service.db, 'Disabled'), await createPartner(service.db, 'Revoked')];
  const ended = await service.app(['*']);
  await service.db.query(sql.unsafe`update apps set disabled_at = now() where id = ${app.appId}`);
  await service.db.query(sql.unsafe`update app_tokens set expires_at = now() where app_id = ${ended.appId}`);
  await service.db.query(sql.unsafe`update admins set disabled_at = now() where id = ${admin.adminId}`);
  await service.db.query(sql.unsafe`update partners set disabled_at = now() where id = ${partner.partner_id}`);
  await service.db.query(
    sql.unsafe`update partner_keys set revoked_at = now() where partner_id = ${revoked.partner_id}`,
  );
  const nothing = (headers: Record<string, string>): Kind => ({ shows: {}, headers });
  return {
    'a disabled partner': nothing(bearer(partner.key)),
    'a revoked partner key': nothing(bearer(revoked.key)),
    'a disabled app': nothing(bearer(app.token)),
    'an expired app token': nothing(bearer(ended.token)),
    'a user of a disabled app': nothing({ ...bearer(app.token), 'X-Session-Token': user.session }),
    'a trader key of a disabled app': nothing({ 'X-Api-Key': key }),
    'a disabled operator by cookie': nothing({ Cookie: admin.cookie }),
    'a disabled operator by bearer': nothing(bearer(admin.token)),
    'the secret of a disabled app': nothing({
      Authorization: `Basic ${Buffer.from(`${app.appId}:${app.secret}`).toString('base64')}`,
    }),
  };
}

/** A key bound to an account without a subaccount: an accepted caller gets that error, and nothing is done. */
async function traderKey(service: Identity, { appId }: TestApp, { userId, ask }: TestUser): Promise<string> {
  await saveTier(service.db, sandboxTiers[0] as (typeof sandboxTiers)[number]);
  await service.db.query(sql.unsafe`
    insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status)
    select ${UNMADE}, ${appId}, ${userId}, t.id, t.market, t.asset_class, t.account_size, 'subaccount_failed'
    from tiers t
    limit 1`);
  return (await ask('POST', '/v2/api-keys', { json: { label: 'bot' } })).body.api_key;
}
