import { expect } from 'chai';
import { until } from '../support/processes.ts';
import { startService } from '../support/service.ts';
import { readStream } from '../support/stream.ts';

describe('a web process that gets a signal to stop', () => {
  it('is not ready from then on, and ends its streams at once: their readers find another one', async () => {
    const service = await startService({ worker: false });
    const { key } = await service.partner();
    const reader = await readStream(`${service.url}/v1/stream`, { Authorization: `Bearer ${key}` });
    const { readiness } = service.runtime;
    const before = await readiness.failing();

    const stopping = service.stop();
    const failing = await readiness.failing();
    const toldAt = performance.now();
    await until('the stream has ended', () => reader.ended() || null);
    const endedMs = performance.now() - toldAt;
    await stopping;

    expect([before, failing]).to.deep.equal([[], ['stopping']]);
    expect(endedMs).to.be.below(2_000);
    expect(performance.now() - toldAt).to.be.below(12_000);
  });
});
