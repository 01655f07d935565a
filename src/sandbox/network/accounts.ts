import { withdraw } from './resting.ts';
import { closePosition } from './trading.ts';
import type { Account, World } from './world.ts';

/** The source of an order that an elimination cancels. See venues/network-validator.md#order-source-codes. */
const BY_ELIMINATION = 18;
const MAX_SIZE = 100_000;
const MAX_ACCOUNTS = 10_000;
const CLASSES = ['crypto', 'forex', 'equities', 'commodities', 'hl_all', 'all_markets'];
const ADDRESS = /^0x[0-9a-f]{40}$/;

/** A request for a subaccount. `exAddress` is in lower case. */
export type AccountRequest = {
  size: number;
  assetClass: string;
  exAddress: string | null;
  payoutAddress: string | null;
};

/** Reads the body of create-subaccount. A linked account always has the class `hl_all`. */
export const readAccount = (json: unknown): AccountRequest => {
  const body = Object(json) as Record<string, unknown>; // as: createAccount checks every member
  const exAddress = body.hl_address === undefined ? null : String(body.hl_address).toLowerCase();
  const payoutAddress = body.payout_address === undefined ? null : String(body.payout_address).toLowerCase();
  const assetClass = exAddress === null ? String(body.asset_class) : 'hl_all';
  return { size: Number(body.account_size), assetClass, exAddress, payoutAddress };
};

/**
 * Creates a subaccount, pending for `activationMs`. Returns a text for a rejection. See venues/network.md#subaccounts.
 */
export const createAccount = (world: World, requested: AccountRequest): Account | string => {
  const rejection = errorOf(world, requested);
  if (rejection) return rejection;
  const id = world.accounts.size; // ids count from 0; accounts are never removed
  const createdMs = Date.now();
  const account: Account = {
    ...requested,
    id,
    uuid: crypto.randomUUID(),
    hotkey: `${world.entityHotkey}_${id}`,
    createdMs,
    activeFromMs: createdMs + world.activationMs,
    status: null,
    bucket: 'SUBACCOUNT_CHALLENGE',
    elimination: null,
    realized: 0,
    open: new Map(),
    closed: [],
    resting: new Map(),
    ended: [],
    lastOrderMs: new Map(),
    closes: { dayOpen: 1, last: 1, highest: 1 },
    settlements: [],
  };
  world.accounts.set(id, account);
  if (requested.exAddress) world.byAddress.set(requested.exAddress, account);
  const { assetClass: asset_class, size: account_size, exAddress: hl_address } = requested;
  world.ledger.record({
    key: account.uuid,
    kind: 'subaccount',
    subaccount_id: id,
    detail: { asset_class, account_size, hl_address },
  });
  return account;
};

/** The status that was set; otherwise `pending` until `activeFromMs`, then `active`. */
export const statusOf = ({ status, activeFromMs }: Account): string =>
  status ?? (Date.now() < activeFromMs ? 'pending' : 'active');

/** Changes a subaccount for a test. An elimination closes its positions, withdraws its orders, and forgets its wallet. See venues/network-validator.md#eliminations. */
export const moveAccount = (
  world: World,
  account: Account,
  to: { status?: string; bucket?: string; elimination?: string } & Partial<Pick<Account, 'closes' | 'settlements'>>,
): void => {
  if (to.status) account.status = to.status;
  if (to.bucket) account.bucket = to.bucket;
  if (to.closes) account.closes = { ...account.closes, ...to.closes };
  if (to.settlements) account.settlements = to.settlements;
  if (!to.elimination) return;
  account.elimination = { atMs: Date.now(), reason: to.elimination, bucket: account.bucket };
  Object.assign(account, { status: 'eliminated', bucket: 'ELIMINATED' });
  if (account.exAddress) world.byAddress.delete(account.exAddress);
  for (const order of [...account.resting.values()]) withdraw(world, account, order, BY_ELIMINATION);
  for (const pairId of [...account.open.keys()]) {
    closePosition(world, account, pairId, { suffix: 'elimination', source: 1, kind: 'elimination' });
  }
};

const errorOf = (world: World, { size, assetClass, exAddress, payoutAddress }: AccountRequest): string | null => {
  if (!Number.isFinite(size)) return 'account_size must be a number';
  if (size <= 0) return 'account_size must be positive';
  if (size > MAX_SIZE) return `account_size exceeds the maximum of ${MAX_SIZE}`;
  if (!CLASSES.includes(assetClass)) return `Invalid asset_class: ${assetClass}`;
  if (exAddress !== null && !ADDRESS.test(exAddress)) return 'Invalid hl_address';
  if (payoutAddress !== null && !ADDRESS.test(payoutAddress)) return 'Invalid payout_address';
  if (world.accounts.size >= MAX_ACCOUNTS) return 'Entity has reached the maximum subaccounts';
  const owner = exAddress === null ? undefined : world.byAddress.get(exAddress);
  return owner ? `${exAddress} is already registered to subaccount ${owner.hotkey}` : null;
};
