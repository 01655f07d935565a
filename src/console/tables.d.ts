/** Tables of the service, served beside the console as it has them: see src/edge/console.ts. */
export type OperationId = keyof import('../contract/types.ts').operations;
export type Role = import('../contract/types.ts').components['schemas']['OperatorRole'];

/** How many decimals the smallest unit of a currency has, where it is not two. */
export const decimals: Readonly<Record<string, number>>;
/** The role that each operation of operators needs. */
export const requiredRoles: Readonly<Partial<Record<OperationId, Role>>>;
/** The roles that each role covers. */
export const coveredRoles: Readonly<Record<Role, readonly Role[]>>;
