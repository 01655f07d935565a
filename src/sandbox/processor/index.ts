import { controlRoutes } from '../control.ts';
import { scriptedFaults } from '../faults.ts';
import { openLedger } from '../ledger.ts';
import { type Files, openMemory } from '../memory.ts';
import {
  type Call,
  type Listening,
  type Reported,
  type Route,
  type SteeredUpstream,
  startUpstream,
} from '../upstream.ts';
import { advanceProcessor } from './advance.ts';
import { balanceRoutes } from './balance.ts';
import { bankRoutes } from './bank.ts';
import { controls } from './controls.ts';
import { earningsRoutes } from './earnings.ts';
import { type Api, apiRoutes, type Responses } from './form.ts';
import { type Notifier, notifier } from './notifier.ts';
import { pageRoutes } from './pages.ts';
import { paymentRoutes } from './payments.ts';
import { peopleRoutes } from './people.ts';
import {
  type Arrival,
  type BalanceTransaction,
  type Event,
  missingIn,
  newObjectId,
  nowS,
  type World,
} from './world.ts';

/** Options of the processor.  */
export type ProcessorUpstreamOptions = Files &
  Listening & {
    secretKey: string;
    notificationSecret: string;
    /** The account whose key it is. */
    accountId?: string;
  };

/** A running processor. It sends notifications after `notifications.to` has set the address. */
export type ProcessorUpstream = SteeredUpstream & {
  notifications: Notifier;
  /** Sets the address whose `/sandbox/…` shows its pages, in the links to them; by default its own. */
  showAt(publicUrl: string): void;
  /** All events, oldest first. */
  events: readonly Event[];
  /** Replaces the secret key: the earlier one is rejected from now on. */
  rotateKey(secretKey: string): void;
  /** What connected accounts received by transfers. */
  arrivals: ReadonlyMap<string, Arrival>;
  /** What changed the balances of the platform and of connected accounts, oldest first. */
  balance: readonly BalanceTransaction[];
};

/** Simulates a card payment processor. Without files its state is lost with the process. */
export const startProcessorUpstream = async (options: ProcessorUpstreamOptions): Promise<ProcessorUpstream> => {
  const ledger = openLedger('processor', options.ledgerFile);
  const faults = scriptedFaults();
  const notifications = notifier(options.notificationSecret);
  let shownAt = '';
  const memory = openMemory<WorldParts & { responses: Responses }>(options.stateFile);
  const { responses, ...known } = { ...emptyState(), ...memory.recalled };
  const keep = () => memory.keep(() => ({ ...known, responses }));
  const world = newWorld(known, { ledger, notifications, baseUrl: () => shownAt, keep });
  let { secretKey } = options;
  const isGone = (id: string) => world.accounts.get(id)?.isGone === true;
  const api = apiRoutes(() => secretKey, isGone, responses);
  const own = { id: options.accountId ?? 'acct_sandbox', object: 'account' };
  const routes: Route[] = [
    api.get('/v1/account', () => ({ status: 200, body: own })),
    ...paymentRoutes(world, api),
    ...peopleRoutes(world, api),
    ...earningsRoutes(world, api),
    ...bankRoutes(world, api),
    ...balanceRoutes(world, api),
    eventRoute(world, api),
    ...pageRoutes(world),
    ...controlRoutes(ledger, faults, (ms) => advanceProcessor(world, ms)),
    ...controls(world, notifications, () => responses.clear()),
  ];
  const upstream = await startUpstream(options, routes, faults, keep);
  shownAt = upstream.url;
  return {
    url: upstream.url,
    controlUrl: `${upstream.url}/control`,
    ledger,
    faults,
    notifications,
    showAt: (publicUrl) => {
      shownAt = publicUrl;
    },
    events: world.events,
    rotateKey: (key) => {
      secretKey = key;
    },
    arrivals: world.arrivals,
    balance: world.balance,
    async close() {
      await notifications.close();
      await upstream.close();
    },
  };
};

type WorldParts = Omit<World, 'ledger' | 'baseUrl' | 'emit' | 'after'>;

const emptyState = (): WorldParts & { responses: Responses } => ({
  payments: new Map(),
  refunds: new Map(),
  disputes: new Map(),
  sessions: new Map(),
  accounts: new Map(),
  transfers: new Map(),
  payouts: new Map(),
  arrivals: new Map(),
  reversals: new Map(),
  balance: [],
  settings: { refundStatus: 'succeeded', country: 'US', available: null, settles: null, leastPayout: 1 },
  events: [],
  responses: new Map(),
});

type Around = Pick<World, 'ledger' | 'baseUrl'> & { notifications: Notifier; keep(): void };

function newWorld(known: WorldParts, { ledger, notifications, baseUrl, keep }: Around): World {
  return {
    ...known,
    ledger,
    baseUrl,
    after(ms, act) {
      const acting = () => {
        act();
        keep();
      };
      setTimeout(acting, ms).unref();
    },
    emit(type, object, account) {
      const event: Event = {
        id: newObjectId('evt'),
        object: 'event',
        type,
        created: nowS(),
        livemode: false,
        ...(account !== undefined && { account }),
        data: { object: structuredClone(object) },
      };
      known.events.push(event);
      notifications.send(event);
    },
  };
}

/** Events from `created[gte]` on, newest first, after `starting_after`: the platform's, or those of the account in the header. */
const eventRoute = (world: World, { get }: Api): Route =>
  get('/v1/events', ({ query, headers }: Call): Reported => {
    const since = Number(query.get('created[gte]') ?? 0);
    const limit = Number(query.get('limit') ?? 10);
    const after = query.get('starting_after');
    const last = after === null ? world.events.length : world.events.findIndex(({ id }) => id === after);
    if (last < 0) return missingIn('starting_after');
    const data: Event[] = [];
    for (let n = last - 1; n >= 0 && data.length <= limit; n -= 1) {
      const event = world.events[n];
      if (event && event.account === headers['stripe-account'] && event.created >= since) data.push(event);
    }
    return { status: 200, body: { object: 'list', data: data.slice(0, limit), has_more: data.length > limit } };
  });
