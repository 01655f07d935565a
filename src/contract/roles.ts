import { type OperatorRole, requiredRole } from '../kernel/operator-roles.ts';
import { listOperations, type OperationId } from './document.ts';

/** The role that each operation of operators needs. */
export const requiredRoles: Readonly<Partial<Record<OperationId, OperatorRole>>> = Object.fromEntries(
  listOperations().flatMap(({ id, security }) => {
    const requirement = security.flat().find(({ scheme }) => scheme === 'adminBearer');
    return requirement ? [[id, requiredRole(requirement.roles, id)]] : [];
  }),
);
