import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import type { AnyHandlers } from '../../src/contract/handler.ts';
import { createEdge } from '../../src/edge/server.ts';
import { bareEdge } from '../support/bare-edge.ts';

const ORDERS = '/v1/orders/netvenue';
const ENDPOINTS = '/v1/webhook-endpoints';
const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 1 };
const named = { ...order, order_uuid: '0198f7a0-1111-7222-8333-444455556666' };
const endpoint = { url: 'https://partner.example/hook', events: ['order.updated'] };
const KEYED = { 'Idempotency-Key': 'one' };
const INTENT = '0198f7a0-5555-7666-8777-888899990000';

const away = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const partner = { kind: 'partner', owner: 'ptn_a', keyId: 'k', perMinute: 1_000 };

/** Where the database goes away: while the caller is found, before an intent is accepted, or after that. */
type Where = 'caller' | 'handler' | 'accepted';

describe('the response to a request during which the database goes away', () => {
  let where: Where;
  const deps = bareEdge({
    partners: async () => {
      if (where === 'caller') throw away();
      return partner;
    },
    forgetPartners() {},
  });
  const handler = async (call: { submitted(accepted: object): void }) => {
    if (where === 'accepted') call.submitted({ id: INTENT, replayed: false });
    throw away();
  };
  const handlers = Object.fromEntries(listOperations().map(({ id }) => [id, handler])) as unknown as AnyHandlers; // as: they only fail
  const server = createEdge(deps, handlers);
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

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
      const { port } = server.address() as AddressInfo; // as: it listens on TCP

      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { Authorization: 'Bearer k', 'Trader-ID': '1', 'Content-Type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });

      const { error } = (await response.json()) as { error: Record<string, unknown> };
      const { effect, retryable, intent_id } = error;
      expect(response.status).to.equal(503);
      expect(error.code).to.equal('SERVICE_UNAVAILABLE');
      expect(JSON.parse(JSON.stringify({ effect, retryable, intent_id }))).to.deep.equal(says);
    });
});
