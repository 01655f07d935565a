import type { Handler } from '../../edge/handler.ts';
import { budgetOf } from '../../kernel/throttles.ts';
import { fileAppRequest, openRevealLink } from './intents.ts';
import { deadPage, pageHeaders, revealedPage, waitingPage } from './pages.ts';
import { findRevealLink, type RevealLink } from './queries.ts';

export const createAppRequest: Handler<'createAppRequest'> = async ({ runtime, body, throttle, network }) => {
  await throttle(budgetOf('app_request', network));
  return { status: 200, body: { request_id: await fileAppRequest(runtime.db, body), status: 'pending' } };
};

export const showRevealPage: Handler<'showRevealPage'> = async ({ runtime, path }) => {
  const link = await findRevealLink(runtime.db, path.token);
  if (!link || isDead(link)) return dead(link);
  return { status: 200, body: waitingPage(link), headers: pageHeaders };
};

export const revealCredentials: Handler<'revealCredentials'> = async ({ runtime, path }) => {
  const revealed = await openRevealLink(runtime.db, path.token);
  if (!revealed) return dead(await findRevealLink(runtime.db, path.token));
  return { status: 200, body: revealedPage(revealed), headers: pageHeaders };
};

const isDead = (link: RevealLink) => link.opened_at !== null || link.is_superseded || link.is_expired;

const dead = (link: RevealLink | null) =>
  link
    ? { status: 410 as const, body: deadPage(link), headers: pageHeaders }
    : { status: 404 as const, body: deadPage(null), headers: pageHeaders };
