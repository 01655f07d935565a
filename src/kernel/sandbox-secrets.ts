/** The fixed secrets that the sandbox's upstreams accept. They are public, so production rejects them as settings. */
export const sandboxSecrets = {
  minerKey: 'sandbox-miner-key',
  validatorKey: 'sandbox-validator-key',
  processorKey: 'sk_test_sandbox',
  processorSecret: 'whsec_sandbox_processor',
} as const;

const fixed: readonly string[] = Object.values(sandboxSecrets);

/** Whether a value is one of the sandbox's secrets, or a tenant's key derived from one (`<key>:<entity>`). */
export const isSandboxSecret = (value: string): boolean => fixed.includes(value.trim().replace(/:.*$/s, ''));
