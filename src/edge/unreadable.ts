import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal, type RefusalCode } from '../kernel/refusals.ts';
import { problemDocument } from './respond.ts';

const LINGER_MS = 1_000; // what a caller still sends meanwhile is read, or its answer would be lost with the connection

const CODES: Record<string, RefusalCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

type Unread = NodeJS.ErrnoException & { rawPacket?: Buffer };
type Under = Duplex & { _httpMessage?: ServerResponse };

/** Answers with a problem document what cannot be read as a request, and ends its connection. An `Expect` unknown to us is ignored. */
export function answerUnreadable(server: Server): void {
  server.on('clientError', (error: Unread, socket: Under) => {
    const owed = socket._httpMessage;
    if (owed?.req.complete && socket.writable) return endAfter(owed, socket);
    if (error.code === 'ECONNRESET' || !socket.writable || owed?.headersSent) return void socket.destroy();
    const [head, text] = told(new Refusal(CODES[error.code ?? ''] ?? 'MALFORMED_REQUEST', { effect: 'none' }));
    const wantsHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';
    socket.end(wantsHead ? head : head + text);
    socket.on('error', () => {}).resume();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** An earlier request on this connection has still to be answered: ours would be taken for its answer. */
function endAfter(owed: ServerResponse, socket: Duplex): void {
  if (!owed.headersSent) owed.setHeader('Connection', 'close');
  owed.once('finish', () => socket.end());
}

function told(refusal: Refusal): [head: string, text: string] {
  const requestId = randomUUID();
  const text = JSON.stringify(problemDocument(refusal, requestId));
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  return [`${head.join('\r\n')}\r\n\r\n`, text];
}
