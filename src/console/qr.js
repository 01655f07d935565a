import { create } from './qrcode.js';

const SVG = 'http://www.w3.org/2000/svg';
const QUIET = 4; // modules of margin (ISO/IEC 18004, 9.1)

/** Draws a text as a QR code, dark on light in either scheme, since readers want it so. @param {string} text @param {string} label */
export function drawQrCode(text, label) {
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
  const side = size + 2 * QUIET;
  const squares = [...data].flatMap((isDark, n) =>
    isDark ? `M${(n % size) + QUIET} ${Math.floor(n / size) + QUIET}h1v1h-1z` : [],
  );
  const picture = svg('svg', {
    class: 'qr',
    viewBox: `0 0 ${side} ${side}`,
    role: 'img',
    'aria-label': label,
    'shape-rendering': 'crispEdges',
  });
  picture.append(
    svg('rect', { width: side, height: side, fill: '#fff' }),
    svg('path', { d: squares.join(''), fill: '#000' }),
  );
  return picture;
}

/** @param {string} tag @param {Record<string, string | number>} attributes */
function svg(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}
