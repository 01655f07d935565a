import { decodeQR } from 'qr/decode.js';

const SCALE = 4; // pixels per module
const MARGIN = 4; // modules

/** Reads a QR code drawn as squares of one module, the `d` of an SVG path; throws when it cannot be read. */
export function readQrCode(path: string): string {
  const dark = [...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
  const side = (Math.max(...dark.map(({ x }) => x)) + 1 + MARGIN) * SCALE;
  const data = new Uint8ClampedArray(side * side * 4).fill(255);
  for (const { x, y } of dark)
    for (let row = y * SCALE; row < (y + 1) * SCALE; row += 1) {
      const at = (row * side + x * SCALE) * 4;
      for (let pixel = at; pixel < at + SCALE * 4; pixel += 4) data.fill(0, pixel, pixel + 3);
    }
  return decodeQR({ width: side, height: side, data });
}
