import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { budgetOf } from '../../../kernel/throttles.ts';
import { fileAppRequest, openRevealLink } from './commands.ts';
import { pageHeaders, revealedPage, unusablePage, waitingPage } from './pages.ts';
import { findRevealLink, type RevealLink } from './queries.ts';

type Deps = { db: Db };

/** Handles `POST /v2/app-requests`: request access. */
export const createAppRequest: Handler<'createAppRequest', Deps> = async ({ body, throttle, network, commit }) => {
  await throttle(budgetOf('app_request', network));
  return commit(async (db) => ({
    status: 200,
    body: { request_id: await fileAppRequest(db, body), status: 'pending' },
  }));
};

/** Handles `GET /v2/reveal/{token}`: show the page of a one-time link. */
export const showRevealPage: Handler<'showRevealPage', Deps> = async ({ deps, path }) => {
  const link = await findRevealLink(deps.db, path.token);
  if (!link || isUnusable(link)) return unusable(link);
  return { status: 200, body: waitingPage(link), headers: pageHeaders };
};

/** Handles `POST /v2/reveal/{token}`: show the credentials of an approved app, once. */
export const revealCredentials: Handler<'revealCredentials', Deps> = ({ path, commit }) =>
  commit(async (db) => {
    const revealed = await openRevealLink(db, path.token);
    if (!revealed) return unusable(await findRevealLink(db, path.token));
    return { status: 200, body: revealedPage(revealed), headers: pageHeaders };
  });

const isUnusable = (link: RevealLink) =>
  link.opened_at !== null || link.is_superseded || link.is_expired || link.is_disabled;

const unusable = (link: RevealLink | null) =>
  link
    ? { status: 410 as const, body: unusablePage(link), headers: pageHeaders }
    : { status: 404 as const, body: unusablePage(null), headers: pageHeaders };
