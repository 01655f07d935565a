import { expect } from 'chai';
import { listOperations, type Operation } from '../../src/contract/document.ts';
import { appForPayouts, NOBODYS, partnerWithIds, type Tenant, userWithIds } from '../support/foreign.ts';
import type { Ask, Data } from '../support/identity.ts';
import { listMembers } from '../support/members.ts';
import { ENTERED, type Kind, NAMED_IDS, type NamedId } from '../support/named-ids.ts';
import { limit, market } from '../support/orders.ts';
import { startTrading, type Trading } from '../support/trading.ts';

/** Members of requests that name a row or a subject of somebody. */
const RESEMBLES_ID =
  /^(cursor|after|Trader-ID|X-Prop-Account|owner)$|(^|_|\.)(id|ids|uuid|uuids|wallet|ex_address|hotkey)$/;
/** Members that only look so: the caller says where its money goes, and how it calls its order. */
const NO_ID = /^(payout_wallet|client_order_id)$/;

const LISTS = listOperations().filter(
  ({ method, path, streams, security }) =>
    method === 'get' && /^\/v[12]\/(?!admin)/.test(path) && !path.includes('{') && !streams && security.length > 0,
);
const isOfUsers = ({ security }: Operation) =>
  security.every((set) => set.some(({ scheme }) => scheme === 'userSession' || scheme === 'traderKey'));

const SHORTEST_ID = 3; // shorter ones occur in other texts
/** Headers that differ between any two responses, and what does in others. */
const OF_EACH_RESPONSE = new Set(['date', 'x-request-id', 'content-length']);
const OWN: Record<string, RegExp> = { 'intent-id': /.*/, ratelimit: /;[rt]=\d+/g };

const operations = listOperations();
const operationOf = (id: string) => operations.find((each) => each.id === id) as Operation; // as: tested below

describe('every id that a request of a tenant can name', () => {
  const isOperators = ({ security }: Operation) => security.flat().some(({ scheme }) => scheme.startsWith('admin'));
  const slotsOf = (operation: Operation) =>
    listMembers(operation).map(({ place, name }) => ({ name, slot: `${operation.id} ${place}:${name}` }));

  it('is entered in test/support/named-ids.ts', () => {
    const slots = operations.filter((operation) => !isOperators(operation)).flatMap(slotsOf);
    const ids = slots.filter(({ name }) => RESEMBLES_ID.test(name) && !NO_ID.test(name));

    expect(ids.map(({ slot }) => slot).filter((slot) => !ENTERED.has(slot))).to.deep.equal([]);
    expect(ids).to.have.length.above(80);
  });

  it('is one that the contract knows', () => {
    const known = new Set(operations.flatMap(slotsOf).map(({ slot }) => slot));

    expect([...ENTERED].filter((slot) => !known.has(slot))).to.deep.equal([]);
  });
});

/** The rest of each request, as its owner would send it. */
const BODIES: Record<string, object> = {
  submitNetvenueOrder: market(),
  closeNetvenuePosition: { trade_pair: 'BTCUSDC' },
  setNetvenueTpSl: { trade_pair: 'BTCUSDC', take_profit: 130_000 },
  editNetvenueOrder: { trade_pair: 'ETHUSDC', limit_price: 1_001 },
  submitExvenueOrder: { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: '50000' },
  closeExvenuePosition: { pair: 'BTC' },
  setExvenueTpSl: { pair: 'BTC', stop_loss: '1000' },
  validateTrade: { venue: 'netvenue', pair: 'BTCUSDC', side: 'long', size: '0.01', order_type: 'market' },
  requestPayout: { amount_cents: 1_000 },
  updatePartnerWebhookEndpoint: { description: 'taken' },
  recoverPartnerWebhookEndpoint: { since: '2026-01-01T00:00:00Z' },
  updateWebhookEndpoint: { description: 'taken' },
  recoverWebhookEndpoint: { since: '2026-01-01T00:00:00Z' },
  sendNotification: { subject: 's', html: 'h', fanout_event: 'payment.failed' },
  createApiKey: { label: 'taken' },
  submitTradingOrder: limit(),
  closeTradingPosition: { trade_pair: 'BTCUSDC' },
  setTradingTpSl: { trade_pair: 'BTCUSDC', take_profit: 130_000 },
  editTradingOrder: { trade_pair: 'ETHUSDC', limit_price: 1_001 },
};
const OF_PARTNERS: Kind[] = [
  'subaccount',
  'wallet',
  'enrollment',
  'network order',
  'exchange order',
  'partner intent',
  'partner event',
  'partner line',
  'partner endpoint',
  'partner delivery',
  'partner key',
];
const OF_APPS: Kind[] = ['endpoint', 'delivery', 'event', 'line', 'user', 'app intent', 'client secret'];

/** Who is no owner of an id, by the names of the callers below. */
function outsidersTo({ operation, place, kind }: NamedId): string[] {
  if (OF_PARTNERS.includes(kind)) return ['another partner'];
  if (OF_APPS.includes(kind)) return ['another app'];
  const users = ['another user of the app', 'a user of another app'];
  const isTrading = /^\/v2\/(trading\/|stream-tickets$)/.test(operationOf(operation)?.path ?? '');
  return isTrading && place === 'header' ? [...users, 'another app', 'a key of another account'] : users;
}

describe('an id of another tenant', function () {
  this.timeout(60_000);
  let service: Trading;
  let owners: Record<'partner' | 'user', Tenant>;
  let callers: Record<string, { ask: Ask; callersIds: Tenant['ids'] }>;
  let unharmed: string[];

  before(async () => {
    service = await startTrading();
    const [app, other] = [await appForPayouts(service), await appForPayouts(service)];
    owners = { partner: await partnerWithIds(service), user: await userWithIds(service, app) };
    const [partner, neighbour, outsider] = [
      await partnerWithIds(service),
      await userWithIds(service, app),
      await userWithIds(service, other),
    ];
    callers = {
      'another partner': { ask: partner.ask, callersIds: partner.ids },
      'another user of the app': { ask: neighbour.ask, callersIds: neighbour.ids },
      'a user of another app': { ask: outsider.ask, callersIds: outsider.ids },
      'another app': { ask: other.ask, callersIds: outsider.ids },
      'a key of another account': { ask: neighbour.key as Ask, callersIds: neighbour.ids },
    };
    unharmed = await ownersView();
  });
  after(() => service.stop());

  const ownerOf = ({ kind }: NamedId) => (OF_PARTNERS.includes(kind) ? owners.partner : owners.user);

  /** Sends a request whose id at one place is given; with an id of the trader, all of its ids are. */
  function send(named: NamedId, ask: Ask, ids: Tenant['ids'], callersIds: Tenant['ids']): ReturnType<Ask> {
    const { method, path, parameters } = operationOf(named.operation);
    const slots = NAMED_IDS.filter(({ operation }) => operation === named.operation);
    const idOf = (slot: NamedId) => String((slot === named || named.place === 'header' ? ids : callersIds)[slot.kind]);
    const at = (place: string) => slots.filter((slot) => slot.place === place && (place !== 'query' || slot === named));
    const filled = at('path').reduce((text, slot) => text.replace(`{${slot.member}}`, idOf(slot)), path);
    const query = new URLSearchParams(Object.fromEntries(at('query').map((slot) => [slot.member, idOf(slot)])));
    if (parameters.some(({ name, required }) => name === 'trade_pair' && required)) query.set('trade_pair', 'ETHUSDC');
    const inBody = at('body').map((slot) => [slot.member, slot.member.endsWith('s') ? [idOf(slot)] : idOf(slot)]);
    const json = { ...BODIES[named.operation], ...Object.fromEntries(inBody) };
    return ask(method.toUpperCase(), `${filled}?${query}`, {
      headers: Object.fromEntries(at('header').map((slot) => [slot.member, idOf(slot)])),
      ...(Object.keys(json).length > 0 && { json }),
    });
  }

  for (const named of NAMED_IDS)
    for (const who of outsidersTo(named))
      it(`is to ${who} as one that nobody has: ${named.member} of ${named.operation}`, async () => {
        const { ask, callersIds } = callers[who] as (typeof callers)[string];

        const theirs = await send(named, ask, ownerOf(named).ids, callersIds);
        const nobodys = await send(named, ask, NOBODYS, callersIds);

        expect(shown(theirs)).to.equal(shown(nobodys));
        if (named.member === 'cursor') expect(theirs.status).to.equal(422);
      });

  it('is in no list that somebody else reads, and in those of its owner', async () => {
    const shownTo = async ({ ask, callersIds }: { ask: Ask; callersIds: Tenant['ids'] }, lists: Operation[]) => {
      const found: string[] = [];
      for (const { id, path, parameters } of lists) {
        const headers = Object.fromEntries(
          NAMED_IDS.filter(({ operation, place }) => operation === id && place === 'header').map((slot) => [
            slot.member,
            callersIds[slot.kind] ?? '',
          ]),
        );
        const pair = parameters.some(({ name, required }) => name === 'trade_pair' && required);
        const { body } = await ask('GET', `${path}${pair ? '?trade_pair=ETHUSDC' : ''}`, { headers });
        const text = JSON.stringify(body) ?? '';
        found.push(...ownersIds().flatMap(([kind, value]) => (text.includes(value) ? `${id}: ${kind}` : [])));
      }
      return found;
    };
    const { partner, user } = owners;

    for (const [who, caller] of Object.entries(callers)) {
      const isNeighbour = who === 'another user of the app'; // what the app reads is this user's app's
      expect(await shownTo(caller, isNeighbour ? LISTS.filter(isOfUsers) : LISTS), who).to.deep.equal([]);
    }
    const shown = [
      ...(await shownTo({ ask: partner.ask, callersIds: partner.ids }, LISTS)),
      ...(await shownTo({ ask: user.ask, callersIds: user.ids }, LISTS)),
    ];
    const { body: orders } = await user.ask('GET', '/v2/trading/orders'); // of the account that this user means
    expect(JSON.stringify(orders)).to.include(user.ids['trading order']);
    expect(new Set(shown.map((line) => line.split(': ')[0])).size, shown.join(', ')).to.be.above(12);
  });

  const ownersIds = () =>
    [owners.partner.ids, owners.user.ids]
      .flatMap((ids) => Object.entries(ids))
      .filter(([, value]) => value.length > SHORTEST_ID);

  it('is unchanged after all of these', async () => {
    const now = await ownersView();

    expect(now.filter((line, n) => line !== unharmed[n])).to.deep.equal([]);
  });

  it('is open to its owner', async () => {
    const faults: string[] = [];
    for (const named of NAMED_IDS.filter(({ operation }) => isRead(operation))) {
      const { ids, ask, app } = ownerOf(named);
      const reply = await send(named, OF_APPS.includes(named.kind) ? (app as Ask) : ask, ids, ids);
      if (reply.status !== 200 && reply.status !== 204) faults.push(`${named.operation}: ${shown(reply)}`);
    }

    expect(faults).to.deep.equal([]);
  });

  const isRead = (operation: string) => operationOf(operation).method === 'get' && !operationOf(operation).streams;

  /** What the owners read of their objects by these ids, without the times that reads and workers move. */
  async function ownersView(): Promise<string[]> {
    const reads = [
      ...['network order', 'exchange order', 'partner intent', 'partner event', 'wallet'].map((kind) => kind as Kind),
      ...['payment', 'account', 'trading order', 'endpoint', 'session', 'api key', 'payout', 'event'].map(
        (kind) => kind as Kind,
      ),
    ].flatMap((kind) =>
      NAMED_IDS.filter(
        ({ kind: ofKind, operation }) => ofKind === kind && isRead(operation) && !/WebhookDeliveries$/.test(operation), // their attempts go on
      ),
    );
    const seen: string[] = [];
    for (const named of reads) {
      const { ids, ask, app } = ownerOf(named);
      const { status, body } = await send(named, OF_APPS.includes(named.kind) ? (app as Ask) : ask, ids, ids);
      seen.push(`${named.operation} ${status} ${JSON.stringify(body).replace(/"[\d-]+T[\d:.]+Z"/g, '"<time>"')}`);
    }
    return seen;
  }

  /** A response with its headers, without times and ids: of the request, of its response, and those tried. */
  function shown({ status, body, headers }: Data): string {
    const tried = [NOBODYS, owners.partner.ids, owners.user.ids].flatMap((ids) => Object.values(ids));
    const ids = tried.filter(({ length }) => length > SHORTEST_ID).sort((a, b) => b.length - a.length);
    const text = (JSON.stringify(body) ?? '').replace(/"request_id":"[^"]+"/g, '');
    const heads = [...headers].filter(([name]) => !OF_EACH_RESPONSE.has(name));
    const all = `${text} ${heads.map(([name, value]) => `${name}: ${value.replace(OWN[name] ?? '', '')}`)}`;
    return `${status} ${ids.reduce((rest, id) => rest.replaceAll(id, '<id>'), all)}`;
  }
});
