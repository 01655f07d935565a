import { availableParallelism, cpus, totalmem } from 'node:os';

/** The machine on which figures are measured. */
export const machine = () => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: `${availableParallelism()} cores`,
  memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
  node: `Node ${process.version}`,
});
