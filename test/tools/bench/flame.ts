import { type CpuProfile, nameOf, timesOf } from './self-times.ts';

const WIDTH = 1_600;
const ROW = 16;
const CHARACTER = 6.5;
const LEAST = 0.5; // narrower boxes are left out

type Box = { name: string; children: Map<string, Box>; us: number };

/** A flame graph as SVG: each box is a function, as wide as the time in it and what it called; the root is on top. */
export function flameGraph(profile: CpuProfile): string {
  const root = merged(profile);
  const lines: string[] = [];
  const deepest = draw(root, { x: 0, depth: 0, scale: WIDTH / root.us }, lines);
  const height = (deepest + 1) * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="monospace" font-size="11">\n${lines.join('\n')}\n</svg>\n`;
}

/** The call tree without idle time, equal functions of one caller as one. */
function merged(profile: CpuProfile): Box {
  const times = timesOf(profile);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const add = (id: number, into: Map<string, Box>): number => {
    const node = nodes.get(id);
    if (!node || node.callFrame.functionName === '(idle)') return 0;
    const name = nameOf(node.callFrame);
    const box: Box = into.get(name) ?? { name, children: new Map(), us: 0 };
    into.set(name, box);
    let us = times.get(id) ?? 0;
    for (const child of node.children ?? []) us += add(child, box.children);
    box.us += us;
    return us;
  };
  const top = new Map<string, Box>();
  add(profile.nodes[0]?.id ?? 0, top);
  return [...top.values()][0] ?? { name: 'nothing', children: new Map(), us: 1 };
}

type At = { x: number; depth: number; scale: number };

function draw({ name, us, children }: Box, { x, depth, scale }: At, lines: string[]): number {
  const width = us * scale;
  if (width < LEAST) return depth;
  const text = escaped(name);
  const shown = escaped(name.slice(0, Math.max(0, Math.floor(width / CHARACTER))));
  const colour = `hsl(${20 + ((name.length * 7) % 40)} 80% 65%)`;
  const y = depth * ROW;
  lines.push(
    `<g><title>${text}, ${Math.round(us / 1_000)} ms</title><rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="${colour}"/><text x="${(x + 2).toFixed(1)}" y="${y + 11}">${shown}</text></g>`,
  );
  let left = x;
  let deepest = depth;
  for (const child of [...children.values()].toSorted((a, b) => b.us - a.us)) {
    deepest = Math.max(deepest, draw(child, { x: left, depth: depth + 1, scale }, lines));
    left += child.us * scale;
  }
  return deepest;
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
