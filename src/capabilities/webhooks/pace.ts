import { setTimeout as sleep } from 'node:timers/promises';

/** How long after the last intent executed in this process deliveries keep to their pace. */
const MAKE_ROOM_MS = 10_000;

/** What a process does: when it last executed an intent, by `performance.now()`, and how many lanes of deliveries hold a job. */
export type Activity = { lastIntentMs: number; lanes: number };

/** The pace of deliveries, which share the process and the machine with intents. */
export type Pace = {
  /** Resolves when the next delivery may be sent: at once if no intents were executed recently. */
  next(): Promise<void>;
};

/**
 * Opens a pace. While intents are executed in this process, deliveries are evenly spaced, at most `perS` a second;
 * otherwise they are not limited.
 */
export function openPace(perS: number, activity: Pick<Activity, 'lastIntentMs'>): Pace {
  let free = 0;
  return {
    async next() {
      const now = performance.now();
      if (now > activity.lastIntentMs + MAKE_ROOM_MS) return;
      const due = Math.max(free, now);
      free = due + 1_000 / perS;
      if (due > now) await sleep(due - now);
    },
  };
}
