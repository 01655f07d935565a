import pg from 'pg';
import { endWhenSilent } from './limits.ts';
import { withSession } from './session.ts';

const RECONNECT_MS = 250;
const HEARTBEAT_MS = 3_000; // a connection without a sign of life for this long and SILENT_MS more is closed
const SILENT_MS = 3_000;

type Listening = {
  /** The name of the session at the server. */
  name: string;
  channels: readonly string[];
  onNotification(notification: pg.Notification): void;
  /** Called whenever a connection has begun to listen: notifications before that may have been lost. */
  onListening(): void;
  onError(error: Error): void;
};

/** A connection that listens. It reconnects by itself. */
export type Listener = {
  /** Whether the connection is up and listening. */
  isListening(): boolean;
  /** Notifies a channel by this session; rejects while the connection is down. */
  notify(channel: string): Promise<unknown>;
  close(): Promise<void>;
};

/** Opens a connection that listens on channels, at an address that no transaction pooler serves. */
export function openListener(
  url: string,
  { name, channels, onNotification, onListening, onError }: Listening,
): Listener {
  let client: pg.Client | undefined;
  let isClosed = false;
  let isUp = false;
  let reconnecting: NodeJS.Timeout | undefined;
  const connecting = connect();
  const heartbeat = setInterval(() => isUp && client?.query('select 1').catch(onError), HEARTBEAT_MS);

  async function connect(): Promise<void> {
    const fresh = new pg.Client({
      connectionString: withSession(url, { synchronous_commit: 'off' }), // it notifies, and writes nothing to keep
      application_name: name,
      keepAlive: true,
      connectionTimeoutMillis: SILENT_MS,
    });
    client = fresh;
    endWhenSilent(SILENT_MS, onError)(fresh);
    fresh.on('end', () => fresh === client && reconnect());
    fresh.on('notification', onNotification);
    try {
      await fresh.connect();
      await fresh.query(channels.map((channel) => `listen "${channel}"`).join('; '));
      isUp = true;
      onListening();
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
      fresh.end().catch(() => {}); // it may be open: a standby takes connections, and rejects `listen`
      reconnect();
    }
  }

  function reconnect(): void {
    isUp = false;
    if (isClosed || reconnecting) return;
    reconnecting = setTimeout(() => {
      reconnecting = undefined;
      void connect();
    }, RECONNECT_MS);
  }

  return {
    isListening: () => isUp,
    notify: async (channel) => {
      if (!isUp || !client) throw new Error('not listening');
      await client.query(`notify "${channel}"`);
    },
    async close() {
      isClosed = true;
      clearTimeout(reconnecting);
      clearInterval(heartbeat);
      await connecting;
      await client?.end().catch(() => {}); // it may be closed already
    },
  };
}
