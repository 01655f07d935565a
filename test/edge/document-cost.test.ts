import { expect } from 'chai';
import { measuredEdge } from '../support/edge-cost.ts';

const RUNS = 30;
const TIMES_PLAIN = 5;
/** Below this a difference is noise of the measurement, not a cost. */
const NOISE_MS = 1;

describe('a document without authentication', () => {
  const { ask, costOf } = measuredEdge();

  for (const path of ['/openapi.json', '/docs/reference'])
    it(`costs little more than a small response, although it has a megabyte: ${path}`, async () => {
      const { headers } = await ask({ path });
      const most = TIMES_PLAIN * (await costOf(RUNS, { path: '/healthz' })).ms + NOISE_MS;

      expect(Number(headers['content-length'])).to.be.above(1_000_000);
      for (const asked of [
        { method: 'HEAD' },
        { headers: { 'If-None-Match': String(headers.etag) } },
        { headers: { 'Accept-Encoding': 'gzip' } },
      ])
        expect((await costOf(RUNS, { path, ...asked })).ms, JSON.stringify(asked)).to.be.below(most);
    });
});
