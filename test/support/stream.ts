import { type ClientRequest, get, type IncomingMessage } from 'node:http';

export type StreamEvent = { id: string | null; type: string; data: Record<string, unknown> };

/** One reader of an event stream, over a separate connection. */
export type Reader = {
  status: number;
  headers: IncomingMessage['headers'];
  /** Events in order of arrival. */
  events: StreamEvent[];
  /** The number of received comments. */
  comments(): number;
  /** Body of a response that is not a stream. */
  body(): string;
  /** Whether the service has ended it. */
  ended(): boolean;
  /** Stops and resumes reading from the socket. */
  pause(): void;
  resume(): void;
  /** Breaks the connection, as a network does. */
  drop(): void;
};

/** Opens a stream; returns once its headers have arrived. */
export function readStream(
  url: string,
  headers: Record<string, string>,
  onEvent = (_: StreamEvent) => {},
): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const request: ClientRequest = get(url, { agent: false, headers: { Accept: 'text/event-stream', ...headers } });
    request.once('error', reject);
    request.once('response', (response) => {
      const events: StreamEvent[] = [];
      let [text, body, comments, ended] = ['', '', 0, false];
      const isStream = response.headers['content-type'] === 'text/event-stream';
      response.setEncoding('utf8');
      response.on('error', () => {}); // connection dropped
      response.on('close', () => {
        ended = true;
      });
      response.on('data', (chunk: string) => {
        if (!isStream) body += chunk;
        text += chunk;
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of isStream ? blocks : []) {
          const event = parse(block);
          if (block.startsWith(':')) comments += 1;
          if (event) {
            events.push(event);
            onEvent(event);
          }
        }
      });
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        events,
        comments: () => comments,
        body: () => body,
        ended: () => ended,
        pause: () => void response.pause(),
        resume: () => void response.resume(),
        drop: () => request.destroy(),
      });
    });
  });
}

function parse(block: string): StreamEvent | null {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  const data = field('data');
  return data === undefined
    ? null
    : { id: field('id') ?? null, type: field('event') ?? 'message', data: JSON.parse(data) };
}

/**
 * A client that reconnects with the last id it received, as often as its connection breaks. Its ledger keeps every
 * event.
 */
export function faithfulReader(url: string, credentials: Record<string, string>) {
  const ledger: StreamEvent[] = [];
  let [lastId, drops, stopped] = ['', 0, false];
  let wanted = 0;
  const reading = (async () => {
    while (!stopped) {
      const headers = { ...credentials, ...(lastId && { 'Last-Event-ID': lastId }) };
      const reader = await readStream(url, headers, (event) => {
        ledger.push(event);
        lastId = event.id ?? lastId;
      }).catch(() => null);
      while (reader && !reader.ended() && !stopped && drops >= wanted) await new Promise((go) => setTimeout(go, 1));
      if (drops < wanted) drops += 1;
      reader?.drop();
    }
  })();
  return {
    ledger,
    drops: () => drops,
    drop() {
      wanted += 1;
    },
    async stop() {
      stopped = true;
      await reading;
    },
  };
}
