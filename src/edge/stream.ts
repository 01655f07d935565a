import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import type { EventStream, Writer } from '../kernel/event-stream.ts';
import type { TextStream } from '../kernel/text-stream.ts';

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
  if (res.destroyed)
    events.stop(); // the reader left before: there is no other `close`
  else if (ctx.method === 'HEAD') res.end();
  else events.start(writerOf(res));
}

const TEXT_WITHIN_MS = 3_600_000; // a reader that takes longer asks for a part
/** A reader that takes nothing for so long has gone without a word, which TCP notices after a quarter of an hour. Until then it has its slot. */
const UNREAD_MS = 120_000;

/**
 * Responds with a text while it is made, no faster than it is read. After a fault, an hour, or two minutes in which nothing was read, the
 * connection breaks: what was sent is recognized as incomplete.
 */
export async function sendTextStream(
  ctx: Context,
  { type, name, texts }: TextStream,
  log: LogInfo,
  unreadMs = UNREAD_MS,
): Promise<void> {
  const { res } = ctx;
  ctx.respond = false;
  ctx.set({ 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` });
  ctx.status = 200;
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  const [unread, whole] = [setTimeout(leave, unreadMs), setTimeout(leave, TEXT_WITHIN_MS)];
  const taken = async function* () {
    for await (const text of texts) {
      unread.refresh(); // the one before has left
      yield text;
    }
  };
  const source = Readable.from(ctx.method === 'HEAD' ? [] : taken(), { highWaterMark: 1 });
  await pipeline(source, res, { signal: leaving.signal }).catch((err) => {
    res.destroy();
    log.info({ err, request_id: ctx.state.requestId }, 'a text was not sent completely');
  });
  clearTimeout(unread);
  clearTimeout(whole);
  await texts.return(undefined); // nothing was taken for HEAD, or of a reader that had gone before
}

type LogInfo = Pick<Logger, 'info'>;

const writerOf = (res: ServerResponse): Writer => ({
  write(text) {
    if (res.writableEnded || res.destroyed || res.writableLength > MAX_UNREAD_BYTES) return false;
    res.write(text);
    return true;
  },
  end: (last) => void res.end(last),
  cut: () => void res.destroy(),
});
