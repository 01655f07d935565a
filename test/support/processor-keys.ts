/** The keys of the sandbox processor in tests. In a file of its own: whoever only calls the adapter loads no service. */
export const PROCESSOR = { secretKey: 'sk_test_processor', notificationSecret: 'whsec_test_processor' };
