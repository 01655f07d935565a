import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { operatorName } from '../../../kernel/principal.ts';
import * as commands from './commands.ts';
import { listPaused } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/admin/pauses`: read what operators have paused. */
export const listPauses: Handler<'listPauses', Deps> = async ({ deps }) => ({
  status: 200,
  body: { pauses: [...(await listPaused(deps.db))] },
});

/** Handles `POST /v2/admin/pauses`: send nothing new to an upstream, or for a partner or app. */
export const pauseWork: Handler<'pauseWork', Deps> = ({ principal, body, commit }) =>
  commit(async (db) => {
    const act = { subject: body.subject, actor: operatorName(principal), why: body.reason };
    await commands.pause(db, act, body.holds_exits ?? false);
    return { status: 200, body: { pauses: [...(await listPaused(db))] } };
  });

/** Handles `POST /v2/admin/pauses/{subject}/end`: end a pause. */
export const endPause: Handler<'endPause', Deps> = ({ principal, path, body, commit }) =>
  commit(async (db) => {
    const act = { subject: path.subject, actor: operatorName(principal), why: body.reason };
    return { status: 200, body: { queued: await commands.endPause(db, act) } };
  });
