import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { Feed, Outlet } from '../kernel/feed.ts';

const MOST_UNREAD_BYTES = 262_144; // what one reader may leave unread beside the buffers of its connection

/** Whether an answer is a stream of events. */
export const isFeed = (body: unknown): body is Feed => body !== null && typeof body === 'object' && 'start' in body;

/**
 * Answers with a stream of events and returns at once. The connection ends with the stream, so that a reader that connects again
 * does not come to a process that is going away.
 */
export function tellFeed(ctx: Context, feed: Feed): void {
  const { res } = ctx;
  ctx.respond = false;
  ctx.set({
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    Connection: 'close',
    'X-Accel-Buffering': 'no', // proxies pass events on as they come
  });
  res.writeHead(200);
  res.flushHeaders();
  res.on('error', () => {}); // a reader that went away; its close follows
  res.once('close', feed.stop);
  res.on('drain', feed.drained);
  if (res.destroyed) feed.stop();
  else feed.start(outletOf(res));
}

const outletOf = (res: ServerResponse): Outlet => ({
  tell(text) {
    if (res.writableEnded || res.destroyed || res.writableLength > MOST_UNREAD_BYTES) return false;
    res.write(text);
    return true;
  },
  end: (last) => void res.end(last),
  cut: () => void res.destroy(),
});
