import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** The server's end of a socket for text messages. */
export type TextSocket = {
  send(text: string): void;
  /** Closes the connection without a farewell, as a network that breaks does. */
  destroy(): void;
};

/** Called with each whole message, and once when the connection has ended. */
type Handlers = { onText(text: string): void; onEnd(): void };

/** RFC 6455, section 1.3: what the key of a request is joined with. */
const ACCEPT = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** RFC 6455, section 5.2. */
const TEXT = 0x1;
const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;
const FINAL = 0x80;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;

/** Completes the handshake of a WebSocket (RFC 6455). Messages of clients are short: one in several frames ends the connection. */
export function acceptSocket({ headers }: IncomingMessage, socket: Duplex, { onText, onEnd }: Handlers): TextSocket {
  const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${ACCEPT}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  let unread: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    for (let frame = firstFrame(unread); frame; frame = firstFrame(unread)) {
      unread = unread.subarray(frame.bytes);
      if (frame.kind === (FINAL | TEXT)) onText(frame.payload.toString('utf8'));
      else if (frame.kind === (FINAL | PING)) socket.write(frameOf(PONG, frame.payload));
      else if (frame.kind === (FINAL | CLOSE)) socket.end(frameOf(CLOSE, frame.payload));
      else if (frame.kind !== (FINAL | PONG)) socket.destroy();
    }
  });
  socket.on('error', () => socket.destroy());
  socket.on('end', () => socket.destroy()); // a server's sockets stay half open by themselves
  socket.once('close', onEnd);
  return {
    send: (text) => void socket.write(frameOf(TEXT, Buffer.from(text))),
    destroy: () => void socket.destroy(),
  };
}

/** The first frame of what was received, unmasked; null until all of it is there. `bytes`: its length. */
function firstFrame(unread: Buffer): { kind: number; payload: Buffer; bytes: number } | null {
  const [kind, second] = unread;
  if (kind === undefined || second === undefined) return null;
  const short = second & 0x7f;
  const extended = short === TWO_BYTES ? 2 : short === EIGHT_BYTES ? 8 : 0;
  const start = 2 + extended + 4; // a client masks all it sends
  if (unread.length < start) return null;
  const size = extended === 2 ? unread.readUInt16BE(2) : extended === 8 ? Number(unread.readBigUInt64BE(2)) : short;
  if (unread.length < start + size) return null;
  const mask = unread.subarray(start - 4, start);
  const payload = Buffer.from(unread.subarray(start, start + size));
  for (const [at, byte] of payload.entries()) payload[at] = byte ^ (mask[at % 4] ?? 0);
  return { kind, payload, bytes: start + size };
}

/** A frame as a server sends it: whole, and not masked. */
function frameOf(kind: number, payload: Buffer): Buffer {
  const size = payload.length;
  const head = Buffer.alloc(size < TWO_BYTES ? 2 : size < 65_536 ? 4 : 10);
  head[0] = FINAL | kind;
  head[1] = size < TWO_BYTES ? size : size < 65_536 ? TWO_BYTES : EIGHT_BYTES;
  if (head.length === 4) head.writeUInt16BE(size, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
  return Buffer.concat([head, payload]);
}
