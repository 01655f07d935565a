import http from 'node:http';
import type { AddressInfo } from 'node:net';

/* A partner's server that responds with 200 to everything; prints its address. */
const server = http.createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(200).end('ok'));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // listening on TCP
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
