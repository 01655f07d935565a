import type { Change } from './copy.ts';

const hook = `  user.entered:
    post:
      tags: [v2 webhooks]
      summary: user.entered
      description: A user has a session for the first time.
      security: []
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/UserEnteredEvent' }
            example:
              id: evt_01a205f7279445859c7a3475b6aa38c0
              type: user.entered
              data: { user_id: usr_Ad84Q1xOaaICKhEYhi58iw }
              timestamp: '2026-11-23T01:14:09.482+00:00'
      responses:
        2XX: { description: The event is taken. Any other response or none is a failure; the delivery is repeated. }
`;

const schema = `    UserEnteredEvent:
      description: A user has a session for the first time.
      type: object
      additionalProperties: false
      required: [id, type, data, timestamp]
      properties:
        id: { type: string, description: Identifies the event. }
        type: { const: user.entered, description: Type of the event. }
        data:
          type: object
          additionalProperties: false
          description: Members of the event.
          required: [user_id]
          properties: { user_id: { type: string, description: The user. } }
        timestamp: { type: string, format: date-time, description: When the event happened. }
`;

const test = `import { expect } from 'chai';
import { type Identity, startIdentity } from '../support/identity.ts';

describe('one more event', () => {
  it('can be subscribed to, and is in the log of the app', async function () {
    this.timeout(60_000);
    const service: Identity = await startIdentity();
    try {
      const app = await service.app(['api', 'webhooks']);
      const json = { url: 'http://127.0.0.1:9/hooks', events: ['user.entered'] };
      const endpoint = await app.ask('POST', '/v2/webhook-endpoints', { json });
      const user = await service.user(app);
      const events = await app.ask('GET', '/v2/events');

      expect(endpoint.status, JSON.stringify(endpoint.body)).to.equal(200);
      expect(events.body.map(({ type, data }: { type: string; data: unknown }) => [type, data])).to.deep.equal([
        ['user.entered', { user_id: user.userId }],
        ['user.verified', { user_id: user.userId }],
      ]);
    } finally {
      await service.stop();
    }
  });
});
`;

/** One more event: its row, its schema and example, and the call that emits it. */
export const event: Change = {
  adds: {},
  edits: [
    {
      file: 'src/contract/events.ts',
      after: `  'notification.failed': { log: 'app' },\n`,
      put: `  'user.entered': { log: 'app' },\n`,
    },
    { file: 'src/contract/openapi.yaml', after: `\nwebhooks:\n`, put: hook },
    { file: 'src/contract/openapi.yaml', after: `\n  schemas:\n`, put: schema },
    {
      file: 'sql/functions/users/verify_by_code.sql',
      after: `lives_s, from_address, address_digest);\n`,
      put: `  perform emit_event(app, 'user.entered', jsonb_build_object('user_id', user_id));\n`,
    },
  ],
  test: {
    file: 'test/api/user-entered.test.ts',
    text: test,
    and: ['test/contract/events.test.ts', 'test/docs/webhooks.test.ts'],
  },
};
