import { finds, incident } from '../incident.ts';

export default incident({
  starts: { alert: 'MailsFail' },
  async happens({ session }) {
    await session.query(`
      insert into mails (id, template, recipient, data, state, expires_at, ended_at, fault)
      select gen_random_uuid(), 'notification', 'full-' || n || '@example.com', '{}', 'refused', now(), now(), '552 mailbox full' from generate_series(1, 3) n`);
    return { answer: '' };
  },
  lasts: 'for an hour: those mails are not sent again',
  steps: [
    [
      'Console, Failed e-mails: one reader, or all, and what the mail server said',
      async ({ read }, known) => {
        const mails = await read('/v2/admin/mails/failed');
        finds(mails.length === 3, 'the mails');
        known.answer = mails[0].reason;
      },
    ],
  ],
  isOver: async (_, { answer }) => answer !== '',
});
