import { expect } from 'chai';
import { openStreams } from '../../src/capabilities/streams/hub.ts';
import { streamLimit } from '../../src/capabilities/streams/limit.ts';
import type { StreamRequest } from '../../src/capabilities/streams/listener.ts';
import type { EventLogs } from '../../src/capabilities/streams/logs.ts';
import { goByDatabaseTime } from '../../src/kernel/work.ts';
import { until } from '../support/processes.ts';

const BATCHES = 20;
const EARLIER = 500 * BATCHES;

/** Streams of a log of so many events with this data. `add` writes one more; `order` is what was read: by whom, and which. */
function streamsOf(earlier: number, data = '{}') {
  let [last, deleted] = [earlier, 0];
  let notify = () => {};
  const logs: EventLogs = {
    list: async (_, after, most) => {
      const from = Math.max(after, deleted);
      return Array.from({ length: Math.min(most, last - from) }, (_one, n) => ({
        ...{ position: from + n + 1, type: 'order', data },
      }));
    },
    end: async () => ({ last_position: last, is_whole: true }),
    ends: async (subjects) => subjects.map((subject) => ({ subject, last_position: last })),
    listen: async () => {},
    invalid: async () => [],
  };
  const follow = (_: string, told: () => void) => {
    notify = told;
    return () => {};
  };
  const log = { warn: () => {}, info: () => {} };
  type Hub = Parameters<typeof openStreams>[0];
  const streams = openStreams(
    { logs, settlements: { follow }, log } as unknown as Hub,
    60_000,
    streamLimit(10, 60_000),
  ); // as: two levels
  const order: string[] = [];
  const ended: string[] = [];
  return {
    order,
    ended,
    close: streams.close,
    /** Opens a stream. `takes`: whether its reader takes a text; `drained` says that it has read what it took. */
    async open(reader: string, after: number, takes = (_text: string) => true) {
      const request = { owner: 'ptn_a', subject: 'ptn_a', caller: reader, credentials: [], after, intervalMs: 0 };
      const stream = await streams.open(request as unknown as StreamRequest); // as: ids are texts, and it resumes
      const write = (text: string) => {
        if (!takes(text)) return false;
        for (const [, position] of text.matchAll(/^id: ptn_a:(\d+)$/gm)) order.push(`${reader} ${position}`);
        return true;
      };
      const end = () => void ended.push(reader);
      return Object.assign(() => stream.start({ write, end, cut: () => {} }), { drained: stream.drained });
    },
    /** Deletes the oldest events, as retention does, up to a position. */
    forget(position: number): void {
      deleted = position;
    },
    add(): number {
      last += 1;
      notify();
      return last;
    },
  };
}

describe('a reader that catches up with a long log', () => {
  it('does not delay another reader of the log, and both read each event once', async () => {
    const { open, add, order, close } = streamsOf(EARLIER);
    (await open('live', EARLIER))();

    const startLate = await open('late', 0);
    startLate();
    const last = add();
    while (!order.includes(`late ${last}`)) await new Promise(setImmediate);
    close();

    expect(order.filter((one) => one.startsWith('live'))).to.deep.equal([`live ${last}`]);
    expect(order.filter((one) => one.startsWith('late'))).to.deep.equal(
      Array.from({ length: last }, (_, n) => `late ${n + 1}`),
    );
    expect(order.indexOf(`live ${last}`)).to.be.below(EARLIER / 2);
  });
});

describe('a stream in a process whose time is set back, as by a failover', () => {
  it('goes on at once', async () => {
    const { open, add, order, close } = streamsOf(0);
    (await open('live', 0))();
    add();
    await until('the first event', () => order.length === 1);

    goByDatabaseTime(600_000);
    add();
    await until('the second', () => order.length === 2, 2_000).finally(() => goByDatabaseTime(0));
    close();

    expect(order).to.deep.equal(['live 1', 'live 2']);
  });
});

describe('a reader that is behind', () => {
  it('has no more kept for it than is promised, however large its events are, and misses none', async () => {
    const [EVENTS, KEPT] = [500, 262_144];
    const { open, order, close } = streamsOf(EVENTS, JSON.stringify({ fills: 'x'.repeat(10_000) }));
    let [unread, most] = [0, 0];
    const takes = (text: string) => {
      if (unread > KEPT) return false;
      unread += text.length;
      most = Math.max(most, unread);
      return true;
    };
    const start = await open('slow', 0, takes);

    start();
    await until('it is behind', () => order.length > 0);
    while (order.length < EVENTS) {
      await new Promise((later) => setTimeout(later, 2));
      unread = 0;
      start.drained();
    }
    close();

    expect(most).to.be.below(2 * KEPT);
    expect(order).to.deep.equal(Array.from({ length: EVENTS }, (_, n) => `slow ${n + 1}`));
  });
});

describe('a reader that resumes where events are about to be deleted', () => {
  it('ends where they are, and misses none unseen: it begins again with a snapshot', async () => {
    const { open, forget, order, ended, close } = streamsOf(10);
    const start = await open('late', 4);

    forget(7);
    start();
    await until('its end', () => ended.length > 0 || order.length > 0);

    expect([order, ended]).to.deep.equal([[], ['late']]);
    close();
  });
});
