import pg from 'pg';

/** Statements whose response is lost: how many are still to be, and how many were. `toSpare`: how many come before them. */
export type LostResponses = { toSpare: number; toLose: number; lost: number; restore(): void };

/**
 * Breaks the connections of statements with rows whose name begins so, or whose text has these words: after their commit, before their response.
 * `restore` ends that.
 */
export function loseResponses(named: string): LostResponses {
  const { query } = pg.Client.prototype;
  const asked = query as (...args: unknown[]) => unknown; // as: it has many forms
  const responses = {
    toSpare: 0,
    toLose: 0,
    lost: 0,
    restore() {
      pg.Client.prototype.query = query;
    },
  };
  const losing = async (client: pg.Client, args: unknown[]) => {
    const result = await asked.apply(client, args);
    const { rowCount } = result as pg.QueryResult; // as: this one returns a promise
    if (!rowCount || responses.lost >= responses.toLose || responses.toSpare-- > 0) return result;
    responses.lost += 1;
    Reflect.get(client, 'connection').stream.destroy();
    throw new Error('Connection terminated unexpectedly');
  };
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const { name = '', text = args[0] } = Object(args[0]); // an `exists` has no name
    const isNamed = String(name).startsWith(named) || String(text).includes(named);
    return isNamed ? losing(this, args) : asked.apply(this, args);
  } as typeof query; // as: passed on unchanged
  return responses;
}
