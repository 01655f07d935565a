import { unreadable } from '../../kernel/answer.ts';
import { isUuid } from '../../kernel/ids.ts';
import { httpClient, type Reply } from '../http.ts';
import { submitAnswer } from './answers.ts';
import { archiveAnswer } from './archive.ts';
import { ordersAnswer, tradePairsAnswer } from './books.ts';
import { dashboardAnswer } from './dashboard.ts';
import { limitsAnswer } from './limits.ts';
import { payoutBody, settlementsAnswer } from './payouts.ts';
import { refusedForForm } from './refusals.ts';
import { createAnswer, listAnswer, subaccountBody } from './subaccounts.ts';
import type { CallLimits, Netvenue, NetvenueAccess, Signal } from './types.ts';

/** The miner tries three times for 30 s with two pauses of 5 s: 100 s at worst, and then it still has to answer us. */
const SUBMIT_MS = 120_000;
/** The miner gives the validator 60 s to make a subaccount. */
const CREATE_MS = 90_000;
/** Reads are made while a caller waits. */
const READ_MS = 5_000;

const send = httpClient();

/** Speaks with one entity's miner and validator. Foreseen faults come back as answers; nothing is ever sent twice. */
export const netvenue = (access: NetvenueAccess): Netvenue => {
  const miner = caller(access.minerUrl, access.minerKey);
  const validator = caller(access.validatorUrl, access.validatorKey);
  return {
    submit: async (signal, limits) => {
      if (!isNamed(signal)) return refusedForForm;
      const reply = await miner.post('/api/submit-order', signal, { timeoutMs: SUBMIT_MS, ...limits });
      return submitAnswer(reply, signal.order_uuid);
    },
    orderStatus: async (orderUuid, limits) => {
      if (!isOrderName(orderUuid)) return unreadable('not an order uuid');
      return archiveAnswer(await miner.get(`/api/order-status/${orderUuid}`, limits));
    },
    dashboard: async (hotkey, limits) => {
      if (!isHotkey(hotkey)) return unreadable('not a synthetic hotkey');
      return dashboardAnswer(await validator.get(`/v2/entity/subaccount/${hotkey}`, limits));
    },
    orders: async (hotkey, limits) => {
      if (!isHotkey(hotkey)) return unreadable('not a synthetic hotkey');
      return ordersAnswer(await validator.get(`/orders/${hotkey}?status=unfilled,filled,cancelled`, limits));
    },
    walletDashboard: async (address, limits) => {
      if (!isAddress(address)) return unreadable('not an address');
      return dashboardAnswer(await validator.get(`/hl-traders/${address.toLowerCase()}`, limits));
    },
    limits: async (hotkey, limits) => {
      if (!isHotkey(hotkey)) return unreadable('not a synthetic hotkey');
      return limitsAnswer(await validator.get(`/subaccounts/${hotkey}/limits`, limits));
    },
    walletLimits: async (address, limits) => {
      if (!isAddress(address)) return unreadable('not an address');
      return limitsAnswer(await validator.get(`/hl-traders/${address.toLowerCase()}/limits`, limits));
    },
    settlements: async (uuid, nowMs, limits) =>
      settlementsAnswer(
        await validator.post('/entity/subaccount/payout', payoutBody(uuid, nowMs), { timeoutMs: READ_MS, ...limits }),
      ),
    tradePairs: async (limits) => tradePairsAnswer(await validator.get('/trade-pairs', limits)),
    createSubaccount: async (asked, limits) => {
      const path = 'exAddress' in asked ? '/api/create-hl-subaccount' : '/api/create-subaccount';
      return createAnswer(await miner.post(path, subaccountBody(asked), { timeoutMs: CREATE_MS, ...limits }));
    },
    listSubaccounts: async (limits) =>
      listAnswer(await validator.get(`/entity/${encodeURIComponent(access.entityHotkey)}`, limits)),
  };
};

type Limits = CallLimits & { timeoutMs: number };

const caller = (baseUrl: string, key: string) => {
  const base = baseUrl.replace(/\/+$/, ''); // kept as a text: resolving against it would drop its own path
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json' };
  return {
    get: (path: string, limits: CallLimits = {}): Promise<Reply> =>
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

/** Brackets and closings the venue makes itself are named after the order they belong to. */
const DERIVED = /-(bracket-\d{1,4}|flat-all)$/;

/** The venue uses the uuid as the name of a file, so nothing else may ever reach it. */
const isOrderName = (name: string): boolean => isUuid(name.replace(DERIVED, ''));

const isNamed = ({ order_uuid, execution_type }: Signal): boolean => {
  if (execution_type !== 'LIMIT_CANCEL' && execution_type !== 'FLAT_ALL') return isOrderName(order_uuid);
  return order_uuid === 'ALL' || order_uuid.split(',').every(isOrderName);
};

/** The name of the entity and the number of the subaccount. */
const isHotkey = (hotkey: string): boolean => /^[A-Za-z0-9_-]+_\d+$/.test(hotkey);

const isAddress = (address: string): boolean => /^0x[0-9a-f]{40}$/i.test(address);
