/** Whose log an event is in: an app's, a partner's, or that of either; `endpoint`: it is sent to one endpoint that was named. */
type Log = 'app' | 'partner' | 'either' | 'endpoint';

/**
 * Every event of the service's own. The contract's `webhooks:`, the types of the partner's stream, the names that an
 * endpoint may subscribe to and the calls that emit are held against this table, both ways. To add one: a row here, its
 * schema and example under `webhooks:`, and `emit_event` as the last call of the function that makes it true.
 */
export const EVENTS = {
  'payment.succeeded': { log: 'app' },
  'payment.failed': { log: 'app' },
  'payment.mismatched': { log: 'app' },
  'payment.refunded': { log: 'app' },
  'payment.disputed': { log: 'app' },
  'payment.dispute_won': { log: 'app' },
  'payment.dispute_lost': { log: 'app' },
  'account.updated': { log: 'app' },
  'agreement.signed': { log: 'app' },
  'user.verified': { log: 'app' },
  'kyc.updated': { log: 'app' },
  'payout.completed': { log: 'app' },
  'payout.failed': { log: 'app' },
  'payout.updated': { log: 'app' },
  'payout_account.updated': { log: 'app' },
  'notification.failed': { log: 'app' },
  'order.updated': { log: 'partner' },
  'subaccount.updated': { log: 'partner' },
  'enrollment.updated': { log: 'partner' },
  'registration.updated': { log: 'partner' },
  'position.updated': { log: 'partner' },
  'exit.triggered': { log: 'partner' },
  'position.liquidated': { log: 'partner' },
  'funding.settled': { log: 'partner' },
  /** Of whoever has the trader. An app's are in the stream of the account too. */
  'position.unprotected': { log: 'either' },
  'position.protected': { log: 'either' },
  /** A test of one endpoint, which receives it whatever it has subscribed to. */
  'webhook.test': { log: 'endpoint' },
} as const satisfies Record<string, { log: Log }>;

/** The name of an event of the service's own. */
export type EventName = keyof typeof EVENTS;

/** The names in one kind of log, which endpoints there may subscribe to besides `*` for all. */
export const namesIn = (log: 'app' | 'partner'): EventName[] =>
  (Object.keys(EVENTS) as EventName[]).filter((name) => [log, 'either'].includes(EVENTS[name].log)); // as: the keys of a constant
