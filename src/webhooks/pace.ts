import { setTimeout as sleep } from 'node:timers/promises';

/** For so long after an intent was carried out here, deliveries keep to their pace. */
const MAKE_ROOM_MS = 10_000;

/** How deliveries share a process, and the machine, with intents. */
export type Pace = {
  /** Told whenever an intent is carried out in this process. */
  makeRoom(): void;
  /** Resolves when the next delivery may leave: at once where no intents are carried out. */
  next(): Promise<void>;
};

/** Deliveries leave evenly, `perS` a second at most, while intents are carried out beside them; else as fast as they can. */
export function openPace(perS: number): Pace {
  let roomUntil = 0;
  let free = 0;
  return {
    makeRoom() {
      roomUntil = performance.now() + MAKE_ROOM_MS;
    },
    async next() {
      const now = performance.now();
      if (now > roomUntil) return;
      const due = Math.max(free, now);
      free = due + 1_000 / perS;
      if (due > now) await sleep(due - now);
    },
  };
}
