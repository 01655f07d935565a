import { MOST_FOLLOWED } from '../../../capacity/exchange.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { HISTORY, readMessage, SUBSCRIPTIONS, type SubscriptionType } from './stream-messages.ts';
import type { StreamListener, UserStream } from './stream-types.ts';

const BEAT_MS = 1_000;
const PING_AFTER_MS = 15_000; // the exchange closes a connection that is silent for 60 s
const LOST_AFTER_MS = 25_000; // neither a message nor a pong
const CONFIRMED_WITHIN_MS = 3_000; // else a subscription is requested again
const RECONNECT_MS = [250, 500, 1_000, 2_000, 5_000, 10_000] as const; // at most 30 connections a minute are accepted
const JITTER = 0.3;

type Subscription = { type: SubscriptionType; user: WalletAddress };
type Requested = Subscription & { sentMs: number; isConfirmed: boolean };
type Link = {
  socket: WebSocket;
  isOpen: boolean;
  heardMs: number;
  pingedMs: number;
  requested: Map<string, Requested>;
};

/** Opens the stream at a WebSocket's URL. It connects while there is somebody to follow, and reconnects by itself. */
export function openUserStream(url: string, listener: StreamListener): UserStream {
  let wanted: readonly WalletAddress[] = [];
  let link: Link | null = null;
  let failures = 0;
  let notBeforeMs = 0;

  function connect(): void {
    const nowMs = performance.now();
    const fresh: Link = {
      socket: new WebSocket(url),
      isOpen: false,
      ...{ heardMs: nowMs, pingedMs: nowMs },
      requested: new Map(),
    };
    link = fresh;
    const { socket } = fresh;
    socket.addEventListener('open', () => {
      fresh.isOpen = true;
      request();
    });
    socket.addEventListener('message', ({ data }) => {
      if (fresh === link) receive(fresh, String(data));
    });
    socket.addEventListener('close', ({ code }) => lose(fresh, `closed: ${code}`));
    socket.addEventListener('error', () => lose(fresh, 'connection failed'));
  }

  function lose(lost: Link, why: string): void {
    if (lost !== link) return;
    link = null;
    const pauseMs = RECONNECT_MS[Math.min(failures, RECONNECT_MS.length - 1)] ?? 0;
    notBeforeMs = performance.now() + pauseMs * (1 - JITTER + 2 * JITTER * Math.random());
    failures += 1;
    lost.socket.close();
    listener.onLost(why);
  }

  /** Unsubscribes from unwanted users first, because only a few may be followed, then subscribes to those that are wanted and not requested yet. */
  function request(): void {
    if (!link?.isOpen) return;
    for (const one of [...link.requested.values()]) if (!wanted.includes(one.user)) unsubscribe(link, one);
    for (const user of wanted)
      for (const type of SUBSCRIPTIONS) {
        const known = link.requested.get(nameOf(type, user));
        if (known?.isConfirmed || (known && performance.now() - known.sentMs < CONFIRMED_WITHIN_MS)) continue;
        subscribe(link, { type, user });
      }
  }

  function receive(of: Link, text: string): void {
    of.heardMs = performance.now();
    const message = readMessage(text);
    if (message?.kind === 'orders') {
      const history = message.historyOf && of.requested.get(nameOf(HISTORY, message.historyOf));
      if (history) unsubscribe(of, history); // later changes come as updates
      listener.onOrders(message.updates);
    } else if (message?.kind === 'fills') listener.onFills(message.user, message.fills);
    else if (message?.kind === 'error') listener.onError(message.text);
    else if (message) confirm(of, message);
  }

  /** Notes a confirmed subscription. Once all of a user's are, its orders are requested once, because earlier updates were not sent. */
  function confirm(of: Link, { type, user }: Subscription): void {
    const { requested } = of;
    const known = requested.get(nameOf(type, user));
    if (!known || known.isConfirmed) return;
    known.isConfirmed = true;
    failures = 0;
    if (type === HISTORY || !SUBSCRIPTIONS.every((each) => requested.get(nameOf(each, user))?.isConfirmed)) return;
    subscribe(of, { type: HISTORY, user });
    listener.onFollowed(user);
  }

  function beat(): void {
    const nowMs = performance.now();
    if (!link) {
      if (wanted.length > 0 && nowMs >= notBeforeMs) connect();
      return;
    }
    if (nowMs - link.heardMs > LOST_AFTER_MS) return void lose(link, 'silent');
    if (!link.isOpen) return;
    request();
    if (nowMs - link.heardMs < PING_AFTER_MS || nowMs - link.pingedMs < PING_AFTER_MS) return;
    link.pingedMs = nowMs;
    link.socket.send('{"method":"ping"}');
  }

  const beating = setInterval(beat, BEAT_MS);
  const end = () => {
    const last = link;
    link = null;
    last?.socket.close();
  };
  return {
    follow(users) {
      wanted = users.slice(0, MOST_FOLLOWED);
      if (wanted.length === 0) return end();
      if (link) request();
      else beat();
    },
    close() {
      clearInterval(beating);
      wanted = [];
      end();
    },
  };
}

const nameOf = (type: SubscriptionType, user: WalletAddress) => `${type} ${user}`;

function subscribe({ socket, requested }: Link, { type, user }: Subscription): void {
  requested.set(nameOf(type, user), { type, user, sentMs: performance.now(), isConfirmed: false });
  socket.send(JSON.stringify({ method: 'subscribe', subscription: { type, user } }));
}

function unsubscribe({ socket, requested }: Link, { type, user }: Subscription): void {
  requested.delete(nameOf(type, user));
  socket.send(JSON.stringify({ method: 'unsubscribe', subscription: { type, user } }));
}
