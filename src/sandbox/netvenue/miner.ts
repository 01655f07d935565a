import { setTimeout as wait } from 'node:timers/promises';
import type { Call, Route, Said } from '../party.ts';
import { createAccount, readAccount } from './accounts.ts';
import { applySignal, namesAnother } from './apply.ts';
import { archiveAnswer, keepCompleted, keepFailed } from './archive.ts';
import { checkSignal } from './checks.ts';
import { type Entities, ofEntity } from './entities.ts';
import { type Magic, magicOf } from './magic.ts';
import { type Asked, MalformedSignal, readSignal } from './signal.ts';
import { tooSoon } from './trading.ts';
import { accountView, orderJson } from './views.ts';
import { refused, type Verdict, type World } from './world.ts';

/** What the miner answers when none of its three tries got a final word: the validator may have acted. */
const NO_CONNECTION = 'Failed to connect to Vanta Network';

/** The entity miners' routes below `/miner`: whose miner it is tells the key. */
export const minerRoutes = (entities: Entities, processingMs: number): Route[] => {
  const submit = async (world: World, { json }: Call): Promise<Said> => {
    const asked = readSignal(json);
    checkSignal(asked, (pair) => world.pairs.has(pair));
    if (!namesAnother(asked)) {
      if (world.seen.has(asked.uuid)) return answerOf(asked, refused(`Duplicate order UUID: ${asked.uuid}`), 0);
      world.seen.add(asked.uuid); // marked before it is sent, and kept whatever comes of it
    }
    await wait(processingMs);
    const magic = asked.size?.by === 'leverage' ? magicOf(asked.size.amount) : null;
    const verdict = decide(world, asked, magic);
    file(world, verdict, asked, json);
    return { ...answerOf(asked, verdict, processingMs / 1000), dropped: magic === 'drop' && verdict.error === null };
  };
  const create = { method: 'POST', answer: ofEntity(entities, create200), refusal: refuseAccount };
  return [
    {
      method: 'POST',
      path: '/miner/api/submit-order',
      answer: ofEntity(entities, wellFormed(submit)),
      refusal: refuseSignal,
    },
    {
      method: 'GET',
      path: '/miner/api/order-status/:uuid',
      answer: ofEntity(entities, ({ archive }, { params }) => archiveAnswer(archive, params.uuid ?? '')),
    },
    { ...create, path: '/miner/api/create-subaccount' },
    { ...create, path: '/miner/api/create-hl-subaccount' },
    { method: 'GET', path: '/miner/api/health', answer: () => ({ status: 200, body: health(entities.first) }) },
  ];
};

const file = ({ archive }: World, { error, order }: Verdict, { uuid }: Asked, signal: unknown) => {
  if (error === null) keepCompleted(archive, uuid, { signal_data: signal, order_json: order && orderJson(order) });
  else keepFailed(archive, uuid, { original_signal: signal, error_message: error });
};

const decide = (world: World, asked: Asked, magic: Magic | null): Verdict => {
  if (magic === 'refuse') return refused(`Order rejected: no live prices found for ${asked.pair}`);
  if (magic === 'cooldown') return refused(tooSoon(asked.pair ?? '', world.cooldownMs));
  const verdict = applySignal(world, asked);
  // The order stands; only the miner never heard of it.
  return magic === 'disconnect' && verdict.error === null ? refused(NO_CONNECTION) : verdict;
};

const answerOf = ({ uuid }: Asked, { error, order }: Verdict, processing_time: number): Said => ({
  status: error === null ? 200 : 400,
  body: {
    success: error === null,
    order_uuid: uuid,
    order_json: order && orderJson(order),
    error_message: error ?? '',
    processing_time,
    message: error === null ? 'Order successfully processed by Taoshi validator' : 'Order failed on Taoshi validator',
  },
});

const wellFormed =
  (answer: (world: World, call: Call) => Promise<Said>) =>
  async (world: World, call: Call): Promise<Said> => {
    try {
      return await answer(world, call);
    } catch (error) {
      if (!(error instanceof MalformedSignal)) throw error;
      return { status: 400, body: { success: false, error: error.message } };
    }
  };

const create200 = (world: World, { json }: Call): Said => {
  const account = createAccount(world, readAccount(json));
  if (typeof account === 'string') return { status: 400, body: { status: 'error', message: account } };
  const message = `Subaccount ${account.id} created successfully`;
  return { status: 200, body: { status: 'success', message, subaccount: accountView(account) } };
};

const refuseSignal = ({ json }: Call): Said => {
  const uuid = String((Object(json) as { order_uuid?: unknown }).order_uuid ?? ''); // as: any body may come
  const error_message = 'Order rejected: no live prices found';
  return {
    status: 400,
    body: { success: false, order_uuid: uuid, order_json: null, error_message, processing_time: 0, message: '' },
  };
};

const refuseAccount = (): Said => ({
  status: 400,
  body: { status: 'error', message: 'Insufficient collateral balance' },
});

const health = (world: World) => ({
  status: 'healthy',
  service: 'EntityMinerRestServer',
  ws_connected: true,
  hl_addresses_tracked: world.byAddress.size,
  max_hl_traders: null,
  dashboard_cache_size: world.byAddress.size,
  sse_subscribers: 0,
  payment_daemon_active: false,
  timestamp: Date.now() / 1000,
});
