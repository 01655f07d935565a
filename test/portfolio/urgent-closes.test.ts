import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { ReadyAccount } from '../../src/capabilities/trading/accounts.ts';
import { closeEach } from '../../src/capabilities/trading/bulk.ts';
import { atOnce } from '../../src/kernel/at-once.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { workingOn } from '../../src/kernel/work.ts';
import { netvenue } from '../../src/venues/network/adapter/index.ts';
import type { RequestContext } from '../../src/venues/network/orders/intents.ts';
import { venueReads } from '../../src/venues/reads.ts';

const POSITION = newIntentId();
const READERS = 40;
const TAKES_MS = 25;
const WAITING = { mostWaiting: Number.POSITIVE_INFINITY, longestMs: 10_000, silentMs: 10_000 };

describe('the closing of several positions beside the reads of all users of its app', () => {
  const read: string[] = [];
  const filled = { t: 'LONG', e: 'MARKET', p: 1, q: 1, v: 100, pr: 100 };
  const position = { tp: 'BTCUSDC', t: 'LONG', o: 1, ap: 100, up: 0, rp: 0, fo: { [POSITION]: filled } };
  const validator = createServer(async (request, response) => {
    read.push(String(request.url?.split('/').pop()));
    await sleep(TAKES_MS);
    const dashboard = { subaccount_info: { status: 'active' }, positions: { positions: { [POSITION]: position } } };
    response.end(JSON.stringify({ status: 'success', timestamp: 2, dashboard }));
  });
  before(() => new Promise<void>((resolve) => validator.listen(0, '127.0.0.1', resolve)));
  after(() => {
    validator.closeAllConnections();
    validator.close();
  });

  it('waits for none of them, also where its trader reads the same', async () => {
    const { port } = validator.address() as AddressInfo; // as: it listens on TCP
    const [minerUrl, validatorUrl] = ['http://127.0.0.1:1', `http://127.0.0.1:${port}`];
    const access = { minerUrl, minerKey: 'm', validatorUrl, validatorKey: 'v', entityHotkey: '5E' };
    const reads = venueReads(netvenue({ ...access, turns: { validator: atOnce(1, WAITING) } }), {} as never, 10_000); // as: not read
    const accepted: string[] = [];
    const context = {
      ...{
        context: { owner: 'app', digest: '', request_id: '' },
        deadlineMs: 1_000,
        subaccountId: 1,
        entityHotkey: '5E',
      },
      accept: async ({ id, pair }: { id: string; pair: string }) => {
        accepted.push(pair);
        return { id, replayed: false };
      },
    } as unknown as RequestContext; // as: what is used of it
    const wait = async () => ({ settled_at: null }) as never; // as: it is pending
    const call = { deps: { db: {} as never, reads, wait }, body: { position_uuids: [POSITION] }, waitMs: () => 0 }; // as: nothing is looked up without a key
    const account = { owner: 'app', hotkey: `5E_${READERS - 1}`, status: 'funded' } as ReadyAccount; // as: what is used of it

    const flood = Array.from({ length: READERS }, (_, n) =>
      workingOn({ tenant: 'app' }, () => reads.dashboard(`5E_${n}`)),
    );
    await sleep(2 * TAKES_MS);
    await workingOn({ tenant: 'app' }, () => closeEach(call, account, context));
    const before = read.length;
    await Promise.all(flood);

    expect(accepted).to.deep.equal(['BTCUSDC']);
    expect(before).to.be.below(READERS / 4);
  });
});
