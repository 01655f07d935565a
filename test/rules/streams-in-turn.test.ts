import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { openStreams } from '../../src/capabilities/streams/hub.ts';
import { streamLimit } from '../../src/capabilities/streams/limit.ts';
import { connectionSlots } from '../../src/db/limits.ts';
import { workingOn } from '../../src/kernel/work.ts';

type Hub = Parameters<typeof openStreams>[0];

const STREAMS = 100;

describe('the streams of an app', () => {
  it('are read in its turn: what is done for others waits for one reading, not for one of each stream', async () => {
    const slots = connectionSlots(1, 5_000);
    const changed: (() => void)[] = [];
    let readings = 0;
    const logs = {
      listen: async () => {},
      end: async () => ({ last_position: 0, is_whole: true }),
      list: () =>
        slots.use(async () => {
          await sleep(2);
          readings += 1;
          return [];
        }),
    };
    const follow = (_: string, notify: () => void) => {
      changed.push(notify);
      return () => {};
    };
    const hub = { logs, settlements: { follow }, log: console } as unknown as Hub; // as: what these streams use
    const streams = openStreams(hub, 60_000, streamLimit(STREAMS, 60_000));
    const writer = { write: () => true, end: () => {}, cut: () => {} };
    const open = async (n: number) => {
      const request = {
        owner: 'app_a',
        subject: `account ${n}`,
        caller: `user ${n}`,
        credentials: [],
        after: 0,
        intervalMs: 0,
      };
      const stream = await streams.open({ ...request, snapshot: async () => null } as never); // as: an id of an app
      stream.start(writer);
    };
    for (let n = 0; n < STREAMS; n += 1) await open(n);
    await sleep(4 * STREAMS);
    readings = 0;

    for (const notify of changed) notify();
    await workingOn({}, () => slots.use(async () => {}));

    expect(readings).to.be.below(5);
    streams.close();
  });
});
