import type { As, Chapter, Guide, TourResponse } from './guide.ts';
import { isSigned, type Receiver, startReceiver } from './receiver.ts';

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
  const asApp = { Authorization: notes.get('token') ?? '' };
  const asUser = { ...asApp, 'X-Session-Token': notes.get('session') ?? '' };
  const endpoint = await register(guide, asApp, receiver);
  const inbox = { receiver, secret: endpoint.secret };
  const checkout = await checkOut(guide, asUser);
  await pay(guide, asUser, checkout);
  const account = await findAccount(guide, asUser, checkout);
  await receivePaymentEvent(guide, inbox, checkout);
  await fund(guide, asUser, account);
  await notify(guide, asApp, inbox, notes.get('email') ?? '');
  const path = `${ENDPOINTS}/${endpoint.id}`;
  await guide.ask({ method: 'DELETE', path, headers: asApp, expect: 200 });
}

type Body = TourResponse['body'];
type Inbox = { receiver: Receiver; secret: string };

async function register({ say, ask, check }: Guide, headers: As, { url }: Receiver): Promise<Body> {
  say(
    'The app registers a webhook endpoint for all events: a server that this tour runs. Its secret is shown only once.',
  );
  const body = { url, events: ['*'] };
  const endpoint = await ask({ method: 'POST', path: ENDPOINTS, body, headers, expect: 200 });
  check('it is active', endpoint.body.active);
  return endpoint.body;
}

/** Returns the payment of the checkout. */
async function checkOut({ say, ask, check, gained }: Guide, headers: As): Promise<Body> {
  say('List the tiers. A checkout with another price is rejected, and the processor gets no request.');
  const { body: tiers } = await ask({ method: 'GET', path: '/v2/tiers', headers, expect: 200 });
  const tier = tiers.find(({ tier_id }: Body) => tier_id === 'tier_25k');
  check('the list contains a tier of 25,000 USD', tier?.account_size === 25_000);
  const { active: _, ...terms } = tier;
  const request = { method: 'POST', path: '/v2/payments/checkout', headers } as const;
  await ask({ ...request, body: { ...terms, amount_cents: 100 }, expect: 422 });
  await gained();

  say('A checkout on the listed terms. The same Idempotency-Key gets the same payment.');
  const keyed = { ...request, headers: { ...headers, 'Idempotency-Key': `tour-${Date.now()}` }, body: terms };
  const checkout = await ask({ ...keyed, expect: 200 });
  const again = await ask({ ...keyed, expect: 200 });
  check('it is the same payment', again.body.payment_id === checkout.body.payment_id);
  await gained({ kind: 'payment_intent', key: String(checkout.headers['intent-id']) });
  return checkout.body;
}

async function pay({ say, until, check, sandbox }: Guide, headers: As, checkout: Body): Promise<void> {
  say('Pay on the processor’s page. The processor notifies three times; the payment counts once.');
  const path = `/v2/payments/${checkout.payment_id}`;
  await sandbox.repeatNotifications(3);
  try {
    const page = await sandbox.pay(checkout.client_secret);
    check('the page reports success', page.includes('succeeded'));
    const isOver = ({ status }: Body) => status === 'succeeded';
    const paid = await until({ method: 'GET', path, headers, expect: 200 }, isOver);
    check('the client secret is no longer returned', paid.body.client_secret === null);
  } finally {
    await sandbox.repeatNotifications(1);
  }
}

/** Returns the account, once it is created and open at the network. */
async function findAccount({ say, until, check, gained }: Guide, headers: As, checkout: Body): Promise<Body> {
  say('The account is created on the network, and listed as open when it can trade.');
  const { processor_payment_intent_id } = checkout;
  const bought = (body: Body) =>
    body.find((one: Body) => one.processor_payment_intent_id === processor_payment_intent_id);
  const request = { method: 'GET', path: ACCOUNTS, headers, expect: 200 } as const;
  const account = bought((await until(request, (body) => bought(body)?.status === 'evaluation')).body);
  check('it has the tier’s size', account.account_size === 25_000 && account.failure_reason === null);
  const { subaccount_id } = account;
  const effects = [
    { kind: 'paid', key: processor_payment_intent_id },
    { kind: 'subaccount', subaccount_id },
  ];
  const entries = await gained(...effects);
  const made = entries.find(({ kind }) => kind === 'subaccount');
  check('the ledger has the size that was bought', made?.detail.account_size === account.account_size);
  return account;
}

async function receivePaymentEvent({ say, check }: Guide, { receiver, secret }: Inbox, checkout: Body): Promise<void> {
  say('The app’s endpoint receives the event, signed with its secret.');
  const [delivery, ...more] = await receiver.deliveries(PAID);
  if (!delivery) return check(`${PAID} was delivered`, false);
  check('the signature is valid', isSigned(delivery, secret));
  check('with one more byte it is invalid', !isSigned({ ...delivery, body: `${delivery.body} ` }, secret));
  check(`it names the payment: ${delivery.body}`, JSON.parse(delivery.body).data.payment_id === checkout.payment_id);
  check('it arrived once', more.length === 0);
}

async function fund({ say, ask, check, gained, sandbox }: Guide, headers: As, account: Body): Promise<void> {
  say('The network moves the account to funded; a sync applies that here.');
  await sandbox.moveSubaccount({ subaccount_id: account.subaccount_id, bucket: 'SUBACCOUNT_FUNDED' });
  const path = `/v2/lifecycle/sync/${account.id}`;
  const { body } = await ask({ method: 'POST', path, headers, expect: 200 });
  check('it is funded', body.status === 'funded' && body.synced);
  const one = await ask({ method: 'GET', path: `${ACCOUNTS}/${account.id}`, headers, expect: 200 });
  check('it is still funded when read again', one.body.status === 'funded');
  await gained();
}

async function notify(guide: Guide, headers: As, { receiver, secret }: Inbox, email: string): Promise<void> {
  const { say, ask, check, sandbox } = guide;
  say('The app notifies its user by mail, and its endpoint by an event with a custom name.');
  const body = { email, subject: 'Your account is funded', html: '<p>Well done.</p>', fanout_event: FUNDED };
  const sent = await ask({ method: 'POST', path: '/v2/notifications/send', body, headers, expect: 200 });
  check('one mail and one delivery', sent.body.email_sent && sent.body.webhook_deliveries_queued === 1);
  const mail = await sandbox.mailTo(email, /funded/);
  check('the mail arrived', mail.html.includes('Well done.'));
  const [delivery] = await receiver.deliveries(FUNDED);
  check('the event arrived, signed', delivery !== undefined && isSigned(delivery, secret));
}
