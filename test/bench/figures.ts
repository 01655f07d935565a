import { availableParallelism, cpus, totalmem } from 'node:os';
import { quantile } from '../chaos/audit.ts';

/** One figure beside its reference. `ratio` is figure to reference; `kept` is null for what is told beside a promise. */
export type Row = {
  what: string;
  figure: number;
  unit: string;
  reference: number | null;
  ratio: number | null;
  mark: string | null;
  kept: boolean | null;
};

/** What one measurement found. */
export type Figures = { name: string; title: string; rows: Row[] };

/** How much is measured: all of it, or as much as shows that it works. */
export type Extent = { small: boolean };

/** Medians over pairs of a figure and its reference, measured one right after the other; that of their ratio too, which a machine's moods disturb least. */
export const ratioOf = (pairs: (readonly [figure: number, reference: number])[]) => ({
  figure: quantile(
    pairs.map(([figure]) => figure),
    0.5,
  ),
  reference: quantile(
    pairs.map(([, reference]) => reference),
    0.5,
  ),
  ratio: quantile(
    pairs.map(([figure, reference]) => figure / reference),
    0.5,
  ),
});

type Held = { what: string; figure: number; unit: string; reference: number; ratio: number };

/** A figure that must be at least so many times its reference. */
export const atLeast = (times: number, held: Held): Row => ({
  ...held,
  mark: `≥ ${times} ×`,
  kept: held.ratio >= times,
});

/** A figure that must be at most so many times its reference. */
export const atMost = (times: number, held: Held): Row => ({
  ...held,
  mark: `≤ ${rounded(times)} ×`,
  kept: held.ratio <= times,
});

/** A figure with a bound of its own. */
export const below = (bound: number, found: Told): Row => ({
  ...told(found),
  mark: `≤ ${bound} ${found.unit}`,
  kept: found.figure <= bound,
});

type Told = { what: string; figure: number; unit: string; reference?: number; ratio?: number };

/** A figure that nothing was promised of. */
export const told = (found: Told): Row => ({ reference: null, ratio: null, mark: null, kept: null, ...found });

/** The machine the figures hold for. */
export const machine = () => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: `${availableParallelism()} cores`,
  memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
  node: `Node ${process.version}`,
});

const HEADS = ['', 'figure', 'reference', 'ratio', 'mark', ''];

/** The figures of one measurement as a table for people. */
export function shown({ name, title, rows }: Figures): string {
  const cells = [HEADS, ...rows.map(cellsOf)];
  const widths = HEADS.map((_, n) => Math.max(...cells.map((line) => line[n]?.length ?? 0)));
  const lines = cells.map((line) =>
    line.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))),
  );
  return `\n${name}  ${title}\n${lines.map((line) => `  ${line.join('  ')}`.trimEnd()).join('\n')}\n`;
}

const cellsOf = ({ what, figure, unit, reference, ratio, mark, kept }: Row): string[] => [
  what,
  `${rounded(figure)} ${unit}`,
  reference === null ? '' : rounded(reference),
  ratio === null ? '' : ratio.toFixed(2),
  mark ?? '',
  kept === null ? '' : kept ? 'kept' : 'NOT KEPT',
];

const rounded = (value: number) =>
  Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : value < 1_000 ? 1 : 0);
