import { availableParallelism, cpus, totalmem } from 'node:os';

/** What one measurement found. Milliseconds, counts per second and ratios, named so. */
export type Figures = {
  name: string;
  what: string;
  values: Record<string, number>;
  promise: string;
  kept: boolean;
};

/** The machine the figures hold for. */
export const machine = () => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: `${availableParallelism()} cores`,
  memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
  node: `Node ${process.version}`,
});

/** The figures of one measurement as lines for people. */
export function shown({ name, what, values, promise, kept }: Figures): string {
  const lines = Object.entries(values).map(([label, value]) => `    ${label.padEnd(28)} ${rounded(value)}`);
  return `\n${name}  ${what}\n${lines.join('\n')}\n    ${kept ? 'kept' : 'NOT KEPT'}: ${promise}\n`;
}

const rounded = (value: number) => (Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1));
