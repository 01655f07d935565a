/** @typedef {import('../fields.js').Field} Field */

const SCOPES = ['api', 'webhooks', 'reads', 'trading', 'payouts:write', '*'];

/** The field for an app's scopes. @param {string} name @param {string[]} value @returns {Field} */
export const scopesField = (name, value) => ({
  name,
  label: 'Scopes',
  kind: 'checks',
  options: SCOPES,
  value,
  hint: 'api includes all scopes except payouts:write; * includes all.',
});

/** The field for the key of an app's miner. @param {string} label @returns {Field} */
export const networkKeyField = (label) => ({
  name: 'network_api_key',
  label,
  kind: 'password',
  optional: true,
  more: { maxlength: 512, autocomplete: 'new-password' },
});

/** The fields for the entity at the network and the key of its miner. @param {boolean} optional @returns {Field[]} */
export const networkFields = (optional) => [
  {
    name: 'entity_hotkey',
    label: 'Entity hotkey',
    hint: optional
      ? 'Give it together with the key below, or leave both empty to use the platform’s miner.'
      : 'The entity whose subaccounts the app sells.',
    optional,
    more: { maxlength: 128, pattern: '[A-Za-z0-9_\\-]+', spellcheck: 'false' },
  },
  networkKeyField('API key of its miner'),
];
