import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { EventStream, Writer } from '../kernel/event-stream.ts';

const MAX_UNREAD_BYTES = 262_144; // that one reader may have pending, in addition to the socket buffers

/** Whether a response body is an event stream. */
export const isEventStream = (body: unknown): body is EventStream =>
  body !== null && typeof body === 'object' && 'start' in body;

/**
 * Responds with an event stream and returns at once. The connection is closed with the stream, so that a reader does
 * not reconnect to a process that is stopping.
 */
export function sendEventStream(ctx: Context, events: EventStream): void {
  const { res } = ctx;
  ctx.respond = false;
  ctx.set({
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    Connection: 'close',
    'X-Accel-Buffering': 'no', // proxies must not buffer events
  });
  res.writeHead(200);
  res.flushHeaders();
  res.on('error', () => {}); // the reader is gone; `close` follows
  res.once('close', events.stop);
  res.on('drain', events.drained);
  if (res.destroyed) events.stop();
  else events.start(writerOf(res));
}

const writerOf = (res: ServerResponse): Writer => ({
  write(text) {
    if (res.writableEnded || res.destroyed || res.writableLength > MAX_UNREAD_BYTES) return false;
    res.write(text);
    return true;
  },
  end: (last) => void res.end(last),
  cut: () => void res.destroy(),
});
