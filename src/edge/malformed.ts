import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../kernel/error-codes.ts';
import { ApiError } from '../kernel/errors.ts';
import { problemDocument } from './respond.ts';

const LINGER_MS = 1_000; // keep reading for this long; a reset of the connection would discard the response

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

type Unread = NodeJS.ErrnoException & { rawPacket?: Buffer };
type Under = Duplex & { _httpMessage?: ServerResponse };

/**
 * Responds with a problem document to bytes that cannot be parsed as a request, and closes the connection. An unknown
 * `Expect` header is ignored.
 */
export function respondToUnreadable(server: Server, publicUrl: string): void {
  server.on('clientError', (error: Unread, socket: Under) => {
    const earlier = socket._httpMessage;
    if (earlier?.req.complete && socket.writable) return endAfter(earlier, socket);
    if (error.code === 'ECONNRESET' || !socket.writable || earlier?.headersSent) return void socket.destroy();
    const apiError = new ApiError(CODES[error.code ?? ''] ?? 'MALFORMED_REQUEST', { effect: 'none' });
    const [head, text] = renderError(apiError, publicUrl);
    const wantsHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';
    socket.end(wantsHead ? head : head + text);
    socket.on('error', () => {}).resume();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

const ending = new WeakSet<Duplex>();

/**
 * An earlier request on this connection has no response yet: the caller would take ours for it. Closes after that
 * response. Whatever else comes until then is discarded.
 */
function endAfter(earlier: ServerResponse, socket: Duplex): void {
  if (ending.has(socket)) return;
  ending.add(socket);
  if (!earlier.headersSent) earlier.setHeader('Connection', 'close');
  earlier.once('finish', () => socket.end());
}

function renderError(apiError: ApiError, publicUrl: string): [head: string, text: string] {
  const requestId = randomUUID();
  const text = JSON.stringify(problemDocument(apiError, { requestId, publicUrl }));
  const head = [
    `HTTP/1.1 ${apiError.status} ${STATUS_CODES[apiError.status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    ...(apiError.retryAfterS === undefined ? [] : [`Retry-After: ${apiError.retryAfterS}`]),
    'Connection: close',
  ];
  return [`${head.join('\r\n')}\r\n\r\n`, text];
}
