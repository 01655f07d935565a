/**
 * Makes a look at something that many may ask for and that may hang: one look under way at a time, what it showed again for
 * `keptMs`, and null, for as long, where it takes longer than `withinMs`. `look` answers its own faults and never rejects.
 */
export function glance<Seen>(
  look: () => Promise<Seen>,
  { keptMs, withinMs }: { keptMs: number; withinMs: number },
): () => Promise<Seen | null> {
  let looking: Promise<Seen> | undefined;
  let waiting: Promise<Seen | null> | undefined;
  let known: { until: number; seen: Seen | null } | undefined;

  async function wait(): Promise<Seen | null> {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    const seen = await inTime(looking, withinMs);
    known = { until: performance.now() + keptMs, seen };
    waiting = undefined;
    return seen;
  }

  return () => {
    if (known && performance.now() < known.until) return Promise.resolve(known.seen);
    waiting ??= wait();
    return waiting;
  };
}

async function inTime<Seen>(looking: Promise<Seen>, withinMs: number): Promise<Seen | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, withinMs, null);
  });
  return Promise.race([looking, late]).finally(() => clearTimeout(timer));
}
