/** Every role of an operator. A viewer reads; support and finance each do more; an admin does everything. */
export const operatorRoles = ['viewer', 'support', 'finance', 'admin'] as const;
/** A role of an operator. */
export type OperatorRole = (typeof operatorRoles)[number];

/** The roles that each role covers. */
export const coveredRoles: Readonly<Record<OperatorRole, readonly OperatorRole[]>> = {
  viewer: ['viewer'],
  support: ['viewer', 'support'],
  finance: ['viewer', 'finance'],
  admin: operatorRoles,
};

/** Whether an operator with the role `held` may do what needs `required`. */
export const coversRole = (held: OperatorRole, required: OperatorRole): boolean =>
  coveredRoles[held].includes(required);

/** The role among the roles that an operation requires of operators. Throws unless it is exactly one: the table of roles is the contract. */
export function requiredRole(roles: readonly string[], operation: string): OperatorRole {
  const [role, ...others] = operatorRoles.filter((each) => roles.includes(each));
  if (!role || others.length > 0) throw new Error(`Operation ${operation} of operators needs exactly one role`);
  return role;
}
