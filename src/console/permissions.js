import { coveredRoles, requiredRoles } from './tables.js';

/** @typedef {import('./tables.js').OperationId} OperationId */
/** @typedef {import('./tables.js').Role} Role */

/** The operator's. Null in the workbench, whose callers have none. @type {Role | null} */
let role = null;

/** Sets the role of the operator whose page this is. @param {Role} held */
export function actAs(held) {
  role = held;
}

/** Why the operator may not do what needs a role; null if they may. @param {Role | undefined} required */
export const lackOfRole = (required) =>
  role === null || required === undefined || coveredRoles[role].includes(required)
    ? null
    : `This needs the role ${required}; yours is ${role}.`;

/** Why the operator may not do an operation; null if they may. The service rejects it then too. @param {OperationId | null} operation */
export const lackFor = (operation) => (operation === null ? null : lackOfRole(requiredRoles[operation]));
