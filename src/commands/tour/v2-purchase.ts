import { type Client, verifyWebhook } from '../../client/index.ts';
import type { Chapter, Guide } from './guide.ts';
import { type Delivery, type Receiver, startReceiver } from './receiver.ts';

const ENDPOINTS = '/v2/webhook-endpoints';
const ACCOUNTS = '/v2/payments/prop-accounts';
const PAID = 'payment.succeeded';
const FUNDED = 'account.funded';

/**
 * A checkout is paid, the app receives a signed webhook, and the account is created and funded. The app then notifies
 * its user.
 */
export const boughtAccount: Chapter = {
  title: 'A bought account',
  async walk(guide, notes) {
    const receiver = await startReceiver();
    try {
      await buy(guide, receiver, notes);
    } finally {
      receiver.close();
    }
  },
};

async function buy(guide: Guide, receiver: Receiver, notes: Map<string, string>): Promise<void> {
  const user = guide.user(notes.get('session') ?? '');
  const endpoint = await register(guide, receiver);
  const inbox = { receiver, secret: endpoint.secret };
  const checkout = await checkOut(guide, user);
  await pay(guide, user, checkout);
  const account = await findAccount(guide, user, checkout);
  await receivePaymentEvent(guide, inbox, checkout);
  await fund(guide, user, account);
  await notify(guide, inbox, notes.get('email') ?? '');
  const params = { path: { endpoint_id: endpoint.id } };
  await guide.app.settled(guide.app.api.DELETE(`${ENDPOINTS}/{endpoint_id}`, { params }));
}

type Checkout = Awaited<ReturnType<typeof checkOut>>;
type Account = Awaited<ReturnType<typeof findAccount>>;
type Inbox = { receiver: Receiver; secret: string };

async function register({ say, app: { api, settled }, check }: Guide, { url }: Receiver) {
  say(
    'The app registers a webhook endpoint for all events: a server that this tour runs. Its secret is shown only once.',
  );
  const endpoint = await settled(api.POST(ENDPOINTS, { body: { url, events: ['*'] } }));
  check('it is active', endpoint.active);
  return endpoint;
}

/** Returns the payment of the checkout. */
async function checkOut({ say, rejected, check, gained }: Guide, { api, settled, rows }: Client) {
  say('List the tiers. A checkout with another price is rejected, and the processor gets no request.');
  const tiers = await Array.fromAsync(rows(api.GET('/v2/tiers')));
  const { active: _, ...terms } = tiers.find(({ tier_id }) => tier_id === 'tier_25k') ?? tiers[0] ?? noTier();
  check('the list contains a tier of 25,000 USD', terms.account_size === 25_000);
  const cheaper = api.POST('/v2/payments/checkout', { body: { ...terms, amount_cents: 100 } });
  await rejected('V2_AMOUNT_MISMATCH', settled(cheaper));
  await gained();

  say('A checkout on the listed terms. The same Idempotency-Key gets the same payment.');
  const header = { 'Idempotency-Key': `tour-${Date.now()}` };
  const buying = () => api.POST('/v2/payments/checkout', { params: { header }, body: terms });
  const first = await buying();
  const checkout = await settled(first);
  check('it is the same payment', (await settled(buying())).payment_id === checkout.payment_id);
  await gained({ kind: 'payment_intent', key: String(first.response.headers.get('Intent-Id')) });
  return checkout;
}

function noTier(): never {
  throw new Error('The app has no tiers');
}

async function pay({ say, until, check, sandbox }: Guide, { api, settled }: Client, checkout: Checkout) {
  say('Pay on the processor’s page. The processor notifies three times; the payment counts once.');
  const { payment_id, client_secret } = checkout;
  await sandbox.repeatNotifications(3);
  try {
    const page = await sandbox.pay(client_secret ?? '');
    check('the page reports success', page.includes('succeeded'));
    const read = () => settled(api.GET('/v2/payments/{payment_id}', { params: { path: { payment_id } } }));
    const paid = await until(read, ({ status }) => status === 'succeeded');
    check('the client secret is no longer returned', paid.client_secret === null);
  } finally {
    await sandbox.repeatNotifications(1);
  }
}

/** Returns the account, once it is created and open at the network. */
async function findAccount({ say, until, check, gained }: Guide, { api, rows }: Client, checkout: Checkout) {
  say('The account is created on the network, and listed as open when it can trade.');
  const { processor_payment_intent_id } = checkout;
  const bought = async () =>
    (await Array.fromAsync(rows(api.GET(ACCOUNTS)))).find(
      (one) => one.processor_payment_intent_id === processor_payment_intent_id,
    );
  const account = await until(bought, (one) => one?.status === 'evaluation');
  check('it has the tier’s size', account?.account_size === 25_000 && account.failure_reason === null);
  const entries = await gained(
    { kind: 'paid', key: processor_payment_intent_id ?? '' },
    { kind: 'subaccount', subaccount_id: account?.subaccount_id ?? -1 },
  );
  const made = entries.find(({ kind }) => kind === 'subaccount');
  check('the ledger has the size that was bought', made?.detail.account_size === account?.account_size);
  return { id: account?.id ?? '', subaccount_id: account?.subaccount_id ?? -1 };
}

async function receivePaymentEvent({ say, check }: Guide, { receiver, secret }: Inbox, checkout: Checkout) {
  say('The app’s endpoint receives the event, signed with its secret.');
  const [delivery, ...more] = await receiver.deliveries(PAID);
  if (!delivery) return check(`${PAID} was delivered`, false);
  check('the signature is valid', await isSigned(delivery, secret));
  check('with one more byte it is invalid', !(await isSigned({ ...delivery, body: `${delivery.body} ` }, secret)));
  check(`it names the payment: ${delivery.body}`, JSON.parse(delivery.body).data.payment_id === checkout.payment_id);
  check('it arrived once', more.length === 0);
}

async function fund({ say, check, gained, sandbox }: Guide, { api, settled }: Client, account: Account) {
  say('The network moves the account to funded; a sync applies that here.');
  await sandbox.moveSubaccount({ subaccount_id: account.subaccount_id, bucket: 'SUBACCOUNT_FUNDED' });
  const { id } = account;
  const sync = api.POST('/v2/lifecycle/sync/{prop_account_id}', { params: { path: { prop_account_id: id } } });
  const synced = await settled(sync);
  check('it is funded', synced.status === 'funded' && synced.synced);
  const one = await settled(api.GET(`${ACCOUNTS}/{id}`, { params: { path: { id } } }));
  check('it is still funded when read again', one.status === 'funded');
  await gained();
}

async function notify({ say, app, check, sandbox }: Guide, { receiver, secret }: Inbox, email: string) {
  say('The app notifies its user by mail, and its endpoint by an event with a custom name.');
  const body = { email, subject: 'Your account is funded', html: '<p>Well done.</p>', fanout_event: FUNDED };
  const sent = await app.settled(app.api.POST('/v2/notifications/send', { body }));
  check('one mail and one delivery', sent.email_sent && sent.webhook_deliveries_queued === 1);
  const mail = await sandbox.mailTo(email, /funded/);
  check('the mail arrived', mail.html.includes('Well done.'));
  const [delivery] = await receiver.deliveries(FUNDED);
  check('the event arrived, signed', delivery !== undefined && (await isSigned(delivery, secret)));
}

const isSigned = ({ headers, body }: Delivery, secret: string): Promise<boolean> =>
  verifyWebhook({ body, headers, secret }).then(
    () => true,
    () => false,
  );
