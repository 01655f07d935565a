import { setTimeout as wait } from 'node:timers/promises';
import type { Call, Reported, Route } from '../upstream.ts';
import { end, isOpen } from './book.ts';
import { rejectionOfLimits } from './limits.ts';
import { magicOf } from './magic.ts';
import { useNonce } from './nonces.ts';
import { placeOrders, replaceOrder, type Status } from './place-order.ts';
import { type ActionRequest, Malformed, type Request, readRequest } from './request.ts';
import { signerOf } from './signature.ts';
import { type Account, accountOf, type Order, type World } from './world.ts';

/** The venue's single route for writes. See venues/exchange.md#errors. */
export const exchangeRoute = (world: World, processingMs: number): Route => ({
  method: 'POST',
  path: '/exchange',
  response: async (call) => {
    const request = read(call);
    if (!request) return { status: 422, body: 'Failed to deserialize the JSON body into the target type' };
    const magic = magics(request.action);
    if (isThrottled(world) || magic.includes('throttle')) return { status: 429, body: null };
    await wait(processingMs);
    const body = await responseTo(world, request);
    return { status: 200, body, dropped: magic.includes('drop') && body.status === 'ok' };
  },
  rejection: (): Reported => ({
    status: 200,
    body: err('Only post-only orders allowed immediately after a network upgrade'),
  }),
  limited: { status: 429, body: null, headers: { 'retry-after': '1' } },
});

/** Whether this call gets a 429 because of the control route `throttle`. Counts the call. */
export const isThrottled = (world: World): boolean => {
  if (world.throttled === 0) return false;
  world.throttled -= 1;
  return true;
};

type Envelope = { status: 'ok' | 'err'; response: unknown };

const err = (text: string): Envelope => ({ status: 'err', response: text });
const ok = (type: string, statuses: Status[]): Envelope => ({ status: 'ok', response: { type, data: { statuses } } });
const done: Envelope = { status: 'ok', response: { type: 'default' } };

const read = ({ json }: Call): Request | null => {
  try {
    return readRequest(json);
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
};

const magics = (action: ActionRequest) => (action.type === 'order' ? action.orders.map(magicOf) : []);

/** Checks the signer, its permission, the nonce and the expiry. Then executes the action. */
const responseTo = async (world: World, request: Request): Promise<Envelope> => {
  const { action, nonce, vaultAddress, expiresAfter } = request;
  const signer = await signerOf(request, world.network);
  const account = signer && masterOf(world, signer);
  const former = account || !signer ? undefined : world.masters.get(signer);
  if (signer && former && !former.agents.has(signer))
    return err(`Must deposit before performing actions. User: ${former.address}`);
  if (!account)
    return err(`User or API Wallet ${signer ?? '0x0000000000000000000000000000000000000000'} does not exist.`);
  if (vaultAddress) return err(`Vault not registered: ${vaultAddress}`);
  if (!account.cash) return err(`Must deposit before performing actions. User: ${account.address}`);
  if (expiresAfter !== null && expiresAfter < Date.now()) return err(`Action expired at ${expiresAfter}`);
  const rejection = useNonce(world, signer, nonce) ?? rejectionOfLimits(world, account, action);
  if (rejection) return err(rejection);
  const detail = { account: account.address, signer, nonce, type: action.type, items: action.items };
  world.ledger.record({ key: `${signer}:${nonce}`, kind: 'action', detail });
  return perform(world, account, action, `${signer}:${nonce}`);
};

/** The account that approved a key, or the key's own account if none did. Null after the approval has ended. */
const masterOf = (world: World, signer: string): Account | null => {
  const master = world.masters.get(signer);
  if (master) return (master.agents.get(signer)?.validUntil ?? 0) > Date.now() ? master : null;
  return world.autoFund === null ? (world.accounts.get(signer) ?? null) : accountOf(world, signer);
};

const perform = (world: World, account: Account, action: ActionRequest, key: string): Envelope => {
  switch (action.type) {
    case 'order':
      return ok('order', placeOrders(world, account, action.orders, action.grouping));
    case 'cancel':
      return ok(
        'cancel',
        action.cancels.map(({ asset, name }) => cancel(world, account, asset, name)),
      );
    case 'batchModify':
      return modify(world, account, action.modifies);
    case 'updateLeverage':
      return setLeverage(world, account, action, key);
    case 'noop':
      return done;
  }
};

const openOrder = (account: Account, name: number | string): Order | null => {
  const order = typeof name === 'number' ? account.orders.get(name) : account.byCloid.get(name);
  return order && isOpen(order) ? order : null;
};

const cancel = (world: World, account: Account, asset: number, name: number | string): Status => {
  const order = openOrder(account, name);
  if (order?.coin.id !== asset) return { error: `Order was never placed, already canceled, or filled. asset=${asset}` };
  end(world, order, 'canceled');
  return 'success';
};

const modify = (
  world: World,
  account: Account,
  modifies: Extract<ActionRequest, { type: 'batchModify' }>['modifies'],
): Envelope => {
  const targets = modifies.map(({ name, order }) => ({ old: openOrder(account, name), requested: order }));
  if (targets.some(({ old }) => !old)) return err('Cannot modify canceled or filled order');
  return ok(
    'order',
    targets.flatMap(({ old, requested }) => (old ? [replaceOrder(world, old, requested)] : [])),
  );
};

const setLeverage = (
  world: World,
  account: Account,
  { asset, leverage, isCross }: Extract<ActionRequest, { type: 'updateLeverage' }>,
  key: string,
): Envelope => {
  const coin = world.coinsById.get(asset);
  if (!coin) return err(`Asset does not exist. asset=${asset}`);
  if (leverage < 1 || leverage > coin.maxLeverage) return err('Invalid leverage value');
  if (isCross && coin.onlyIsolated) return err('Cross margin is not allowed for this asset.');
  account.leverage.set(coin.name, { value: leverage, isCross });
  const detail = { account: account.address, leverage, isCross };
  world.ledger.record({ key, kind: 'leverage', pair: coin.name, detail });
  return done;
};
