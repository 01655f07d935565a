import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import type { AnyHandlers } from '../../src/contract/handler.ts';
import { createEdge } from '../../src/edge/server.ts';
import { ApiError } from '../../src/kernel/errors.ts';
import { orderIdOf } from '../../src/kernel/ids.ts';
import { bareEdge } from '../support/bare-edge.ts';

const ORDERS = '/v1/orders/netvenue';
const ENDPOINTS = '/v1/webhook-endpoints';
const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 1 };
const named = { ...order, order_uuid: '0198f7a0-1111-7222-8333-444455556666' };
const endpoint = { url: 'https://partner.example/hook', events: ['order.updated'] };
const HELD_MS = 50;
const KEYED = { 'Idempotency-Key': 'one' };
const INTENT = '0198f7a0-5555-7666-8777-888899990000';

const away = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const partner = { kind: 'partner', owner: 'ptn_a', keyId: 'k', perMinute: 1_000 };

const NAMED_INTENT = orderIdOf('ptn_a', named.order_uuid);

/** Where the database goes away: while the caller is found, before an intent is accepted, or after that. */
type Where = 'caller' | 'handler' | 'accepted';

const everyOperation = (handler: object) =>
  Object.fromEntries(listOperations().map(({ id }) => [id, handler])) as unknown as AnyHandlers; // as: only one is called

describe('the response to a request during which the database goes away', () => {
  let where: Where;
  const deps = bareEdge({
    partners: async () => {
      if (where === 'caller') throw away();
      return partner;
    },
    forgetPartners() {},
  });
  let failure: () => Error;
  const handler = async (call: { submitted(accepted: object): void }) => {
    if (where === 'accepted') call.submitted({ id: INTENT, replayed: false });
    throw failure();
  };
  const server = createEdge(deps, everyOperation(handler));
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  function ask(path: string, body: object | undefined, headers: object): Promise<Response> {
    const { port } = server.address() as AddressInfo; // as: it listens on TCP
    return fetch(`http://127.0.0.1:${port}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { Authorization: 'Bearer k', 'Trader-ID': '1', 'Content-Type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  for (const [what, at, path, body, headers, says] of [
    ['while its caller is found', 'caller', ORDERS, order, {}, { effect: 'none', retryable: true }],
    [
      'while the caller of a write with a key is found',
      'caller',
      ORDERS,
      order,
      KEYED,
      { effect: 'unknown', retryable: true },
    ],
    [
      'while the caller of an order with a name is found',
      'caller',
      ORDERS,
      named,
      {},
      { effect: 'unknown', retryable: true },
    ],
    ['before an order is accepted', 'handler', ORDERS, order, {}, { effect: 'none', retryable: true }],
    ['before an order with a name is accepted', 'handler', ORDERS, named, {}, { effect: 'unknown', retryable: true }],
    [
      'after an order was accepted',
      'accepted',
      ORDERS,
      order,
      {},
      { effect: 'unknown', retryable: false, intent_id: INTENT },
    ],
    [
      'after an order with a key was accepted',
      'accepted',
      ORDERS,
      order,
      KEYED,
      { effect: 'unknown', retryable: true, intent_id: INTENT },
    ],
    [
      'while a write without an intent is made',
      'handler',
      ENDPOINTS,
      endpoint,
      {},
      { effect: 'unknown', retryable: false },
    ],
    [
      'while the caller of a write without an intent is found',
      'caller',
      ENDPOINTS,
      endpoint,
      {},
      { effect: 'none', retryable: true },
    ],
    ['while a list is read', 'handler', ENDPOINTS, undefined, KEYED, { retryable: true }],
  ] as [string, Where, string, object | undefined, object, object][])
    it(`${what}: ${JSON.stringify(says)}`, async () => {
      where = at;
      failure = away;

      const response = await ask(path, body, headers);

      const { error } = (await response.json()) as { error: Record<string, unknown> };
      const { effect, retryable, intent_id } = error;
      expect(response.status).to.equal(503);
      expect(error.code).to.equal('SERVICE_UNAVAILABLE');
      expect(JSON.parse(JSON.stringify({ effect, retryable, intent_id }))).to.deep.equal(says);
    });

  for (const [what, code, effect, intentId, body, headers, retryable] of [
    ['an order whose acceptance is not known', 'SERVICE_UNAVAILABLE', 'unknown', INTENT, order, {}, false],
    ['the same with a key', 'SERVICE_UNAVAILABLE', 'unknown', INTENT, order, KEYED, true],
    ['the same with a name', 'SERVICE_UNAVAILABLE', 'unknown', NAMED_INTENT, named, {}, true],
    ['an order of which nothing was sent', 'VENUE_UNREACHABLE', 'none', INTENT, order, {}, true],
    ['the same with a name, which keeps its end', 'VENUE_UNREACHABLE', 'none', NAMED_INTENT, named, KEYED, false],
  ] as const)
    it(`is to be repeated only where that is the same request: ${what}`, async () => {
      where = 'handler';
      failure = () => new ApiError(code, { effect, intent_id: intentId });

      const { error } = (await (await ask(ORDERS, body, headers)).json()) as { error: object };

      expect(error).to.include({ code, effect, intent_id: intentId, retryable });
    });
});

describe('a request whose body comes long after its headers', () => {
  it('is not executed for credentials that have ended meanwhile', async () => {
    let isLive = true;
    let calls = 0;
    const handler = async () => {
      calls += 1;
      return { status: 200, body: {} };
    };
    const deps = bareEdge({ partners: async () => (isLive ? partner : null) });
    const server = createEdge(deps, everyOperation(handler)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // as: it listens on TCP
    const text = JSON.stringify(order);
    const socket = connect(port, '127.0.0.1');
    const send = (isEnded: boolean) => {
      const lines = ['Host: localhost', 'Authorization: Bearer k', 'Trader-ID: 1', 'Content-Type: application/json'];
      socket.write(`POST ${ORDERS} HTTP/1.1\r\n${lines.join('\r\n')}\r\nContent-Length: ${text.length}\r\n\r\n`);
      socket.write(text.slice(0, 5));
      return once(server, 'request').then(async () => {
        await sleep(HELD_MS);
        isLive = !isEnded;
        socket.write(text.slice(5));
        return String(await once(socket, 'data')).split('\r\n')[0];
      });
    };

    expect(await send(false)).to.include('200');
    expect(await send(true)).to.include('401');
    expect(calls).to.equal(1);
    socket.destroy();
    server.close();
  });
});
