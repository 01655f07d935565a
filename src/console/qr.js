import { encode } from './uqr.js';

const SVG = 'http://www.w3.org/2000/svg';
const QUIET_ZONE = 4; // modules of margin (ISO/IEC 18004, 9.1)

/** Draws a text as a QR code, dark on light in either colour scheme, as readers require. @param {string} text @param {string} label */
export function drawQrCode(text, label) {
  const { size, data } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  const picture = svg('svg', {
    class: 'qr',
    viewBox: `0 0 ${size} ${size}`,
    role: 'img',
    'aria-label': label,
    'shape-rendering': 'crispEdges',
  });
  picture.append(
    svg('rect', { width: size, height: size, fill: '#fff' }),
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
