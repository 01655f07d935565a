import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'slonik';
import { z } from 'zod';
import { type IntentId, idSchema } from '../../src/kernel/ids.ts';
import type { Entry } from '../../src/sandbox/ledger.ts';
import { NO_CONNECTION } from '../../src/sandbox/network/attempts.ts';
import type { Signal } from '../../src/venues/network/adapter/signal-types.ts';
import { type Passing, type Reply, relayTo } from '../support/relay.ts';
import { startService, type TestService } from '../support/service.ts';

/** What becomes of a signal on its way to the miner or back. All but the first of each line have no effect at the network. */
export const FATES = [
  ...(['lost', 'cut', 'failed', 'internal', 'unconnected', 'late', 'queued', 'unacknowledged'] as const),
  ...(['dropped', 'page', 'status_500', 'closed', 'idle', 'never_connected'] as const),
];
export type Fate = (typeof FATES)[number];

/** What becomes of a read of a trader's records. */
export const LOOKS = ['whole', 'old', 'dropped', 'status_500', 'page', 'no_positions', 'no_orders'] as const;
export type Look = (typeof LOOKS)[number];

/** A signal of the service: of which intent, and what it did at the network. `isEnded`: the network cancelled the order by it. */
export type SentSignal = { intent: IntentId | null; signal: Signal; done: Entry[]; isEnded: boolean };

/** The service, with a network whose answers a test can hinder, trader by trader. */
export type Wire = {
  service: TestService;
  /** The fate of the trader's next signal that has none yet. */
  hinder(traderId: string, fate: Fate): void;
  /** What becomes of the reads of a trader, again and again. */
  blur(traderId: string, looks: readonly Look[]): void;
  signalsOf(traderId: string): readonly SentSignal[];
  /** Does something at the network while no signal of the trader is worked on. */
  alone<T>(traderId: string, act: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
};

export const LAG_MS = 150;
const PATIENCE_MS = 500;
const LATE_MS = 1_400;
/** The longest way of a signal: it is late, and the miner tries it three times. */
const IN_FLIGHT_MS = 3_000;
const UPSTREAM = { style: '2026', cooldownMs: 120, pauseMs: 200 } as const;

/** Starts the service with a relay between it and the network. */
export async function startWired(): Promise<Wire> {
  const relay = await relayTo();
  const service = await startService({
    upstream: UPSTREAM,
    settings: {
      NETVENUE_MINER_URL: `${relay.url}/miner`,
      NETVENUE_VALIDATOR_URL: `${relay.url}/validator`,
      NETVENUE_PATIENCE_MS: String(PATIENCE_MS),
      NETVENUE_IN_FLIGHT_MS: String(IN_FLIGHT_MS),
      ORDER_DEADLINE_MS: '5000',
    },
  });
  relay.target = new URL(service.miner.minerUrl).origin;
  const fates = new Map<string, Fate[]>();
  const looks = new Map<string, { of: readonly Look[]; n: number }>();
  const sent: SentSignal[] = [];
  const turns = new Map<string, Promise<unknown>>();
  const kept = new Map<string, { at: number; reply: Reply }>();

  relay.handle = async (passing) => {
    if (passing.name.startsWith('POST /miner/api/submit-order')) return submit(passing);
    const [, read] = /^GET .*\/(?:subaccount|orders|order-status)\/(.*)$/.exec(passing.name) ?? [];
    const traderId = read && (/_(\d+)$/.exec(read)?.[1] ?? traderOf(read));
    return traderId ? look(traderId, passing) : passing.forward();
  };

  const traderOf = (uuid: string) =>
    sent.find(({ signal }) => signal.order_uuid === uuid)?.signal.subaccount_id.toString();

  async function alone<T>(traderId: string, act: () => Promise<T>): Promise<T> {
    const before = turns.get(traderId);
    const turn = Promise.resolve(before).then(act, act);
    turns.set(
      traderId,
      turn.catch(() => {}),
    );
    return turn;
  }

  async function submit(passing: Passing): Promise<Reply> {
    const signal: Signal = JSON.parse(passing.text);
    const traderId = String(signal.subaccount_id);
    const one: SentSignal = { intent: await intentOf(service, signal), signal, done: [], isEnded: false };
    sent.push(one);
    const act = () =>
      alone(traderId, async () => {
        const before = service.miner.ledger.entries().length;
        const reply = await passing.forward();
        one.done.push(...service.miner.ledger.entries(before).filter((entry) => isEffectOf(signal, entry)));
        one.isEnded = reply !== 'lost' && String(reply.body).includes('Cancelling order');
        return reply;
      });
    return hindered(fates.get(traderId)?.shift(), signal, act);
  }

  async function hindered(fate: Fate | undefined, signal: Signal, act: () => Promise<Reply>): Promise<Reply> {
    switch (fate) {
      case 'dropped':
        return 'lost';
      case 'page':
        return PAGE;
      case 'status_500':
        return json(500, { error: 'scripted' });
      case 'closed':
        return refused(signal, `Order rejected: market for ${signal.trade_pair} is currently closed`);
      case 'never_connected':
        return refused(signal, NO_CONNECTION, 10.1);
      case 'idle': // only the failures of single closes are not told
        return signal.execution_type === 'FLAT_ALL'
          ? json(200, { success: true, order_uuid: signal.order_uuid })
          : act();
      case 'queued':
        await wait(LATE_MS);
        return act();
      case 'unacknowledged':
        service.miner.loseAcknowledgements(1);
        return act();
    }
    const reply = await act();
    if (fate === undefined || reply === 'lost') return reply;
    if (fate === 'lost') return 'lost';
    if (fate === 'late') await wait(LATE_MS);
    if (fate === 'cut') return { ...reply, body: String(reply.body).slice(0, String(reply.body).length / 2) };
    if (fate === 'failed') return json(500, { success: false, order_uuid: signal.order_uuid, error: 'disk full' });
    if (fate === 'internal') return json(400, { ...bodyOf(signal), message: 'Internal error: disk full' });
    if (fate === 'unconnected') return refused(signal, NO_CONNECTION, 10.1);
    return reply;
  }

  async function look(traderId: string, passing: Passing): Promise<Reply> {
    const blurred = looks.get(traderId);
    const fate = blurred?.of[blurred.n++ % blurred.of.length] ?? 'whole';
    if (fate === 'dropped') return 'lost';
    if (fate === 'page') return PAGE;
    if (fate === 'status_500') return json(500, { error: 'scripted' });
    const earlier = kept.get(passing.name);
    const isRecent = earlier !== undefined && Date.now() - earlier.at < LAG_MS;
    if (fate === 'old' && isRecent) return earlier.reply;
    const at = Date.now();
    const reply = await passing.forward();
    if (!isRecent) kept.set(passing.name, { at, reply });
    if (reply === 'lost' || !passing.name.includes('/subaccount/')) return reply;
    const { dashboard, ...more } = JSON.parse(String(reply.body));
    const { positions, limit_orders, ...others } = dashboard ?? {};
    if (fate === 'no_positions') return json(reply.status, { ...more, dashboard: { ...others, limit_orders } });
    if (fate === 'no_orders') return json(reply.status, { ...more, dashboard: { ...others, positions } });
    return reply;
  }

  return {
    service,
    hinder: (traderId, fate) => void fates.set(traderId, [...(fates.get(traderId) ?? []), fate]),
    blur(traderId, of) {
      looks.set(traderId, { of, n: 0 });
      if (of.length === 0) fates.delete(traderId);
    },
    signalsOf: (traderId) => sent.filter(({ signal }) => String(signal.subaccount_id) === traderId),
    alone,
    async stop() {
      await service.stop();
      await relay.close();
    },
  };
}

/** The intent whose signal this is: its payload is committed before the first byte is sent. */
const intentOf = ({ db }: TestService, signal: Signal): Promise<IntentId | null> =>
  db.maybeOneFirst(sql.type(z.object({ id: idSchema.intent }))`
    select i.id
    from intents i
    where i.state in ('running', 'in_doubt') and i.request ->> 'subaccount_id' = ${String(signal.subaccount_id)}
      and i.sent_payload -> 'signal' ->> 'order_uuid' = ${signal.order_uuid}
      and i.sent_payload -> 'signal' ->> 'execution_type' = ${signal.execution_type}
    order by i.sending_at desc
    limit 1`);

const EFFECTS = {
  MARKET: ['market'],
  LIMIT: ['limit'],
  STOP_LIMIT: ['stop_limit'],
  BRACKET: ['bracket'],
  LIMIT_CANCEL: ['cancel'],
  LIMIT_EDIT: ['edit', 'cancel'],
  FLAT_ALL: ['flat_all'],
} as const satisfies Record<Signal['execution_type'], string[]>;

/** Whether an entry of the network's ledger is what a signal asks for. The network also cancels exits whose name begins with that of an order. */
function isEffectOf({ execution_type, order_uuid, subaccount_id, bracket_orders = [] }: Signal, entry: Entry): boolean {
  const names = [...order_uuid.split(','), ...bracket_orders.flatMap((bracket) => bracket.order_uuid ?? [])];
  const isNamed = names.some((name) =>
    execution_type === 'LIMIT_CANCEL'
      ? entry.key.startsWith(name)
      : entry.key === name || entry.key === `${name}-flat-all`,
  );
  return (
    entry.subaccount_id === subaccount_id &&
    isNamed &&
    (EFFECTS[execution_type] as readonly string[]).includes(entry.kind)
  );
}

const json = (status: number, body: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const PAGE: Reply = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html><body>Wait.</body></html>' };

const bodyOf = ({ order_uuid }: Signal) => ({
  ...{ success: false, order_uuid, order_json: null, error_message: '', processing_time: 0.3, message: '' },
});

const refused = (signal: Signal, error_message: string, processing_time = 0.3): Reply =>
  json(400, { ...bodyOf(signal), error_message, processing_time });
