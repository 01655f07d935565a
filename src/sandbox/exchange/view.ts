import type { World } from './world.ts';

/** The state that reads show. See venues/exchange.md#delayed-reads. */
export type View = {
  /** What one of the replicas shows: the present state, or an earlier one, at most as old as was set. */
  shown(): World;
  /** Lets the state that replicas show age up to `ms` before it is renewed, each by itself; 0 shows the present. */
  setBehind(ms: number, replicas?: number): void;
};

type Replica = { state: World; renewedMs: number };

/** A view of a world that is up to date at first. */
export const viewOf = (world: World): View => {
  let behindMs = 0;
  let replicas: Replica[] = [];
  return {
    shown: () => {
      const replica = replicas[Math.floor(Math.random() * replicas.length)];
      if (behindMs === 0 || !replica) return world;
      if (Date.now() - replica.renewedMs >= behindMs) {
        const { ledger, news, ...state } = world;
        replica.renewedMs = Date.now();
        replica.state = { ...structuredClone(state), ledger, news, asOfMs: replica.renewedMs };
      }
      return replica.state;
    },
    setBehind: (ms, count = 1) => {
      behindMs = ms;
      replicas = Array.from({ length: count }, () => ({ state: world, renewedMs: 0 }));
    },
  };
};
