import { availableParallelism, cpus, totalmem } from 'node:os';
import { quantile } from '../chaos/audit.ts';

/**
 * One figure and its reference. `ratio` is figure to reference; `kept` is null for a figure without a promise.
 * `isBroken` when the figure exceeds a bound that holds on every machine: the bench then fails.
 */
export type Row = {
  what: string;
  figure: number;
  unit: string;
  reference: number | null;
  ratio: number | null;
  mark: string | null;
  kept: boolean | null;
  isBroken: boolean;
};

/** The result of one measurement. */
export type Figures = { name: string; title: string; rows: Row[] };

/** How much is measured: all of it, or just enough to show that it works. */
export type Extent = { small: boolean };

/**
 * Medians over pairs of a figure and its reference, measured directly after each other, and the median of their ratio,
 * which variations of the machine affect least.
 */
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

/** A figure that must be at least a given multiple of its reference; below `floor` times the bench fails. */
export const atLeast = (times: number, held: Held, floor = 0): Row => ({
  ...held,
  mark: `≥ ${times} ×`,
  kept: held.ratio >= times,
  isBroken: held.ratio < floor,
});

/** A figure that must be at most a given multiple of its reference. */
export const atMost = (times: number, held: Held): Row => ({
  ...held,
  mark: `≤ ${rounded(times)} ×`,
  kept: held.ratio <= times,
  isBroken: false,
});

/** A figure with its own bound; above `ceiling` the bench fails. */
export const below = (bound: number, found: Reported, ceiling = Number.POSITIVE_INFINITY): Row => ({
  ...reported(found),
  mark: `≤ ${rounded(bound)} ${found.unit}`,
  kept: found.figure <= bound,
  isBroken: found.figure > ceiling,
});

/** A figure with a bound that fails the bench. */
export const within = (bound: number, found: Reported): Row => below(bound, found, bound);

type Reported = { what: string; figure: number; unit: string; reference?: number; ratio?: number };

/** A figure without a promise. */
export const reported = (found: Reported): Row => ({
  reference: null,
  ratio: null,
  mark: null,
  kept: null,
  isBroken: false,
  ...found,
});

/** The machine on which the figures were measured. */
export const machine = () => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: `${availableParallelism()} cores`,
  memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
  node: `Node ${process.version}`,
});

const HEADS = ['', 'figure', 'reference', 'ratio', 'mark', ''];

/** The figures of one measurement as a readable table. */
export function shown({ name, title, rows }: Figures): string {
  const cells = [HEADS, ...rows.map(cellsOf)];
  const widths = HEADS.map((_, n) => Math.max(...cells.map((line) => line[n]?.length ?? 0)));
  const lines = cells.map((line) =>
    line.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))),
  );
  return `\n${name}  ${title}\n${lines.map((line) => `  ${line.join('  ')}`.trimEnd()).join('\n')}\n`;
}

const cellsOf = ({ what, figure, unit, reference, ratio, mark, kept, isBroken }: Row): string[] => [
  what,
  `${rounded(figure)} ${unit}`,
  reference === null ? '' : rounded(reference),
  ratio === null ? '' : ratio.toFixed(2),
  mark ?? '',
  isBroken ? 'BROKEN' : kept === null ? '' : kept ? 'kept' : 'NOT KEPT',
];

const rounded = (value: number) =>
  Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : value < 1_000 ? 1 : 0);
