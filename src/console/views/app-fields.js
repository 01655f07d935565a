/** @typedef {import('../fields.js').Field} Field */

const SCOPES = ['api', 'webhooks', 'reads', 'trading', 'payouts:write', '*'];

/** The scopes an app may hold. @param {string} name @param {string[]} value @returns {Field} */
export const scopesField = (name, value) => ({
  name,
  label: 'Scopes',
  kind: 'checks',
  options: SCOPES,
  value,
  hint: 'api covers all but payouts:write; * covers everything.',
});

/** The entity at the network, and the key of its miner. @param {boolean} optional @returns {Field[]} */
export const networkFields = (optional) => [
  {
    name: 'entity_hotkey',
    label: 'Entity hotkey',
    hint: optional
      ? 'With the key below, or neither: then the platform’s own miner serves the app.'
      : 'The entity whose subaccounts the app sells.',
    optional,
    more: { maxlength: 128, pattern: '[A-Za-z0-9_\\-]+', spellcheck: 'false' },
  },
  {
    name: 'network_api_key',
    label: 'API key of its miner',
    kind: 'password',
    optional: true,
    more: { maxlength: 512, autocomplete: 'new-password' },
  },
];
