/** For so many days every event is kept, whatever `RETAIN_EVENTS_DAYS` says; of older ones those stay whose deliveries have not ended. */
export const LEAST_EVENT_DAYS = 7;
