/** Tables of the service, served beside the console as it has them: see src/edge/console.ts. */
/** How many decimals the smallest unit of a currency has, where it is not two. */
export const decimals: Readonly<Record<string, number>>;
