import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { openStreams } from '../../src/capabilities/streams/hub.ts';
import { streamLimit } from '../../src/capabilities/streams/limit.ts';
import type { StreamRequest } from '../../src/capabilities/streams/listener.ts';
import type { EventLogs } from '../../src/capabilities/streams/logs.ts';

const CHECKED_WITHIN_MS = 2_000;

describe('a stream whose credentials are revoked while its snapshot is read', () => {
  it('shows nothing, says so and ends at once', async () => {
    const logs: EventLogs = {
      list: async () => [],
      end: async () => ({ last_position: 0, is_whole: true }),
      ends: async () => [],
      listen: async () => {},
      invalid: async (credentials) => credentials,
    };
    const log = { warn: () => {}, info: () => {} };
    type Hub = Parameters<typeof openStreams>[0];
    const hub = { logs, settlements: { follow: () => () => {} }, log };
    const streams = openStreams(hub as unknown as Hub, 60_000, streamLimit(10, 60_000)); // as: two levels
    const request = {
      ...{ owner: 'app_a', subject: 'prop_a', caller: 'key', credentials: ['key a'], after: null, intervalMs: 0 },
      snapshot: () => sleep(CHECKED_WITHIN_MS + 100, {}),
    };
    const written: string[] = [];

    const stream = await streams.open(request as unknown as StreamRequest); // as: ids are texts
    stream.start({
      write: (text) => written.push(text) > 0,
      end: (last) => void written.push(last, 'end'),
      cut: () => {},
    });
    streams.close();

    expect(written).to.deep.equal(['event: closed\ndata: {"reason":"revoked"}\n\n', 'end']);
  });
});
