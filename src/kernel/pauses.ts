/** Results of adapters which mean that an upstream rejected this service's credentials. Nothing happened there. */
export const OUR_CREDENTIALS: ReadonlySet<string> = new Set(['venue_auth', 'processor_auth', 'eauth']);

/** The upstreams by the first part of the tasks that call them. */
const BY_TASK: Readonly<Record<string, string>> = {
  accounts: 'netvenue',
  network: 'netvenue',
  exchange: 'exvenue',
  enrollments: 'exvenue',
  registration: 'registrar',
  payments: 'processor',
  payouts: 'processor',
  kyc: 'processor',
  mail: 'mail',
};

/** The upstream that a task calls; null for one that calls none of those with credentials of ours. */
const upstreamOfTask = (task: string): string | null => BY_TASK[task.split('/', 1)[0] ?? ''] ?? null;

/** What a process leaves to others: the work of upstreams that rejected its credentials. */
export type Pauses = {
  /** Notes that an upstream rejected the credentials of this process. */
  note(upstream: string): void;
  /** The upstreams that have rejected them within the last minute. */
  list(): string[];
  /** Those of them whose work is left to other processes, which serve them. */
  left(): string[];
  /** Sets which upstreams some other process of the same kind serves. */
  setServed(isServedByOthers: (upstream: string) => boolean): void;
  /** Whether a task is left to others: its upstream rejected this process's credentials, and others serve it. */
  leaves(task: string): boolean;
};

const PAUSE_MS = 60_000; // after that it is tried again: an upstream may have been wrong

/** No pauses yet. Where nobody else serves an upstream, its work is done here and fails. */
export function openPauses(): Pauses {
  const untilMs = new Map<string, number>();
  let isServed: (upstream: string) => boolean = () => false;
  const isPaused = (upstream: string) => (untilMs.get(upstream) ?? 0) > performance.now();
  const list = () => [...untilMs.keys()].filter(isPaused).sort();
  return {
    note: (upstream) => void untilMs.set(upstream, performance.now() + PAUSE_MS),
    list,
    left: () => list().filter((upstream) => isServed(upstream)),
    setServed(isServedByOthers) {
      isServed = isServedByOthers;
    },
    leaves(task) {
      const upstream = upstreamOfTask(task);
      return upstream !== null && isPaused(upstream) && isServed(upstream);
    },
  };
}
