/** Lets so many do something at once; the others wait in line, none of them longer than a while. */
export type Places = {
  /** Does the work as soon as there is a place. Refuses with `connection timeout` when none came free in time. */
  use<T>(work: () => Promise<T>): Promise<T>;
  /** How many wait. */
  waiting(): number;
};

/** Makes so many places. Each is free again when its work has ended, well or badly. */
export function openPlaces(count: number, withinMs: number): Places {
  const line: { enter: () => void }[] = [];
  let free = count;

  async function use<T>(work: () => Promise<T>): Promise<T> {
    if (free > 0) free -= 1;
    else await turn();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Resolves with the place of someone who left. */
  function turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = {
        enter: () => {
          clearTimeout(patience);
          resolve();
        },
      };
      const patience = setTimeout(() => {
        line.splice(line.indexOf(waiter), 1);
        reject(new Error(`connection timeout: no place came free within ${withinMs} ms`));
      }, withinMs);
      line.push(waiter);
    });
  }

  function leave(): void {
    const next = line.shift();
    if (next) next.enter();
    else free += 1;
  }

  return { use, waiting: () => line.length };
}
