import type { Change } from './copy.ts';

const place = `import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { defineIntent } from '../../intents/define.ts';
import { fail, succeed } from '../../intents/settle.ts';
import { accepted, type UpstreamResult } from '../../kernel/upstream-result.ts';
import type { VenueReads } from '../reads.ts';

type Deps = { db: Db; reads: Pick<VenueReads, 'mids'> };
type Filled = { price: string };

/** Places an order that is filled at the mid price of the exchange. The intent is the venue's own record of it. */
export const place = defineIntent({
  kind: 'paper/place',
  retention: 'alone',
  claimed: 'to_prepare',
  request: z.object({ trader: z.string(), coin: z.string(), size: z.string() }),
  payload: z.object({ price: z.string() }),
  timing: () => ({ patienceMs: 1_000, inFlightMs: 1_000 }),

  async prepare({ request }, { reads }: Deps) {
    const mids = await reads.mids('');
    const price = mids.kind === 'found' ? mids.data[request.coin] : undefined;
    return price === undefined ? { wait: { code: 'VENUE_UNREADABLE' } } : { send: { price } };
  },
  send: async ({ payload }): Promise<UpstreamResult<Filled>> => accepted({ price: payload.price }),
  reconcile: async () => ({ kind: 'absent' }),
  record: ({ intent }, result, { db }) =>
    result.kind === 'accepted'
      ? succeed(db, intent, { order_uuid: intent.id, executed: result.data })
      : fail(db, intent, { code: 'VENUE_REJECTED' }),
});
`;

const queries = `import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { idSchema, type OwnerId } from '../../kernel/ids.ts';

const filledRow = z.object({
  id: idSchema.intent,
  coin: z.string(),
  size: z.string(),
  price: z.string(),
  settled_at: z.string(),
});

/** The filled orders of a trader of this owner. */
export const listFilled = (db: Db, owner: OwnerId, trader: string) =>
  db.any(sql.type(filledRow)\`
    select i.id, i.request ->> 'coin' as coin, i.request ->> 'size' as size, i.outcome #>> '{result,executed,price}' as price,
      i.settled_at
    from intents i
    where i.kind = 'paper/place' and i.owner = \${owner} and i.request ->> 'trader' = \${trader} and i.state = 'succeeded'\`);
`;

const http = `import { z } from 'zod';
import type { Handler } from '../../contract/handler.ts';
import { intentFor, type NewIntent, type SubmitDeps } from '../../intents/accept.ts';
import { place } from './place.ts';

type Deps = SubmitDeps<'acceptIntent', NewIntent, 'ORDER_DEADLINE_MS'>;

/** Places an order on paper. */
export const submitPaperOrder: Handler<'submitPaperOrder', Deps> = async (call) => {
  const submission = { context: call.context, deadlineMs: call.deps.config.ORDER_DEADLINE_MS };
  const trader = call.header['Trader-ID'];
  const next = intentFor(submission, place, { trader, ...call.body });
  const intent = await call.settled(await call.deps.acceptIntent({ ...next, lane: \`paper:\${trader}\` }));
  const { price } = z.object({ result: z.object({ executed: z.object({ price: z.string() }) }) }).parse(intent.outcome).result.executed;
  return { status: 200, body: { order_id: intent.id, price } };
};
`;

const index = `import { ApiError } from '../../kernel/errors.ts';
import { isWithin } from '../history.ts';
import type { VenuePackage } from '../venue.ts';
import * as orders from './http.ts';
import { listFilled } from './queries.ts';

const unknown = async () => {
  throw new ApiError('V1_TRADER_UNKNOWN');
};

/** Trading on paper, at the prices of the exchange. */
export const paper = {
  operations: orders,
  open: ({ db }) => ({
    id: 'paper',
    recognises: (traderId) => traderId.startsWith('paper-'),
    open: async (owner, traderId) => ({
      account: unknown,
      limits: unknown,
      positions: unknown,
      closedPositions: async () => [],
      async filledOrders({ span }) {
        const filled = await listFilled(db, owner, traderId);
        return filled
          .map((order) => ({ ...order, atMs: Date.parse(order.settled_at) }))
          .filter(({ atMs }) => isWithin(span, atMs))
          .map(({ id, coin, size, price, atMs }) => ({
            atMs,
            id,
            entry: {
              ...{ ex_order_id: null, order_id: id, client_order_id: id, pair: coin, side: 'long', size },
              ...{ filled_size: size, order_type: 'market', status: 'filled', fill_price: price, limit_price: null },
              ...{ take_profit: null, stop_loss: null, tp_order_id: null, sl_order_id: null },
              ...{ trigger_status: 'not_requested', trigger_error: null, created_at: new Date(atMs).toISOString() },
            },
          }));
      },
      rules: async () => [],
      pairs: async () => [],
      facts: unknown,
      payouts: async () => [],
    }),
  }),
} satisfies VenuePackage;
`;

const operation = `  /v1/orders/paper:
    post:
      operationId: submitPaperOrder
      tags: [v1 network orders]
      summary: Place an order on paper
      description: The order is filled at the mid price of the exchange.
      security: [{ partnerKey: [] }]
      parameters:
        - name: Trader-ID
          in: header
          required: true
          schema: { type: string, pattern: '^paper-\\d{1,9}$' }
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              additionalProperties: false
              required: [coin, size]
              properties:
                coin: { type: string }
                size: { type: string }
      responses:
        '200':
          description: The order was filled
          content:
            application/json:
              schema:
                type: object
                additionalProperties: false
                required: [order_id, price]
                properties:
                  order_id: { type: string }
                  price: { type: string }
`;

const test = `import { expect } from 'chai';
import { caller } from '../support/caller.ts';
import { startService } from '../support/service.ts';

describe('a venue on paper', () => {
  it('fills an order at the mid, shows it in the history, and reports it to its partner', async function () {
    this.timeout(60_000);
    const service = await startService();
    try {
      const { key } = await service.partner();
      const trader = caller(service.url, key, { 'Trader-ID': 'paper-1' });
      const mids = await service.runtime.reads.mids('');
      const placed = await trader.post('/v1/orders/paper', { coin: 'BTC', size: '0.5' });
      const history = await trader.get('/v1/history/orders');
      const events = await trader.get('/v1/events');

      expect(placed.status, JSON.stringify(placed.body)).to.equal(200);
      expect(placed.body.price).to.equal(mids.kind === 'found' && mids.data.BTC);
      expect(history.body, JSON.stringify(history.body)).to.have.length(1);
      expect(history.body[0]).to.include({ order_id: placed.body.order_id, fill_price: placed.body.price, size: '0.5' });
      expect(events.body.map(({ type, data }: { type: string; data: { venue: string } }) => [type, data.venue])).to.deep.equal([
        ['order.updated', 'paper'],
      ]);
    } finally {
      await service.stop();
    }
  });
});
`;

/** A third venue: its folder, its task, a row of SQL, and a line where venues are listed. */
export const venue: Change = {
  adds: {
    'src/venues/paper/index.ts': index,
    'src/venues/paper/place.ts': place,
    'src/venues/paper/queries.ts': queries,
    'src/venues/paper/http.ts': http,
    'workers/paper/place.ts': `import { runIntent } from '../../src/intents/run.ts';
import { place } from '../../src/venues/paper/place.ts';

export default runIntent(place);
`,
  },
  edits: [
    {
      file: 'src/venues/index.ts',
      after: `import { network } from './network/index.ts';\n`,
      put: `import { paper } from './paper/index.ts';\n`,
    },
    { file: 'src/venues/index.ts', after: 'VENUES = [network, exchange', put: ', paper' },
    {
      file: 'sql/0003_intents.sql',
      after: `  ('network/protect', 'netvenue', 'netvenue', true, 'alone_or_with_order'),\n`,
      put: `  ('paper/place', 'paper', 'paper', false, 'alone'),\n`,
    },
    { file: 'src/contract/openapi.yaml', after: '\npaths:\n', put: operation },
    { file: 'src/contract/openapi.yaml', after: '    Venue: { enum: [exvenue, netvenue', put: ', paper' },
    {
      file: 'src/contract/openapi.yaml',
      after: `schema: { type: string, pattern: '^(\\d{1,9}`,
      put: '|paper-\\d{1,9}',
    },
  ],
  test: { file: 'test/api/paper.test.ts', text: test },
};
