import { expect } from 'chai';
import { measuredEdge } from '../support/edge-cost.ts';

const LENGTH = 15_000; // of one part of a request: Node takes 16 kB of address and headers together
const RUNS = 5;
const TIMES_PLAIN = 5;
/** Below this a difference is noise of the measurement, not a cost. */
const NOISE_MS = 5;

describe('a request without authentication', () => {
  const { costOf } = measuredEdge({ admins: async () => null });

  const long = (part: string) => part.repeat(Math.floor(LENGTH / part.length));
  const between = (part: string) => `x${long(part)}y`;
  for (const [what, path, headers] of [
    ...['a=1&', 'limit=1&', '%41=%41&', '&', '=', '[', '+', '%'].map((part) => [
      'query',
      part,
      `/healthz?${long(part)}`,
    ]),
    ...['a', '/', '%41', '%2f', ':', '.'].map((part) => ['path', part, `/v2/${long(part)}`]),
    ...[' ', ';', 'a=b;', '; a'].map((part) => ['Cookie', part, '/v2/admin/me']),
    ...['a,', ',', ' ', ';', '*/*,', 'a/b;"'].map((part) => ['Accept', part, '/']),
    ...['a,', ',', ' ', ';', 'gzip;q=0.1,'].map((part) => ['Accept-Encoding', part, '/docs']),
    ...['"a",', ',', ' ', 'W/"'].map((part) => ['If-None-Match', part, '/docs']),
    ...[' ', 'Bearer ', 'a'].map((part) => ['Authorization', part, '/v2/admin/me']),
  ].map(([name = '', part = '', at = '']) => {
    const isHeader = name !== 'query' && name !== 'path';
    return [`${name} of ${JSON.stringify(part)}`, at, isHeader ? { [name]: between(part) } : {}] as const;
  }))
    it(`costs little more than any other, however long it is: ${what}`, async () => {
      const plain = await costOf(RUNS, { path: '/healthz' });

      const { status, ms } = await costOf(RUNS, { path, headers });

      expect(status).to.be.below(500);
      expect(ms).to.be.below(TIMES_PLAIN * plain.ms + NOISE_MS);
    });
});
