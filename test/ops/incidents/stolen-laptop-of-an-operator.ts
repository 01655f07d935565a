import { finds, incident, only } from '../incident.ts';

export default incident({
  starts: { customer: 'I am on the desk with you, my laptop is gone: bob@example.com.' },
  async happens({ session }) {
    await session.query(`insert into admins (id, email, password_hash) values ('adn_bob', 'bob@example.com', 'hash')`);
    return {};
  },
  steps: [
    [
      'select * from ops.operators',
      async ({ psql }) =>
        finds(only(await psql(`select * from ops.operators where email = 'bob@example.com'`)), 'the operator'),
    ],
    [
      'select ops.disable_operator(the id, name, reason)',
      ({ psql }) => psql(`select ops.disable_operator('adn_bob', 'ada', 'the laptop was stolen')`),
    ],
    [
      'select * from ops.actions: what was done with it',
      ({ psql }) => psql(`select * from ops.actions where who = 'admin:adn_bob' order by at desc limit 20`),
    ],
  ],
  isOver: async ({ session }) =>
    only(await session.query(`select disabled_at is not null as done from admins where id = 'adn_bob'`)).done === true,
});
