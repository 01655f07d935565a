import type { Change } from './copy.ts';

const test = `import { expect } from 'chai';
import nock from 'nock';
import { netvenue } from '../../src/venues/network/adapter/index.ts';
import { placementSignal } from '../../src/venues/network/orders/place.ts';

describe('one more member of an order', () => {
  it('is on the wire', async () => {
    const at = 'http://miner.test';
    const keys = { minerKey: 'm', validatorKey: 'v', entityHotkey: '5Entity' };
    const venue = netvenue({ minerUrl: at, validatorUrl: at, ...keys });
    let sent: { note?: string } = {};
    nock(at)
      .post('/api/submit-order', (body) => {
        sent = body;
        return true;
      })
      .reply(200, { success: true });
    const terms = { trade_pair: 'BTCUSDC', order_type: 'LONG', execution_type: 'MARKET', leverage: 0.1, note: 'a' } as const;
    await venue.submit(placementSignal('0190a1b2-0000-7000-8000-000000000001', 3, terms));

    expect(sent.note).to.equal('a');
  });
});
`;

/** One more optional member of a network order, from the contract to the wire. */
export const member: Change = {
  adds: {},
  edits: [
    {
      file: 'src/contract/openapi.yaml',
      after: `description: Price at which the position's loss is limited. }\n`,
      put: `        note: { type: string, maxLength: 20, description: A remark for the network. }\n`,
    },
    {
      file: 'src/venues/network/adapter/signal-types.ts',
      after: `  bracket_orders?: Bracket[];\n`,
      put: `  note?: string;\n`,
    },
    {
      file: 'src/venues/network/adapter/index.ts',
      after: `  bracket_orders: signal.bracket_orders?.map(bracketBody),\n`,
      put: `  note: signal.note,\n`,
    },
    { file: 'src/venues/network/orders/place.ts', after: `  'bracket_orders',\n`, put: `  'note',\n` },
  ],
  test: { file: 'test/adapters/note.test.ts', text: test },
};
