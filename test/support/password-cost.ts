import { cost } from '../../src/kernel/passwords.ts';

const REAL = { ...cost };

/** Hashes passwords at a low cost from now on: at the real one they would take a tenth of the suite's time. */
export const hashAtLowCost = (): void => void Object.assign(cost, { memoryCost: 1_024, timeCost: 1 });

/** Hashes passwords at the real cost from now on. */
export const hashAtRealCost = (): void => void Object.assign(cost, REAL);
