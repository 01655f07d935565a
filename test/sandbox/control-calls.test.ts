import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { startSandbox } from '../../src/sandbox/start.ts';
import { asking } from '../support/identity.ts';
import { realSockets } from '../support/sockets.ts';

type Listed = { method: string; path: string; body?: object; does: string; members: { name: string }[] };

describe('the control calls that the sandbox lists', () => {
  const stops: (() => unknown)[] = [];
  let url: string;
  before(async () => {
    stops.push(realSockets());
    const folder = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-controls-`));
    stops.push(() => rm(folder, { recursive: true }));
    const none = async () => {};
    const sandbox = await startSandbox({
      folder,
      host: '127.0.0.1',
      advanceDatabase: none,
      advanceAccount: async () => null,
    });
    stops.push(sandbox.stop);
    const server = createServer(sandbox.site);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(() => server.close());
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  it('do with their example what they say, or name an object that there is not', async () => {
    const ask = asking(url);
    const { controls } = (await ask('GET', '/sandbox')).body as { controls: Listed[] };
    const replies = await Promise.all(
      controls.map(async ({ method, path: at, body, members }) => {
        const { status } = await ask(method, at, body ? { json: body } : {});
        const namesObject = members.some(({ name }) => ['id', 'subaccount_id'].includes(name));
        return `${at}: ${status === 200 || (namesObject && [400, 404].includes(status)) ? 'understood' : status}`;
      }),
    );

    expect(replies).to.deep.equal(controls.map(({ path: at }) => `${at}: understood`));
    expect(controls).to.have.length.above(20);
    for (const { does } of controls) expect(does).to.match(/\.$/);
  });
});
