import { connect } from 'node:net';
import { expect } from 'chai';
import { bearer } from '../support/identity.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const MORE_THAN_SLOTS = 11; // of one caller

describe('a statement as CSV of which nothing is sent', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ worker: false });
  });
  after(() => service.stop());

  const statements = () => `${service.url}/v1/statements`;
  const headersOf = async () => ({ ...bearer((await service.partner()).key), Accept: 'text/csv' });

  it('gives its slot back where it is asked for with HEAD', async () => {
    const headers = await headersOf();

    for (let n = 0; n < MORE_THAN_SLOTS; n++)
      expect((await fetch(statements(), { method: 'HEAD', headers })).status).to.equal(200);

    expect((await fetch(statements(), { headers })).status).to.equal(200);
  });

  it('gives its slot back where its caller has gone while it was read', async () => {
    const headers = await headersOf();

    for (let n = 1; n <= MORE_THAN_SLOTS; n++) {
      await askAndLeave(headers);
      await until('the end of the request', () => leftBehind() === n || null, 5_000);
    }

    expect((await fetch(statements(), { headers })).status).to.equal(200);
  });

  const leftBehind = () => service.log.lines.filter(({ msg }) => msg === 'a text was not sent completely').length;

  /** Closes the connection as soon as the request is written. */
  function askAndLeave(headers: Record<string, string>): Promise<void> {
    const { port, hostname } = new URL(service.url);
    const lines = Object.entries({ Host: hostname, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = connect(Number(port), hostname).once('close', () => resolve());
    socket.write(`GET /v1/statements HTTP/1.1\r\n${lines.join('')}\r\n`, () => socket.destroy());
    return promise;
  }
});
