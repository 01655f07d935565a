import { hash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type {
  AppId,
  Hotkey,
  IntentId,
  OrderUuid,
  OwnerId,
  PartnerId,
  PaymentId,
  PayoutId,
  PropAccountId,
  UserId,
  WalletAddress,
} from './id-kinds.ts';
import { epochMs } from './work.ts';

export type * from './id-kinds.ts';

const ID_BYTES = 17; // 136 bits: 23 url-safe characters
const SECRET_BYTES = 32; // 256 bits: 43 url-safe characters

type Schema<Kind> = z.ZodType<Kind, string>;
const text = z.string();

/** Schemas of ids, for rows, requests and payloads. They check that it is a text, and give it its kind. */
export const idSchema: {
  partner: Schema<PartnerId>;
  app: Schema<AppId>;
  owner: Schema<OwnerId>;
  user: Schema<UserId>;
  propAccount: Schema<PropAccountId>;
  payment: Schema<PaymentId>;
  payout: Schema<PayoutId>;
  intent: Schema<IntentId>;
  order: Schema<OrderUuid>;
  hotkey: Schema<Hotkey>;
  wallet: Schema<WalletAddress>;
} = {
  partner: text,
  app: text,
  owner: text,
  user: text,
  propAccount: text,
  payment: text,
  payout: text,
  intent: text,
  order: text,
  hotkey: text,
  wallet: text,
};

/** A new identifier: the prefix, an underscore, and 23 url-safe random characters. */
export function newId(prefix: 'ptn'): PartnerId;
export function newId(prefix: 'app'): AppId;
export function newId(prefix: 'usr'): UserId;
export function newId(prefix: 'prop'): PropAccountId;
export function newId(prefix: 'pay'): PaymentId;
export function newId(prefix: 'po'): PayoutId;
export function newId(prefix: string): string;
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(ID_BYTES).toString('base64url')}`;
}

/** A new bearer secret: the prefix, an underscore, and 256 random bits. Store only its digest. */
export const newSecret = (prefix: string): string => `${prefix}_${randomBytes(SECRET_BYTES).toString('base64url')}`;

const HINT_LENGTH = 8; // enough to distinguish secrets, far too little to guess one

/** The first characters of a bearer secret, which may be stored and shown. */
export const hintOf = (secret: string): string => secret.slice(0, HINT_LENGTH);

/** A new one-time code: six digits. */
export const newCode = (): string => String(randomInt(1_000_000)).padStart(6, '0');

/**
 * A new UUID of version 7 (RFC 9562, section 5.7). Its first 48 bits are the time in milliseconds, so new rows are
 * adjacent in an index. Its last 28 bits are a mark, which other software's ids do not have; 46 bits are random.
 */
export function newIntentId(now = epochMs()): IntentId {
  const time = now.toString(16).padStart(12, '0');
  const { length: timeAndVersion } = 'tttttttt-tttt-4';
  const unmarked = `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(timeAndVersion, -MARK_DIGITS)}`;
  return unmarked + markOf(unmarked);
}

const MARK_DIGITS = 7;
const markOf = (unmarked: string): string => hash('sha256', `intent ${unmarked}`).slice(0, MARK_DIGITS);

/** When `newIntentId` made an id, in epoch ms. Null for an id that it did not make. */
export function intentIdTimeMs(id: string): number | null {
  if (!isUuid(id) || !id.endsWith(markOf(id.slice(0, -MARK_DIGITS)))) return null;
  return Number.parseInt(id.slice(0, 13).replace('-', ''), 16);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The id of an order that its owner named itself: a UUID of version 8 (RFC 9562, section 5.8) over the owner and the name. It is
 * what venues get, so the same name of two owners is two ids. The SQL function `order_id_of` computes the same.
 */
export function orderIdOf(owner: OwnerId, name: OrderUuid): IntentId {
  const hex = hash('sha256', `order ${owner} ${name.toLowerCase()}`);
  const [a, b, c, d, e] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16), hex.slice(17, 20), hex.slice(20, 32)];
  return `${a}-${b}-8${c}-8${d}-${e}`;
}

/** The name of an order by which its owner knows it: its own, or the id that this service gave. */
export const nameOf = ({ id, given_id }: { id: OrderUuid; given_id: OrderUuid | null }): OrderUuid => given_id ?? id;

/**
 * The ids that the order may have which an owner calls `name`: the one made of its own name, or the one this service
 * gave. Statements name both: for an array of any length PostgreSQL makes its plan anew each time, which took longer
 * than the look-up.
 */
export const orderIdsOf = (owner: OwnerId, name: OrderUuid): [OrderUuid, OrderUuid] => [
  orderIdOf(owner, name),
  name.toLowerCase(),
];

/** Whether a text has the shape of a UUID, of any version. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** A subaccount's synthetic hotkey: the entity's hotkey, an underscore, and the subaccount's number in the entity. */
export const hotkeyOf = (entityHotkey: Hotkey, subaccountId: number): Hotkey => `${entityHotkey}_${subaccountId}`;

/** Whether a text has the shape of a synthetic hotkey. */
export const isHotkey = (text: string): text is Hotkey => /^[A-Za-z0-9_-]+_\d+$/.test(text);

/** The entity hotkey of a synthetic hotkey: everything before the last underscore. */
export const entityOf = (syntheticHotkey: Hotkey): Hotkey => syntheticHotkey.slice(0, syntheticHotkey.lastIndexOf('_'));

/**
 * The canonical form of an e-mail address: NFKC, lower case, trimmed. Addresses with the same canonical form are one
 * user.
 */
export const normalisedEmail = (email: string): string => email.normalize('NFKC').trim().toLowerCase();

/** The SHA-256 of a text, as bytes. Bearer secrets are stored in this form only. */
export const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/**
 * The SHA-256, in hex, of the JSON of `parts` with sorted members. The order of members does not change it, nor the case
 * of UUIDs.
 */
export const requestDigest = (...parts: unknown[]): string => hash('sha256', JSON.stringify(parts.map(sorted)));

function sorted(value: unknown): unknown {
  if (typeof value === 'string' && isUuid(value)) return value.toLowerCase();
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
