import { controlRoutes } from '../control.ts';
import { type Faults, scriptedFaults } from '../faults.ts';
import { type Ledger, openLedger } from '../ledger.ts';
import { type Files, openMemory } from '../memory.ts';
import { type Call, type Route, type Said, startParty } from '../party.ts';
import { controls } from './controls.ts';
import { type Answers, type Api, apiRoutes } from './form.ts';
import { type Notifier, notifier } from './notifier.ts';
import { pageRoutes } from './pages.ts';
import { paymentRoutes } from './payments.ts';
import { peopleRoutes } from './people.ts';
import { type Event, newObjectId, nowS, type World } from './world.ts';

/** How the processor party behaves; port 0 takes a free one. */
export type ProcessorPartyOptions = Files & {
  port?: number;
  secretKey: string;
  notificationSecret: string;
};

/** A running party. Notifications are sent once `notifications.to` has been told where. */
export type ProcessorParty = {
  url: string;
  controlUrl: string;
  ledger: Ledger;
  faults: Faults;
  notifications: Notifier;
  /** Everything that happened, oldest first. */
  events: readonly Event[];
  close(): Promise<void>;
};

/** Plays a card payment processor, without memory beyond its process unless it has files for it. */
export const startProcessorParty = async (options: ProcessorPartyOptions): Promise<ProcessorParty> => {
  const ledger = openLedger('processor', options.ledgerFile);
  const faults = scriptedFaults();
  const notifications = notifier(options.notificationSecret);
  let url = '';
  const memory = openMemory<Known & { answers: Answers }>(options.stateFile);
  const { answers, ...known } = memory.recalled ?? nothingYet();
  const world = newWorld(known, ledger, notifications, () => url);
  const api = apiRoutes(options.secretKey, answers);
  const keep = () => memory.keep(() => ({ ...known, answers }));
  const routes: Route[] = [
    ...paymentRoutes(world, api),
    ...peopleRoutes(world, api),
    eventRoute(world, api),
    ...pageRoutes(world),
    ...controlRoutes(ledger, faults),
    ...controls(world, notifications),
  ];
  const party = await startParty(options.port ?? 0, routes, faults, keep);
  url = party.url;
  return {
    url,
    controlUrl: `${url}/control`,
    ledger,
    faults,
    notifications,
    events: world.events,
    async close() {
      await notifications.close();
      await party.close();
    },
  };
};

type Known = Omit<World, 'ledger' | 'baseUrl' | 'emit'>;

const nothingYet = (): Known & { answers: Answers } => ({
  payments: new Map(),
  refunded: new Map(),
  sessions: new Map(),
  accounts: new Map(),
  transfers: new Map(),
  payouts: new Map(),
  events: [],
  answers: new Map(),
});

function newWorld(known: Known, ledger: Ledger, notifications: Notifier, baseUrl: () => string): World {
  return {
    ...known,
    ledger,
    baseUrl,
    emit(type, object, account) {
      const event: Event = {
        id: newObjectId('evt'),
        object: 'event',
        type,
        created: nowS(),
        ...(account !== undefined && { account }),
        data: { object: structuredClone(object) },
      };
      known.events.push(event);
      notifications.send(event);
    },
  };
}

/** Newest first, from `created[gte]` on, behind `starting_after`; events of connected accounts are not among them. */
const eventRoute = (world: World, { get }: Api): Route =>
  get('/v1/events', ({ query }: Call): Said => {
    const since = Number(query.get('created[gte]') ?? 0);
    const limit = Number(query.get('limit') ?? 10);
    const own = world.events.filter(({ created, account }) => created >= since && account === undefined).reverse();
    const from = own.findIndex(({ id }) => id === query.get('starting_after')) + 1;
    const data = own.slice(from, from + limit);
    return { status: 200, body: { object: 'list', data, has_more: from + limit < own.length } };
  });
