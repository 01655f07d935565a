import { type HttpClient, httpClient, inTurns, type Reply } from '../../../adapters/http.ts';
import { isHotkey, isUuid } from '../../../kernel/ids.ts';
import { unreadable } from '../../../kernel/upstream-result.ts';
import { presentWork } from '../../../kernel/work.ts';
import { archiveResponse } from './archive.ts';
import { ordersResponse, tradePairsResponse } from './books.ts';
import { dashboardResponse } from './dashboard.ts';
import { limitsResponse } from './limits.ts';
import { LOOK_UP_MS, type LookUps, unlimited } from './look-ups.ts';
import { submitResponse, workedFor } from './orders.ts';
import { payoutBody, settlementsResponse } from './payouts.ts';
import { rejectedForForm } from './rejections.ts';
import type { Bracket, Signal, TrailingStop } from './signal-types.ts';
import { createResponse, listResponse, subaccountBody } from './subaccounts.ts';
import type { CallLimits, Netvenue, NetvenueAccess, NetvenueTurns } from './types.ts';

/** The miner tries 3 times for 30 s with 2 pauses of 5 s: 100 s at most. Then it still needs time to respond. */
const SUBMIT_MS = 120_000;
/** The miner gives the validator 60 s to create a subaccount. */
const CREATE_MS = 90_000;
/** Reads are made while a caller waits. */
const READ_MS = 5_000;

const client = httpClient();

/**
 * Client of one entity's miner and validator. Expected faults are results, not exceptions. It never resends by itself.
 * `sendLookUp` sends the look-ups at the miner.
 */
export const netvenue = (access: NetvenueAccess, sendLookUp: LookUps = unlimited): Netvenue => {
  const { turns } = access;
  const miner = caller(access.minerUrl, access.minerKey, client);
  const writes = caller(access.minerUrl, access.minerKey, turns?.miners ? byUrgency(turns.miners) : client);
  const validator = caller(access.validatorUrl, access.validatorKey, turns ? inTurns(client, turns.validator) : client);
  const entityPath = `/entity/${encodeURIComponent(access.entityHotkey)}`;
  return {
    submit: async (signal, limits) => {
      if (!isNamed(signal)) return rejectedForForm;
      const sentAt = performance.now();
      const reply = await writes.post('/api/submit-order', signalBody(signal), { timeoutMs: SUBMIT_MS, ...limits });
      const elapsedMs = performance.now() - sentAt;
      const workedMs = workedFor(reply);
      if (workedMs !== null) limits?.onResponse?.(sentAt + workedMs);
      return submitResponse(reply, signal, elapsedMs);
    },
    orderStatus: async (orderUuid) => {
      if (!isOrderName(orderUuid)) return unreadable('not an order uuid');
      return archiveResponse(
        await sendLookUp((notAfter) =>
          miner.get(`/api/order-status/${orderUuid}`, { timeoutMs: LOOK_UP_MS, notAfter, isQueued: true }),
        ),
        orderUuid,
      );
    },
    dashboard: async (hotkey, limits) => {
      if (!isHotkey(hotkey)) return unreadable('not a synthetic hotkey');
      return dashboardResponse(await validator.get(`/v2/entity/subaccount/${hotkey}`, limits), [
        'synthetic_hotkey',
        hotkey,
      ]);
    },
    orders: async (hotkey, limits) => {
      if (!isHotkey(hotkey)) return unreadable('not a synthetic hotkey');
      return ordersResponse(await validator.get(`/orders/${hotkey}?status=unfilled,filled,cancelled`, limits));
    },
    walletDashboard: async (address, limits) => {
      if (!isAddress(address)) return unreadable('not an address');
      return dashboardResponse(await validator.get(`/hl-traders/${address.toLowerCase()}`, limits), [
        'hl_address',
        address,
      ]);
    },
    limits: async (hotkey, limits) => {
      if (!isHotkey(hotkey)) return unreadable('not a synthetic hotkey');
      return limitsResponse(await validator.get(`/subaccounts/${hotkey}/limits`, limits));
    },
    walletLimits: async (address, limits) => {
      if (!isAddress(address)) return unreadable('not an address');
      return limitsResponse(await validator.get(`/hl-traders/${address.toLowerCase()}/limits`, limits), address);
    },
    settlements: async (of, nowMs, limits) => {
      const body = payoutBody(of.uuid, nowMs);
      const reply = await validator.post('/entity/subaccount/payout', body, { timeoutMs: READ_MS, ...limits });
      return settlementsResponse(reply, of);
    },
    tradePairs: async (limits) => tradePairsResponse(await validator.get('/trade-pairs', limits)),
    createSubaccount: async (requested, limits) => {
      const path = 'exAddress' in requested ? '/api/create-hl-subaccount' : '/api/create-subaccount';
      const reply = await writes.post(path, subaccountBody(requested), { timeoutMs: CREATE_MS, ...limits });
      return createResponse(reply, requested, access.entityHotkey);
    },
    listSubaccounts: async (limits) => listResponse(await validator.get(entityPath, limits), access.entityHotkey),
  };
};

/** Exits and entries have separate limits, so exits do not wait for entries. */
function byUrgency(turns: NonNullable<NetvenueTurns['miners']>): HttpClient {
  const [exit, entry] = [inTurns(client, turns.exit), inTurns(client, turns.entry)];
  return (request) => (presentWork().isExit ? exit : entry)(request);
}

/** The body of a signal, member by member: what is not listed is not sent, and a member of the type has to be listed. */
const signalBody = (signal: Signal): Record<keyof Signal, unknown> => ({
  order_uuid: signal.order_uuid,
  subaccount_id: signal.subaccount_id,
  execution_type: signal.execution_type,
  trade_pair: signal.trade_pair,
  order_type: signal.order_type,
  leverage: signal.leverage,
  value: signal.value,
  quantity: signal.quantity,
  limit_price: signal.limit_price,
  stop_price: signal.stop_price,
  stop_condition: signal.stop_condition,
  stop_loss: signal.stop_loss,
  take_profit: signal.take_profit,
  trailing_stop: signal.trailing_stop && trailingBody(signal.trailing_stop),
  bracket_orders: signal.bracket_orders?.map(bracketBody),
});

const trailingBody = (stop: TrailingStop) =>
  'trailing_percent' in stop ? { trailing_percent: stop.trailing_percent } : { trailing_value: stop.trailing_value };

const bracketBody = (bracket: Bracket): Record<keyof Bracket, unknown> => ({
  order_uuid: bracket.order_uuid,
  stop_loss: bracket.stop_loss,
  take_profit: bracket.take_profit,
  trailing_percent: bracket.trailing_percent,
  trailing_value: bracket.trailing_value,
  leverage: bracket.leverage,
  value: bracket.value,
  quantity: bracket.quantity,
});

type Limits = CallLimits & { timeoutMs: number };

const caller = (baseUrl: string, key: string, send: HttpClient) => {
  const base = baseUrl.replace(/\/+$/, ''); // a string: resolving against a URL would drop its path
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json' };
  return {
    get: (path: string, limits: CallLimits & { isQueued?: boolean } = {}): Promise<Reply> =>
      send({ timeoutMs: READ_MS, ...limits, method: 'GET', url: base + path, headers }),
    post: (path: string, body: object, limits: Limits): Promise<Reply> =>
      send({
        ...limits,
        method: 'POST',
        url: base + path,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
};

/**
 * The venue names the orders that it creates after their parent: exits, the limit order of a triggered stop-limit, and
 * the close of a position. They combine. See venues/network.md#derived-ids.
 */
const DERIVED = /(-(bracket-\d{1,4}|limit|flat-all)){0,4}$/;

/** The venue uses the uuid as a file name, so no other text may be sent. */
const isOrderName = (name: string): boolean => isUuid(name.replace(DERIVED, ''));

const isNamed = ({ order_uuid, execution_type }: Signal): boolean => {
  if (execution_type !== 'LIMIT_CANCEL' && execution_type !== 'FLAT_ALL') return isOrderName(order_uuid);
  return order_uuid === 'ALL' || order_uuid.split(',').every(isOrderName);
};

const isAddress = (address: string): boolean => /^0x[0-9a-f]{40}$/i.test(address);
