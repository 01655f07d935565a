import { quantile } from '../../chaos/audit.ts';

/**
 * One figure and its reference. `ratio` is figure to reference; `spread` is its lowest and highest value among the
 * repetitions, and `moved` how far the reference itself moved among them, as a share of its median. `kept` is null for a
 * figure without a promise. `isBroken` when the figure exceeds a bound that holds on every machine: the bench then fails.
 */
export type Row = {
  what: string;
  figure: number;
  unit: string;
  reference: number | null;
  ratio: number | null;
  spread: Spread | null;
  moved: number | null;
  mark: string | null;
  kept: Verdict | null;
  isBroken: boolean;
};

type Spread = { low: number; high: number };
type Verdict = boolean | 'not judged';

/** The result of one measurement; `noise` is what the machine did meanwhile. */
export type Figures = { name: string; title: string; rows: Row[]; noise?: string | null };

/** How much is measured: all of it, or just enough to show that it works. */
export type Extent = { small: boolean };

/** A reference that moves by more than this between repetitions measures the machine, so nothing is judged by it. */
const MOST_MOVED = 0.2;

/**
 * Medians over pairs of a figure and its reference, measured directly after each other, and the median of their ratio,
 * which variations of the machine affect least.
 */
export const ratioOf = (pairs: (readonly [figure: number, reference: number])[]) => {
  const references = pairs.map(([, reference]) => reference);
  const ratios = pairs.map(([figure, reference]) => figure / reference);
  return {
    figure: median(pairs.map(([figure]) => figure)),
    reference: median(references),
    ratio: median(ratios),
    spread: { low: Math.min(...ratios), high: Math.max(...ratios) },
    moved: (Math.max(...references) - Math.min(...references)) / median(references),
  };
};

const median = (values: number[]) => quantile(values, 0.5);

type Limit = {
  what: string;
  figure: number;
  unit: string;
  reference: number;
  ratio: number;
  spread?: Spread;
  moved?: number;
};

/** A figure that must be at least a given multiple of its reference; below `floor` times the bench fails. */
export const atLeast = (times: number, held: Limit, floor = 0): Row => ({
  ...reported(held),
  mark: `≥ ${times} ×`,
  kept: judged(held, held.ratio >= times),
  isBroken: held.ratio < floor,
});

/** A figure that must be at most a given multiple of its reference. */
export const atMost = (times: number, held: Limit): Row => ({
  ...reported(held),
  mark: `≤ ${rounded(times)} ×`,
  kept: judged(held, held.ratio <= times),
  isBroken: false,
});

const judged = ({ moved = 0 }: Limit, isKept: boolean): Verdict => (moved > MOST_MOVED ? 'not judged' : isKept);

/** A figure with its own bound; above `ceiling` the bench fails. */
export const below = (bound: number, found: Reported, ceiling = Number.POSITIVE_INFINITY): Row => ({
  ...reported(found),
  mark: `≤ ${rounded(bound)} ${found.unit}`,
  kept: found.figure <= bound,
  isBroken: found.figure > ceiling,
});

/** A figure with a bound that fails the bench. */
export const within = (bound: number, found: Reported): Row => below(bound, found, bound);

type Reported = Omit<Limit, 'reference' | 'ratio'> & Partial<Pick<Limit, 'reference' | 'ratio'>>;

/** A figure without a promise. */
export const reported = (found: Reported): Row => ({
  reference: null,
  ratio: null,
  spread: null,
  moved: null,
  mark: null,
  kept: null,
  isBroken: false,
  ...found,
});

const HEADS = ['', 'figure', 'reference', 'ratio', 'spread', 'moved', 'mark', ''];

/** The figures of one measurement as a readable table. */
export function shown({ name, title, rows, noise }: Figures): string {
  const cells = [HEADS, ...rows.map(cellsOf)];
  const widths = HEADS.map((_, n) => Math.max(...cells.map((line) => line[n]?.length ?? 0)));
  const lines = cells.map((line) =>
    line.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))),
  );
  return `\n${name}  ${title}\n${lines.map((line) => `  ${line.join('  ')}`.trimEnd()).join('\n')}\n${noise ? `  (${noise})\n` : ''}`;
}

const cellsOf = ({ what, figure, unit, reference, ratio, spread, moved, mark, kept, isBroken }: Row): string[] => [
  what,
  `${rounded(figure)} ${unit}`,
  reference === null ? '' : rounded(reference),
  ratio === null ? '' : ratio.toFixed(2),
  spread === null ? '' : `${spread.low.toFixed(2)}–${spread.high.toFixed(2)}`,
  moved === null ? '' : `${Math.round(moved * 100)} %`,
  mark ?? '',
  isBroken ? 'BROKEN' : verdictOf(kept),
];

const verdictOf = (kept: Row['kept']): string => {
  if (kept === null) return '';
  if (kept === 'not judged') return kept;
  return kept ? 'kept' : 'NOT KEPT';
};

const rounded = (value: number) =>
  Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : value < 1_000 ? 1 : 0);
