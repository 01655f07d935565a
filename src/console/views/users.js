import { ask } from '../api.js';
import { h } from '../dom.js';
import { filter } from '../filter.js';
import { badge, idLink, moment } from '../format.js';
import { table } from '../table.js';
import { renderUser } from './user.js';

/** @typedef {import('../api.js').Schemas['FoundRecord']} FoundRecord */

/** End users: found by id or address, and the page of each. @type {import('../views.js').View} */
export const users = {
  name: 'users',
  group: 'Access',
  title: 'Users',
  reads: 'searchRecords',
  titleOfOne: 'User',
  render: (route, again) => (route.id === '' ? renderFound(route) : renderUser(route.id, again)),
};

/** @type {import('../fields.js').Field[]} */
const fields = [
  { name: 'q', label: 'Id or e-mail address', more: { maxlength: 254, placeholder: 'usr_… or an address' } },
];

/** @param {import('../route.js').Route} route */
async function renderFound(route) {
  const q = route.query.q ?? '';
  if (q === '') return { content: [filter(route, fields), h('p', {}, 'An address may have a user of each app.')] };
  const { records } = await ask('get', '/v2/admin/search', { query: { q } });
  const found = records.filter(({ kind }) => kind === 'user');
  return { content: [filter(route, fields), table('Users found', columns, found, `No user is named ${q}.`)] };
}

/** @type {import('../table.js').Column<FoundRecord>[]} */
const columns = [
  ['Address', ({ title }) => title],
  ['User', ({ id }) => idLink(id)],
  ['App', ({ owner }) => idLink(owner)],
  ['State', ({ state }) => state && badge(state)],
  ['Signed up', ({ created_at }) => moment(created_at)],
];
