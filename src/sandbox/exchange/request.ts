import { canonical, isDecimal } from '../../kernel/decimals.ts';
import type { Tif, Trigger } from './world.ts';

/** One order of an action, parsed. */
export type OrderTerms = {
  asset: number;
  isBuy: boolean;
  price: string;
  size: string;
  reduceOnly: boolean;
  tif: Tif | null;
  trigger: Trigger | null;
  cloid: string | null;
};

/** An action, parsed. `hashed` is the action in the venue's member order and spelling, independent of the request's. */
export type ActionRequest = { hashed: object; items: number } & (
  | { type: 'order'; orders: OrderTerms[]; grouping: 'na' | 'normalTpsl' | 'positionTpsl' }
  | { type: 'cancel'; cancels: { asset: number; name: number | string }[] }
  | { type: 'batchModify'; modifies: { name: number | string; order: OrderTerms }[] }
  | { type: 'updateLeverage'; asset: number; isCross: boolean; leverage: number }
  | { type: 'noop' }
);

export type Request = {
  action: ActionRequest;
  nonce: number;
  signature: { r: string; s: string; v: number };
  vaultAddress: string | null;
  expiresAfter: number | null;
};

/** Thrown for a body that the venue cannot read. The response is 422. */
export class Malformed extends Error {}

type Json = Record<string, unknown>;

/** Reads the body of a write. See venues/exchange.md#actions. */
export const readRequest = (json: unknown): Request => {
  const { action, nonce, signature, vaultAddress, expiresAfter } = objectOf(json);
  const { r, s, v } = objectOf(signature);
  return {
    action: readAction(objectOf(action)),
    nonce: integerOf(nonce),
    signature: { r: hexOf(r, 64), s: hexOf(s, 64), v: integerOf(v) },
    vaultAddress: isMissing(vaultAddress) ? null : hexOf(vaultAddress, 40),
    expiresAfter: isMissing(expiresAfter) ? null : integerOf(expiresAfter),
  };
};

const readAction = (action: Json): ActionRequest => {
  switch (action.type) {
    case 'order':
      return readPlaceOrder(action);
    case 'cancel':
      return readCancels(action, 'cancel', ({ a, o }) => ({ a: integerOf(a), o: integerOf(o) }));
    case 'cancelByCloid':
      return readCancels(action, 'cancelByCloid', ({ asset, cloid }) => ({
        asset: integerOf(asset),
        cloid: nameOf(cloid),
      }));
    case 'batchModify':
      return readModifies(action);
    case 'updateLeverage':
      return readLeverage(action);
    case 'noop':
      return { type: 'noop', items: 1, hashed: { type: 'noop' } };
    default:
      throw new Malformed();
  }
};

const readPlaceOrder = ({ orders, grouping }: Json): ActionRequest => {
  if (grouping !== 'na' && grouping !== 'normalTpsl' && grouping !== 'positionTpsl') throw new Malformed();
  const wire = listOf(orders).map(orderedOrder);
  return {
    type: 'order',
    orders: wire.map(readOrder),
    grouping,
    items: wire.length,
    hashed: { type: 'order', orders: wire, grouping },
  };
};

const readCancels = (
  { cancels, f }: Json,
  type: string,
  read: (item: Json) => { a: number; o: number } | { asset: number; cloid: string },
): ActionRequest => {
  if (f === false) throw new Malformed(); // the venue accepts the flag only if it is true
  const wire = listOf(cancels).map(read);
  const named = wire.map((item) =>
    'a' in item ? { asset: item.a, name: item.o } : { asset: item.asset, name: item.cloid },
  );
  return {
    type: 'cancel',
    cancels: named,
    items: wire.length,
    hashed: { type, cancels: wire, ...(f === true && { f }) },
  };
};

const readModifies = ({ modifies, a }: Json): ActionRequest => {
  if (a === false) throw new Malformed();
  const wire = listOf(modifies).map(({ oid, order }) => ({
    oid: typeof oid === 'string' ? nameOf(oid) : integerOf(oid),
    order: orderedOrder(objectOf(order)),
  }));
  const hashed = { type: 'batchModify', modifies: wire, ...(a === true && { a }) };
  const read = wire.map(({ oid, order }) => ({ name: oid, order: readOrder(order) }));
  return { type: 'batchModify', modifies: read, items: wire.length, hashed };
};

const readLeverage = ({ asset, isCross, leverage }: Json): ActionRequest => {
  const requested = {
    type: 'updateLeverage' as const,
    asset: integerOf(asset),
    isCross: flagOf(isCross),
    leverage: integerOf(leverage),
  };
  return { ...requested, items: 1, hashed: requested };
};

type WireOrder = { a: number; b: boolean; p: string; s: string; r: boolean; t: WireTerms; c?: string };
type WireTerms = { limit: { tif: Tif } } | { trigger: Trigger };

const orderedOrder = ({ a, b, p, s, r, t, c }: Json): WireOrder => ({
  a: integerOf(a),
  b: flagOf(b),
  p: decimalOf(p),
  s: decimalOf(s),
  r: flagOf(r),
  t: orderedTerms(objectOf(t)),
  ...(!isMissing(c) && { c: nameOf(c) }),
});

const orderedTerms = ({ limit, trigger }: Json): WireTerms => {
  if (isMissing(limit) === isMissing(trigger)) throw new Malformed();
  if (!isMissing(limit)) return { limit: { tif: oneOf(objectOf(limit).tif, 'Gtc', 'Ioc', 'Alo', 'FrontendMarket') } };
  const { isMarket, triggerPx, tpsl } = objectOf(trigger);
  return { trigger: { isMarket: flagOf(isMarket), triggerPx: decimalOf(triggerPx), tpsl: oneOf(tpsl, 'tp', 'sl') } };
};

const readOrder = ({ a, b, p, s, r, t, c }: WireOrder): OrderTerms => ({
  asset: a,
  isBuy: b,
  price: p,
  size: s,
  reduceOnly: r,
  tif: 'limit' in t ? t.limit.tif : null,
  trigger: 'trigger' in t ? t.trigger : null,
  cloid: c ?? null,
});

const isMissing = (value: unknown): value is undefined | null => value === undefined || value === null;

const expectValid = <T>(holds: boolean, value: unknown): T => {
  if (!holds) throw new Malformed();
  return value as T; // as: `holds` has checked it
};

const objectOf = (value: unknown): Json =>
  expectValid(typeof value === 'object' && value !== null && !Array.isArray(value), value);
const listOf = (value: unknown): Json[] => expectValid<unknown[]>(Array.isArray(value), value).map(objectOf);
const integerOf = (value: unknown): number => expectValid(Number.isSafeInteger(value) && Number(value) >= 0, value);
const flagOf = (value: unknown): boolean => expectValid(typeof value === 'boolean', value);
const decimalOf = (value: unknown): string =>
  canonical(expectValid(typeof value === 'string' && isDecimal(value), value));
const oneOf = <V extends string>(value: unknown, ...allowed: V[]): V =>
  expectValid(
    allowed.some((each) => each === value),
    value,
  );
const hexOf = (value: unknown, digits: number): string =>
  expectValid<string>(
    typeof value === 'string' && new RegExp(`^0x[0-9a-f]{1,${digits}}$`, 'i').test(value),
    value,
  ).toLowerCase();
const nameOf = (value: unknown): string =>
  expectValid<string>(typeof value === 'string' && /^0x[0-9a-f]{32}$/i.test(value), value).toLowerCase();
