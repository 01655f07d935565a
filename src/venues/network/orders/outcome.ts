import type { Finding } from '../../../intents/define.ts';
import type { Hotkey } from '../../../kernel/ids.ts';
import { type ReadResult, unknownEffect } from '../../../kernel/upstream-result.ts';
import type { ArchivedOrder, Signal, SignalAccepted } from '../adapter/signal-types.ts';
import type { Netvenue } from '../adapter/types.ts';
import type { Protection } from './rules.ts';

/** The lifecycles of a placed order. `ended`: the network's records lack it, and nothing says why. */
export const LIFECYCLES = ['resting', 'filled', 'cancelled', 'ended'] as const;

export type Lifecycle = (typeof LIFECYCLES)[number];

/**
 * What a verb did: what the network reported, and the state of the order and of the exits it carried, if known. `fills`: how
 * often the order was filled under its uuid. `isNothing`: the network took the order, and there was nothing to execute.
 */
export type Done = SignalAccepted & {
  lifecycle?: Lifecycle;
  protection?: Protection;
  fills?: number;
  isNothing?: true;
  mayRepeat?: true;
};

/** A trader at the miner of its entity. */
export type AtMiner = { venue: Netvenue; trader: Hotkey };

/**
 * What a look-up found. `once_ended`: the finding holds as soon as the request cannot be in flight any more; until then
 * it may still take effect.
 */
export type Found = Finding<Done> | { kind: 'once_ended'; finding: Finding<Done> };

/** Makes a `Found` that holds as soon as the request cannot be in flight any more. */
export const onceEnded = (finding: Finding<Done>): Found => ({ kind: 'once_ended', finding });

/** The finding that the network has no trace of the request. */
export const ABSENT = { kind: 'absent' } as const;

/** The finding that a record is missing that could prove something. */
export const UNREAD = unknownEffect('not every record could be read');

/** The finding that the validator has no book of the trader: it has no order, or has lost them. */
export const NO_BOOK = unknownEffect('the network has no order of the trader');

/** The rejections that say that the target of a verb is not open. */
export const NOT_OPEN: ReadonlySet<string> = new Set(['order_not_found', 'order_filled', 'cannot_edit']);

/** An acceptance without an execution. */
export const nothingExecuted: SignalAccepted = {
  executed: null,
  processingTimeS: null,
  note: null,
  attempts: 'several',
};

const NEW_ORDERS = new Set<string>(['MARKET', 'LIMIT', 'STOP_LIMIT', 'BRACKET'] satisfies Signal['execution_type'][]);

/**
 * Whether the miner's archive has the record of a signal: then it no longer works on it. The record of an edit, a cancel or a close
 * is named after their target, and may be of an earlier one.
 */
export const isRecorded = (archived: ReadResult<ArchivedOrder>, { execution_type }: Signal): boolean =>
  archived.kind === 'found' && NEW_ORDERS.has(execution_type) && archived.data.executionType === execution_type;
