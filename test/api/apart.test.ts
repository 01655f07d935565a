import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { actHostile, type Hostile, MARK } from '../support/apart/hostile.ts';
import { type Observer, observer } from '../support/apart/observer.ts';
import { rowsOf } from '../support/apart/rows.ts';
import { NAMES, tradeAsApp, tradeAsPartner } from '../support/apart/script.ts';
import { mailsOf, openSide, type Side, signedBy } from '../support/apart/side.ts';
import { foreignOf, nobodys, useForeign } from '../support/apart/strangers.ts';
import { until } from '../support/processes.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startTrading, type Trading } from '../support/trading.ts';

/** Lists that are read at the end, whose entries come in an order of their own. */
const LISTS = [
  '/v1/events',
  '/v1/statements',
  '/v1/webhook-endpoints',
  '/v2/events',
  '/v2/statements',
  '/v2/webhook-endpoints',
];

/** Columns whose values are ids that the service or an upstream made. */
const ID = /^(id|\w+_uuid|\w*hotkey|(intent|event|endpoint|processor\w*)_id)$/;
const ID_LENGTH = 16;

type Life = { seen: Observer; raw: string; others: string[]; acts: number; served: number };

describe('what a tenant sees', function () {
  this.timeout(300_000);
  let alone: Life;
  let beside: Life;
  before(async () => {
    [alone, beside] = [await live(false), await live(true)];
  });

  /** The whole life of one tenant, by itself or beside another one that has its names, its person and its wallet, and knows its ids. */
  async function live(hasNeighbour: boolean): Promise<Life> {
    const service = await startTrading();
    const receiver = await startReceiver();
    const seen = observer();
    let hostile: Hostile | undefined;
    try {
      const neighbour = hasNeighbour ? await openSide(service, receiver, 'Hostile') : undefined;
      const side = await openSide(service, receiver, 'Annsdesk');
      for (const [name, id] of Object.entries({ partner: side.partnerId, app: side.appId, user: side.userId }))
        seen.name(id, `<${name}>`);
      hostile = neighbour && (await actHostile(neighbour, () => seen.ids()));
      const [one, other] = [await tradeAsPartner(side, seen), await tradeAsApp(side, seen)];
      await hostile?.stop();
      await rest(service, side);
      await readAll(service, side, receiver, seen, [one.secret, other.secret]);
      const raw = seen.raw();
      await useForeign(side, neighbour ? await foreignOf(neighbour) : nobodys(), seen);
      const others = neighbour ? await idsOf(service, neighbour) : [];
      return { seen, raw, others, acts: hostile?.acts() ?? 0, served: hostile?.served() ?? 0 };
    } finally {
      await hostile?.stop();
      await service.stop();
      await receiver.close();
    }
  }

  /** The ids of all that a tenant has. */
  async function idsOf({ db }: Trading, { partnerId, appId, userId }: Side): Promise<string[]> {
    const rows = Object.values(await rowsOf(db, [partnerId, appId, userId])).flat() as object[];
    const ids = rows.flatMap((row) => Object.entries(row).flatMap(([name, value]) => (ID.test(name) ? [value] : [])));
    return ids.filter((id) => typeof id === 'string' && id.length >= ID_LENGTH && !NAMES.includes(id));
  }

  /** Waits until everything of a tenant has ended and was delivered. */
  const rest = ({ db }: Trading, { partnerId, appId }: Side) =>
    until(
      'the tenant rests',
      async () =>
        !(await db.exists(sql.type(z.object({}))`
          select from intents i where i.owner in (${partnerId}, ${appId}) and i.settled_at is null
          union all
          select from webhook_deliveries d where d.owner in (${partnerId}, ${appId}) and d.state in ('pending', 'sending')
          union all
          select from mails m where m.tenant = ${appId} and m.state = 'queued'`)) || null,
      60_000,
    );

  async function readAll(
    service: Trading,
    side: Side,
    receiver: Receiver,
    seen: Observer,
    secrets: string[],
  ): Promise<void> {
    const { partner, app } = side;
    for (const path of LISTS)
      seen.entries(path, (await (path.startsWith('/v1') ? partner : app)('GET', `${path}?limit=500`)).body);
    for (const [ask, version] of [
      [partner, 'v1'],
      [app, 'v2'],
    ] as const) {
      const failed = (await ask('GET', `/${version}/requests?failed=true&limit=500`)).body as Record<string, unknown>[];
      seen.entries(
        `${version} requests`,
        failed.map(({ operation, status, code, caller }) => ({ operation, status, code, caller })),
        true,
      );
      seen.reply(
        `${version} head`,
        await ask('HEAD', `/${version}/statements`, { headers: { Accept: 'text/csv', 'If-None-Match': '*' } }),
      );
    }
    const mails = mailsOf(service, side.name).map(({ subject, text, html }) => ({
      subject,
      text: text.replace(/\b\d{6}\b/g, '<code>'),
      html: html.replace(/\b\d{6}\b/g, '<code>'),
    }));
    seen.entries('mails', mails);
    const hooks = signedBy(receiver, secrets).map(({ headers, body }) => ({
      event: headers['x-service-event'],
      origin: headers['x-service-origin'],
      sent: JSON.parse(body),
    }));
    seen.entries('webhooks', hooks, true);
    for (const [table, rows] of Object.entries(await rowsOf(service.db, [side.partnerId, side.appId, side.userId])))
      seen.entries(`rows of ${table}`, rows);
  }

  it('is the same beside another one that is hostile and busy, has the same names, person and wallet, and knows its ids', () => {
    const [one, other] = [alone.seen.said, beside.seen.said];

    for (const label of Object.keys(one)) expect(other[label], label).to.deep.equal(one[label]);
    expect(Object.keys(other)).to.deep.equal(Object.keys(one));
    expect(beside.acts, 'what the other did').to.be.above(100);
    expect(beside.served).to.be.above(20);
  });

  it('has nothing of the other one in it', () => {
    expect(beside.raw.toLowerCase()).to.not.include(MARK);
    expect(beside.others.filter((id) => beside.raw.includes(id))).to.deep.equal([]);
    expect(beside.others.length).to.be.above(100);
  });
});
