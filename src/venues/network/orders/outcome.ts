import type { Finding } from '../../../intents/define.ts';
import type { Hotkey } from '../../../kernel/ids.ts';
import type { SignalAccepted } from '../adapter/signal-types.ts';
import type { Netvenue } from '../adapter/types.ts';
import type { Protection } from './rules.ts';

/** The lifecycle of a placed order. */
export type Lifecycle = 'resting' | 'filled' | 'cancelled';

/** What a verb did: what the network reported, and the state of the order and of the exits it carried, if known. */
export type Done = SignalAccepted & { lifecycle?: Lifecycle; protection?: Protection };

/** A trader at the miner of its entity. */
export type AtMiner = { venue: Netvenue; trader: Hotkey };

/**
 * What a look-up found. `once_ended`: the finding holds as soon as the request cannot be in flight any more; until then
 * it may still take effect.
 */
export type Found = Finding<Done> | { kind: 'once_ended'; finding: Finding<Done> };

/** Makes a `Found` that holds as soon as the request cannot be in flight any more. */
export const onceEnded = (finding: Finding<Done>): Found => ({ kind: 'once_ended', finding });
