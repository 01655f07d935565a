import { expect } from 'chai';
import { openStreams } from '../../src/capabilities/streams/hub.ts';
import { streamLimit } from '../../src/capabilities/streams/limit.ts';
import type { StreamRequest } from '../../src/capabilities/streams/listener.ts';
import type { EventLogs } from '../../src/capabilities/streams/logs.ts';

const BATCHES = 20;
const EARLIER = 500 * BATCHES;

describe('a reader that catches up with a long log', () => {
  it('does not delay another reader of the log, and both read each event once', async () => {
    let last = EARLIER;
    let notify = () => {};
    const logs: EventLogs = {
      list: async (_, after, most) =>
        Array.from({ length: Math.min(most, last - after) }, (_one, n) => ({
          ...{ position: after + n + 1, type: 'order', data: '{}' },
        })),
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
    const streams = openStreams({ logs, settlements: { follow }, log } as unknown as Hub, 60_000, streamLimit(10)); // as: two levels
    const order: string[] = [];
    const open = async (reader: string, after: number) => {
      const request = { owner: 'ptn_a', subject: 'ptn_a', caller: reader, credentials: [], after, intervalMs: 0 };
      const stream = await streams.open(request as unknown as StreamRequest); // as: ids are texts, and it resumes
      const write = (text: string) => {
        for (const [, position] of text.matchAll(/^id: ptn_a:(\d+)$/gm)) order.push(`${reader} ${position}`);
        return true;
      };
      return () => stream.start({ write, end: () => {}, cut: () => {} });
    };
    (await open('live', last))();

    const startLate = await open('late', 0);
    startLate();
    last += 1;
    notify();
    while (!order.includes(`late ${last}`)) await new Promise(setImmediate);
    streams.close();

    expect(order.filter((one) => one.startsWith('live'))).to.deep.equal([`live ${last}`]);
    expect(order.filter((one) => one.startsWith('late'))).to.deep.equal(
      Array.from({ length: last }, (_, n) => `late ${n + 1}`),
    );
    expect(order.indexOf(`live ${last}`)).to.be.below(EARLIER / 2);
  });
});
