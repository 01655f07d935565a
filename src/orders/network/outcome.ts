import type { Netvenue, SignalAccepted } from '../../adapters/network/types.ts';
import type { Hotkey } from '../../kernel/ids.ts';
import type { Protection } from './rules.ts';

/** The lifecycle of a placed order. */
export type Lifecycle = 'resting' | 'filled' | 'cancelled';

/** What a verb did: what the network reported, and what became of the order and of the exits it carried, if known. */
export type Done = SignalAccepted & { lifecycle?: Lifecycle; protection?: Protection };

/** A trader at the miner of its entity. */
export type AtMiner = { venue: Netvenue; trader: Hotkey };
