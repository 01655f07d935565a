import type { World } from './world.ts';

/** The state that reads show. See venues/exchange.md#delayed-reads. */
export type View = {
  /** The present state, or an earlier one, at most as old as was set. */
  shown(): World;
  /** Lets the shown state age up to `ms` before it is renewed; 0 shows the present. */
  setBehind(ms: number): void;
};

/** A view of a world that is up to date at first. */
export const viewOf = (world: World): View => {
  let behindMs = 0;
  let renewedMs = 0;
  let earlier: World = world;
  return {
    shown: () => {
      if (behindMs === 0) return world;
      if (Date.now() - renewedMs >= behindMs) {
        const { ledger, ...state } = world;
        earlier = { ...structuredClone(state), ledger, asOfMs: Date.now() };
        renewedMs = Date.now();
      }
      return earlier;
    },
    setBehind: (ms) => {
      behindMs = ms;
      renewedMs = 0;
    },
  };
};
