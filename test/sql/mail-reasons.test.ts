import { expect } from 'chai';
import { Client } from 'pg';
import { renderMail } from '../../src/capabilities/mail/templates.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('the mail about a deactivated endpoint', () => {
  const text = (because: string) =>
    renderMail('webhook_deactivated', { app: 'Acme', url: 'https://acme.example/hook', because }, '').text;

  it('has words of its own for every reason that a row may have but the owner’s wish', async () => {
    const database = await freshDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ definition: string }>(
      `select pg_get_constraintdef(oid) definition from pg_constraint where conname = 'webhook_endpoints_reason_known'`,
    );
    await client.end();
    await database.drop();
    const known = [...String(rows[0]?.definition).matchAll(/'(\w+)'/g)].map(([, reason]) => String(reason));
    const mailed = known.filter((reason) => reason !== 'asked');

    expect(mailed).to.include.members(['gone', 'failing', 'stolen']);
    expect(new Set(mailed.map(text)).size).to.equal(mailed.length);
  });

  it('never gives another reason for one that it does not know', () => {
    for (const because of ['asked', 'unheard_of', 'constructor', ''])
      expect(() => text(because), because).to.throw('Unknown reason');
  });
});
