import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { respondToUnreadable } from '../../src/edge/malformed.ts';

const PACKETS = 50;

describe('a caller that sends what is no request behind one without a response', () => {
  let responses: ServerResponse[] = [];
  const server = createServer((_, response) => void responses.push(response));
  respondToUnreadable(server, 'https://service.test');
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  beforeEach(() => {
    responses = [];
  });
  after(() => server.close());

  it('costs nothing for each packet, and gets the response', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1'); // as: it listens on TCP
    socket.setNoDelay();
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(server, 'request');
    const [response] = responses;
    const listeners = () => response?.eventNames().reduce((sum, name) => sum + response.listenerCount(name), 0) ?? 0;
    const before = listeners();

    for (let n = 0; n < PACKETS; n++) {
      socket.write('no request\r\n');
      await once(server, 'clientError');
    }

    expect(listeners() - before).to.equal(1); // it closes the connection
    response?.end('all of it');
    expect(await text(socket)).to.match(/^HTTP\/1.1 200 .*all of it/s);
  });
});
