import { type Case, type Fate, STARTS, type State, type Verb } from './miner-model.ts';

const VERBS = Object.keys(STARTS) as Verb[];

/** A case at random. */
export function caseBy(draw: () => number): Case {
  const pick = <T>(from: readonly T[]) => from[Math.floor(draw() * from.length)] as T;
  const fates: Fate[] = [];
  while (fates.length < 3) {
    const fate = pick(['answered', 'refused for now', 'never arrived', 'answer lost', 'market closed'] as const);
    fates.push(fate);
    if (fate === 'answered' || fate === 'market closed') break;
  }
  const wire = pick(['arrives', 'arrives', 'arrives', 'lost', 'cut', 'slow'] as const);
  return { verb: pick(VERBS), fates, wire, cooldown: draw() < 0.5, dedup: draw() < 0.3 };
}

/** A generator of numbers from 0 to 1 (mulberry32), so that a failing case can be played again. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What is true: whether anything was done to the order, and what. */
export function truthOf({ verb }: Case, before: State, after: State) {
  const isOfExit = verb.startsWith('protect');
  const state = isOfExit ? after.exit : after.order;
  const lifecycle = state === 'edited' ? 'resting' : state.replace('edited and ', '');
  const changed = JSON.stringify(before) !== JSON.stringify(after);
  return {
    changed,
    lifecycle,
    fills: after.fills,
    isRefused: state === 'cancelled' && (isOfExit ? before.exit : before.order) === 'none', // a new one that has never rested
    isUnprotected:
      (isOfExit && after.exit === 'cancelled' && after.position) || (verb === 'market with bad exits' && changed),
  };
}
