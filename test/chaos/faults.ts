import type { Fault, Faults } from '../../src/sandbox/faults.ts';

/** The faults of a venue while orders are sent there, and their rates. */
const FAULTS = [
  { kind: 'accept_then_drop', rate: 0.05 },
  { kind: 'status_500', rate: 0.05 },
  { kind: 'reset', rate: 0.02 },
  { kind: 'hang', rate: 0.02 },
  { kind: 'late', rate: 0.01, delayMs: 2_500 },
] as const satisfies Fault[];

/** Scripts the usual faults for one route; the same seed affects the same calls. */
export function scriptFaults(faults: Faults, route: string, seed: number): void {
  for (const [n, fault] of FAULTS.entries()) faults.add({ ...fault, seed: seed * 100 + n, route });
}
