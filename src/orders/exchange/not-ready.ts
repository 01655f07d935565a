import type { Problem } from '../../intents/intent.ts';

/**
 * Why a verb sends nothing. `fail`: it fails with the problem. `wait`: it retries, and fails with it after its
 * deadline.
 */
export type NotReady = { fail: Problem } | { wait: Problem };

/** Whether a value is a reason to send nothing. */
export const isNotReady = (value: object): value is NotReady => 'fail' in value || 'wait' in value;

/** The exchange could not be read. */
export const UNREACHABLE = { wait: { code: 'VENUE_UNREACHABLE' } } as const;
