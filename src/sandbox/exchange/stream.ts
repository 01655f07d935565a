import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { fillView, recordView, updateView } from './views.ts';
import { accountOf, type Fill, type Order, type World } from './world.ts';

/** The venue's stream of user events. See venues/exchange.md#stream. */
export type UserStream = {
  /** Completes the handshake of a client. */
  connect(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** The users that are followed, over all connections. */
  users(): string[];
  /** Breaks every connection. Until `open`, new ones are rejected. */
  cut(): void;
  /** Accepts connections again. */
  open(): void;
  /** Replaces each message by those that `alter` makes of it, for example none, or the same twice; null ends that. */
  alter(alter: ((message: Message) => Message[]) | null): void;
};

/** A message of the venue. */
type Message = { channel: string; data?: unknown };

type Subscription = { type: string; user: string };
type Client = { socket: WebSocket; subscriptions: Map<string, Subscription> };

/** See venues/exchange.md#stream. */
const MOST_USERS = 10;
const SNAPSHOT_ROWS = 2_000;
const KINDS = ['orderUpdates', 'userFills', 'userHistoricalOrders'];

/** Streams what happens in a world to those who follow its users. */
export function userStream(world: World): UserStream {
  const server = new WebSocketServer({ noServer: true });
  const clients = new Set<Client>();
  let isOpen = true;
  let altered: (message: Message) => Message[] = (message) => [message];

  const users = () => [
    ...new Set([...clients].flatMap(({ subscriptions }) => [...subscriptions.values()].map(({ user }) => user))),
  ];
  const send = ({ socket }: Client, message: Message) => {
    for (const one of altered(message)) socket.send(JSON.stringify(one));
  };
  const refuse = (client: Client, text: string) => client.socket.send(JSON.stringify({ channel: 'error', data: text }));

  function subscribe(client: Client, requested: Subscription): void {
    const name = nameOf(requested);
    if (client.subscriptions.has(name)) return void refuse(client, `Already subscribed: ${JSON.stringify(requested)}`);
    const known = users();
    if (!known.includes(requested.user) && known.length >= MOST_USERS)
      return void refuse(client, `Cannot track more than ${MOST_USERS} total users.`);
    client.subscriptions.set(name, requested);
    acknowledge(client, 'subscribe', requested);
    const { type, user } = requested;
    const { fills, orders } = accountOf(world, user);
    if (type === 'userFills') send(client, fillsOf(user, fills.slice(-SNAPSHOT_ROWS).reverse(), SNAPSHOT));
    if (type === 'userHistoricalOrders')
      send(client, historyOf(user, [...orders.values()].slice(-SNAPSHOT_ROWS).reverse(), SNAPSHOT));
  }

  function unsubscribe(client: Client, requested: Subscription): void {
    if (!client.subscriptions.delete(nameOf(requested)))
      return void refuse(client, `Already unsubscribed: ${JSON.stringify(requested)}`);
    acknowledge(client, 'unsubscribe', requested);
  }

  function receive(client: Client, text: string): void {
    const { method, subscription } = Object(parsed(text)) as { method?: unknown; subscription?: unknown };
    if (method === 'ping') return void client.socket.send('{"channel":"pong"}');
    const requested = readSubscription(subscription);
    if (!requested) return void refuse(client, `Error parsing JSON into valid websocket request: ${text}`);
    if (method === 'subscribe') subscribe(client, requested);
    else unsubscribe(client, requested);
  }

  world.news.listen((orders, fills) => {
    for (const client of clients)
      for (const { type, user } of client.subscriptions.values()) {
        const updates = orders.filter(({ owner }) => owner.address === user);
        if (type === 'orderUpdates' && updates.length > 0)
          send(client, { channel: 'orderUpdates', data: updates.map(updateView) });
        if (type === 'userHistoricalOrders' && updates.length > 0) send(client, historyOf(user, updates));
        const executed = fills.filter(({ order }) => order.owner.address === user);
        if (type === 'userFills' && executed.length > 0) send(client, fillsOf(user, executed));
      }
  });

  return {
    connect(request, socket, head) {
      if (!isOpen || new URL(request.url ?? '/', 'http://sandbox').pathname !== '/ws') return void socket.destroy();
      server.handleUpgrade(request, socket, head, (opened) => {
        const client: Client = { socket: opened, subscriptions: new Map() };
        clients.add(client);
        opened.on('message', (data) => receive(client, String(data)));
        opened.on('close', () => clients.delete(client));
        opened.on('error', () => {}); // it is closed then
      });
    },
    users,
    cut() {
      isOpen = false;
      for (const { socket } of clients) socket.terminate(); // without a farewell, as a network that breaks does
    },
    open() {
      isOpen = true;
    },
    alter(alter) {
      altered = alter ?? ((message) => [message]);
    },
  };
}

/** The venue adds its defaults to what it acknowledges. */
const acknowledge = ({ socket }: Client, method: string, requested: Subscription) => {
  const subscription = { ...requested, ...(requested.type === 'userFills' && { aggregateByTime: false }) };
  socket.send(JSON.stringify({ channel: 'subscriptionResponse', data: { method, subscription } }));
};

const SNAPSHOT = { isSnapshot: true };

const fillsOf = (user: string, fills: readonly Fill[], more: object = {}): Message => ({
  channel: 'userFills',
  data: { ...more, user, fills: fills.map(fillView) },
});

const historyOf = (user: string, orders: readonly Order[], more: object = {}): Message => ({
  channel: 'userHistoricalOrders',
  data: { ...more, user, orderHistory: orders.map(recordView) },
});

const nameOf = ({ type, user }: Subscription) => `${type} ${user}`;

const readSubscription = (value: unknown): Subscription | null => {
  const { type, user } = Object(value) as { type?: unknown; user?: unknown };
  if (typeof type !== 'string' || !KINDS.includes(type)) return null;
  return typeof user === 'string' && /^0x[0-9a-f]{40}$/i.test(user) ? { type, user: user.toLowerCase() } : null;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
