import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { bearer } from '../../support/identity.ts';
import { eventually } from '../../support/money.ts';
import { type Reader, readStream } from '../../support/stream.ts';
import { startTrading, TRADING, type Trading } from '../../support/trading.ts';

const HEARTBEAT_MS = 200;
const MOST = 10;

/** A network that has gone says nothing: what was written to its readers is sent again and again, for a quarter of an hour. */
describe('streams whose readers have gone without a word', function () {
  this.timeout(30_000);
  let service: Trading;
  const readers: Reader[] = [];
  before(async () => {
    service = await startTrading({ settings: { STREAM_HEARTBEAT_MS: String(HEARTBEAT_MS) } });
  });
  after(async () => {
    for (const reader of readers) reader.drop();
    await service.stop();
  });

  it('block new streams of their caller for eight heartbeats only', async () => {
    const trader = await service.propTrader();
    const key = { 'X-Api-Key': (await trader.key()).api_key };
    const open = async (headers: Record<string, string>) => {
      const reader = await readStream(`${service.url}${TRADING}/stream`, headers);
      readers.push(reader);
      return reader;
    };
    const apps = await open({ ...bearer(service.tenant.token), 'X-Prop-Account': trader.account.id });
    const left: Reader[] = [];
    for (let n = 0; n < MOST; n += 1) left.push(await open(key));
    for (const reader of left) reader.pause();
    const early = await open(key);
    await sleep(9 * HEARTBEAT_MS);

    const next = [await open(key), await open(key)];
    for (const reader of left) reader.resume();
    await eventually(async () => left.filter((reader) => reader.ended()).length === 2);
    const [{ id = '' } = {}] = left[0]?.events ?? [];
    const resumed = await open({ ...key, 'Last-Event-ID': String(id) });

    expect([early.status, ...next.map(({ status }) => status)]).to.deep.equal([429, 200, 200]);
    await eventually(async () => next.every(({ events }) => events[0]?.type === 'snapshot'));
    expect(left.map((reader) => reader.ended()).slice(0, 2)).to.deep.equal([true, true]);
    expect([apps.ended(), next[0]?.ended()]).to.deep.equal([false, false]);
    expect([resumed.status, resumed.events]).to.deep.equal([200, []]);
  });
});
