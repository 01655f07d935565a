import { setTimeout as wait } from 'node:timers/promises';
import type { Call, Route, Said } from '../party.ts';
import { end, isOpen } from './book.ts';
import { refusalOfLimits } from './limits.ts';
import { magicOf } from './magic.ts';
import { useNonce } from './nonces.ts';
import { placeOrders, replaceOrder, type Status } from './placing.ts';
import { type ActionAsked, Malformed, type Request, readRequest } from './request.ts';
import { signerOf } from './signature.ts';
import { type Account, accountOf, type Order, type World } from './world.ts';

/** The venue's single route for writes. Venue facts: exchange endpoint, answers. */
export const exchangeRoute = (world: World, processingMs: number): Route => ({
  method: 'POST',
  path: '/exchange',
  answer: async (call) => {
    const request = read(call);
    if (!request) return { status: 422, body: 'Failed to deserialize the JSON body into the target type' };
    const magic = magics(request.action);
    if (isThrottled(world) || magic.includes('throttle')) return { status: 429, body: null };
    await wait(processingMs);
    const body = await answerTo(world, request);
    return { status: 200, body, dropped: magic.includes('drop') && body.status === 'ok' };
  },
  refusal: (): Said => ({
    status: 200,
    body: err('Only post-only orders allowed immediately after a network upgrade'),
  }),
});

/** Whether this call is one of those the sandbox was told to answer with 429; it then counts as one of them. */
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

const magics = (action: ActionAsked) => (action.type === 'order' ? action.orders.map(({ size }) => magicOf(size)) : []);

/** Who signed, whether that key may, whether this number and moment are right, and only then the action itself. */
const answerTo = async (world: World, request: Request): Promise<Envelope> => {
  const { action, nonce, vaultAddress, expiresAfter } = request;
  const signer = await signerOf(request, world.network);
  const account = signer && masterOf(world, signer);
  if (!account)
    return err(`User or API Wallet ${signer ?? '0x0000000000000000000000000000000000000000'} does not exist.`);
  if (vaultAddress) return err(`Vault not registered: ${vaultAddress}`);
  if (!account.cash) return err(`Must deposit before performing actions. User: ${account.address}`);
  if (expiresAfter !== null && expiresAfter < Date.now()) return err(`Action expired at ${expiresAfter}`);
  const refusal = useNonce(world, signer, nonce) ?? refusalOfLimits(world, account, action);
  if (refusal) return err(refusal);
  const detail = { account: account.address, signer, nonce, type: action.type, items: action.items };
  world.ledger.record({ key: `${signer}:${nonce}`, kind: 'action', detail });
  return perform(world, account, action, `${signer}:${nonce}`);
};

/** The account a key trades for: the one that let it, as long as that holds, or else the key's own. */
const masterOf = (world: World, signer: string): Account | null => {
  const master = world.masters.get(signer);
  if (master) return (master.agents.get(signer)?.validUntil ?? 0) > Date.now() ? master : null;
  return world.autoFund === null ? (world.accounts.get(signer) ?? null) : accountOf(world, signer);
};

const perform = (world: World, account: Account, action: ActionAsked, key: string): Envelope => {
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
  modifies: Extract<ActionAsked, { type: 'batchModify' }>['modifies'],
): Envelope => {
  const targets = modifies.map(({ name, order }) => ({ old: openOrder(account, name), asked: order }));
  if (targets.some(({ old }) => !old)) return err('Cannot modify canceled or filled order');
  return ok(
    'order',
    targets.flatMap(({ old, asked }) => (old ? [replaceOrder(world, old, asked)] : [])),
  );
};

const setLeverage = (
  world: World,
  account: Account,
  { asset, leverage, isCross }: Extract<ActionAsked, { type: 'updateLeverage' }>,
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
