import pg from 'pg';
import { presentWork, workingOn } from '../../src/kernel/work.ts';

/** Where work dies: at its statement number `at`, from 1, before it is sent or after its commit. */
export type Cut = { at: number; how: 'before' | 'after' };

/** The work that is cut is a task of this name. */
const CUT = 'cut';

/**
 * Runs work that dies at one of its statements, as with its process: its connection breaks, and nothing that it does after that reaches
 * the database. Resolves to its statements until then.
 */
export async function dying(work: () => Promise<unknown>, cut: Cut): Promise<string[]> {
  const { query } = pg.Client.prototype;
  const asked = query as (...args: unknown[]) => unknown; // as: it has many forms
  const sent: string[] = [];
  const die = async (client: pg.Client, args: unknown[]) => {
    if (sent.length === cut.at && cut.how === 'after') await asked.apply(client, args);
    Reflect.get(client, 'connection').stream.destroy();
    throw new Error('Connection terminated unexpectedly');
  };
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    if (presentWork().task !== CUT) return asked.apply(this, args);
    const { name, text = args[0] } = Object(args[0]);
    sent.push(String(name ?? text));
    return sent.length >= cut.at ? die(this, args) : asked.apply(this, args);
  } as typeof query; // as: passed on unchanged
  try {
    await workingOn({ task: CUT }, work).catch((error) => {
      if (sent.length < cut.at) throw error;
    });
  } finally {
    pg.Client.prototype.query = query;
  }
  return sent.slice(0, cut.at);
}

/** Plays with a cut at every statement, before it and after it, until one is beyond the last. `play` resolves to the statements of its cut work. */
export async function atEachStatement(play: (cut: Cut) => Promise<string[]>): Promise<void> {
  for (const how of ['before', 'after'] as const) for (let at = 1; (await play({ at, how })).length === at; at += 1);
}
