import type { Handler } from '../../contract/handler.ts';
import type { Db } from '../../db/pool.ts';
import type { Until } from '../../intents/follow.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { AppId } from '../../kernel/ids.ts';
import { appOf } from '../../kernel/principal.ts';
import { type Budget, budgetOf } from '../../kernel/throttles.ts';
import { getMailStatus, type MailStatus } from '../mail/queries.ts';
import { sendNotification as send } from './commands.ts';
import { type Addressee, findAddressee, isUserOf } from './queries.ts';
import { isEmpty } from './rules.ts';

type Deps = { db: Db; until: Until };

/**
 * Handles `POST /v2/notifications/send`: mail a user of the app, emit an event, or both. Only a mail counts against the
 * budgets, once it is known to go to a user of the app.
 */
export const sendNotification: Handler<'sendNotification', Deps> = async (call) => {
  const { deps, body, waitMs } = call;
  const { owner } = appOf(call.principal);
  if (isEmpty(body)) throw new ApiError('V2_NOTIFY_EMPTY');
  const addressee = body.email === undefined ? null : await findAddressee(deps.db, owner, body.email);
  const isForeign = body.user_id !== undefined && !(await isUserOf(deps.db, owner, body.user_id));
  if (isForeign || (body.email !== undefined && !addressee)) throw new ApiError('V2_NOTIFY_RECIPIENT_FORBIDDEN');
  if (addressee) await call.throttle(...mailBudgets(owner, addressee));
  const queued = await call.commit(async (db) => {
    const { mailId, deliveries } = await send(db, owner, addressee, body);
    return { status: 200 as const, body: shown(mailId, mailId === null ? null : 'queued', deliveries) };
  }, waitMs());
  const { notification_id: mailId, webhook_deliveries_queued: deliveries } = queued.body;
  if (mailId === null) return queued;
  return { status: 200, body: shown(mailId, await waitForMail(deps, mailId, waitMs()), deliveries) };
};

const shown = (notification_id: string | null, email_status: MailStatus | null, webhook_deliveries_queued: number) => ({
  email_sent: email_status === 'sent',
  email_status,
  notification_id,
  webhook_deliveries_queued,
});

const mailBudgets = (app: AppId, { email, is_verified }: Addressee): Budget[] => [
  budgetOf('notify_app', app),
  budgetOf('notify_recipient', app, email),
  ...(is_verified ? [] : [budgetOf('notify_unverified', email)]),
];

/** Waits until the mail has ended, as every write waits for its outcome. */
const waitForMail = ({ db, until }: Deps, mailId: string, waitMs: number) =>
  until(mailId, waitMs, async () => {
    const row = await getMailStatus(db, mailId);
    return { row, ended: row !== 'queued' };
  });
