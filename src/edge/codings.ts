import type { IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** The most bytes of a body, before and after decompression: the network's miner reads at most 256 KB, and bodies of the contract are far smaller. */
export const MAX_BYTES = 128 * 1_024;

/** The content codings that are decompressed, and how. */
export const DECODERS = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress };

/** Without it a body of any length is read that decompresses to nothing, such as empty gzips. */
const TOO_LONG_CODED = Object.assign(new Error('The coded body is too long'), { status: 413 });

/**
 * A body being decompressed. koa-body's own decoder ends the process if it fails after the body was rejected, because then nobody listens to its
 * error.
 */
export function decoded(req: IncomingMessage, coding: keyof typeof DECODERS) {
  const decoder = DECODERS[coding]();
  const cut = () => decoder.destroy(new Error('The body breaks off'));
  decoder.on('error', () => {}); // before and after the read nobody else listens
  req.on('error', cut);
  if (req.destroyed) cut(); // the caller has already left
  let bytes = 0;
  req.on('data', ({ length }: Buffer) => {
    bytes += length;
    if (bytes > MAX_BYTES) decoder.destroy(TOO_LONG_CODED);
  });
  return Object.assign(req.pipe(decoder), { headers: {} }); // nothing is left to decompress
}
