import type { Change } from './copy.ts';

const flatten = `import { z } from 'zod';
import { defineIntent } from '../../../intents/define.ts';
import { succeed } from '../../../intents/settle.ts';
import { accepted, acknowledged, type UpstreamResult } from '../../../kernel/upstream-result.ts';
import type { Signal } from '../adapter/signal-types.ts';
import { ABSENT, nothingExecuted, UNREAD } from './outcome.ts';
import type { AtMiner, Done, Found } from './outcome.ts';
import { isOpenPosition } from './positions.ts';
import * as network from './calls.ts';

/** Closes all positions of a trader. */
export const flatten = defineIntent({
  kind: 'network/flatten',
  retention: 'alone',
  claimed: 'to_prepare',
  request: z.object(network.traderMembers),
  payload: z.object({ signal: network.signal }),
  timing: network.timing,
  slot: network.slotOfExit,

  async prepare({ request: { subaccount_id } }, _deps: network.Deps) {
    const signal: Signal = { execution_type: 'FLAT_ALL', order_uuid: 'ALL', subaccount_id };
    return { send: { signal } };
  },
  async send(sent, deps, limits): Promise<UpstreamResult<Done>> {
    const result = await network.sendSignal(sent, deps, limits, network.resolveBy(findFlat));
    return result.kind === 'accepted' ? acknowledged('an acceptance does not prove that it closed') : result;
  },
  reconcile: (sent, deps) => network.reconcileAt(sent, deps, findFlat),
  record: async ({ intent }, result, deps) =>
    result.kind === 'accepted'
      ? succeed(deps.db, intent, network.resultOf(intent.id, result.data))
      : network.recordOtherwise(deps, intent, result),
});

async function findFlat({ venue, trader }: AtMiner): Promise<Found> {
  const dashboard = await venue.dashboard(trader);
  if (dashboard.kind !== 'found' || !dashboard.data.reported.positions) return UNREAD;
  return dashboard.data.positions.some(isOpenPosition) ? ABSENT : accepted(nothingExecuted);
}
`;

const operation = `  /v1/orders/netvenue/flatten:
    post:
      operationId: flattenNetvenueTrader
      tags: [v1 network orders]
      summary: Close all positions
      description: Closes every open position of the trader.
      security: [{ partnerKey: [] }]
      parameters:
        - $ref: '#/components/parameters/NetvenueTrader'
        - $ref: '#/components/parameters/Prefer'
        - $ref: '#/components/parameters/IdempotencyKey'
      responses: *networkOrderResponses
`;

const test = `import { expect } from 'chai';
import { market } from '../support/orders.ts';
import { startService } from '../support/service.ts';

describe('one more verb', () => {
  it('closes all positions', async function () {
    this.timeout(60_000);
    const service = await startService();
    try {
      const trader = await service.trader();
      await trader.post('/v1/orders/netvenue', market());
      await trader.post('/v1/orders/netvenue', market({ trade_pair: 'ETHUSDC' }));
      const before = await trader.get('/v1/positions/netvenue');
      const reply = await trader.post('/v1/orders/netvenue/flatten');
      const after = await trader.get('/v1/positions/netvenue');

      expect(before.body).to.have.length(2);
      expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
      expect(after.body).to.deep.equal([]);
    } finally {
      await service.stop();
    }
  });
});
`;

/** One more verb of the network: its file, its task, its operation, and how it is submitted. */
export const verb: Change = {
  adds: {
    'src/venues/network/orders/flatten.ts': flatten,
    'workers/network/flatten.ts': `import { runIntent } from '../../src/intents/run.ts';
import { flatten } from '../../src/venues/network/orders/flatten.ts';

export default runIntent(flatten);
`,
  },
  edits: [
    {
      file: 'sql/0003_intents.sql',
      after: `  ('network/edit', 'netvenue', 'netvenue', false, 'alone'),\n`,
      put: `  ('network/flatten', 'netvenue', 'netvenue', true, 'alone'),\n`,
    },
    {
      file: 'src/venues/network/orders/intents.ts',
      after: `import { edit } from './edit.ts';\n`,
      put: `import { flatten } from './flatten.ts';\n`,
    },
    {
      file: 'src/venues/network/orders/intents.ts',
      after: `import { findInconsistency, type Terms, termsOf } from './rules.ts';\n`,
      put: `
/** Submits the closing of all positions. */
export const flattenTrader = (context: RequestContext): Promise<Accepted> =>
  submit(context, flatten, { pair: 'ALL' }, {});
`,
    },
    {
      file: 'src/venues/network/orders/http.ts',
      after: `import { cancelOrder, closePosition, editOrder, `,
      put: `flattenTrader, `,
    },
    {
      file: 'src/venues/network/orders/http.ts',
      after: `type AnyCall = Pick<CallWith<Deps>, 'deps' | 'context' | 'settled'>;\n`,
      put: `
/** Closes all positions of a trader. */
export const flattenNetvenueTrader: Handler<'flattenNetvenueTrader', Deps> = async (call) => {
  const accepted = await flattenTrader(context(call, call.header['Trader-ID']));
  return respond(call, accepted, intentPoll);
};
`,
    },
    {
      file: 'src/contract/openapi.yaml',
      after: `            example: { trade_pair: BTCUSDC }
      responses: *networkOrderResponses
`,
      put: operation,
    },
  ],
  test: { file: 'test/api/flatten.test.ts', text: test },
};
