import pg from 'pg';

/** Statements whose response is lost: how many are still to be, and how many were. */
export type LostResponses = { toLose: number; lost: number; restore(): void };

/** Breaks the connections of statements with rows whose name begins so: after their commit, before their response. `restore` ends that. */
export function loseResponses(named: string): LostResponses {
  const { query } = pg.Client.prototype;
  const asked = query as (...args: unknown[]) => unknown; // as: it has many forms
  const responses = {
    toLose: 0,
    lost: 0,
    restore() {
      pg.Client.prototype.query = query;
    },
  };
  const losing = async (client: pg.Client, args: unknown[]) => {
    const result = await asked.apply(client, args);
    const { rowCount } = result as pg.QueryResult; // as: this one returns a promise
    if (!rowCount || responses.lost >= responses.toLose) return result;
    responses.lost += 1;
    Reflect.get(client, 'connection').stream.destroy();
    throw new Error('Connection terminated unexpectedly');
  };
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const isNamed = String(Object(args[0]).name).startsWith(named);
    return isNamed ? losing(this, args) : asked.apply(this, args);
  } as typeof query; // as: passed on unchanged
  return responses;
}
