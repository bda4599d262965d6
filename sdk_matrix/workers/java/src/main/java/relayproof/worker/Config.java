package relayproof.worker;

import java.util.List;

/** What a launcher tells once, in a JSON file. Unknown fields are ignored. */
record Config(
        int contract,
        String relayUrl,
        String key,
        String application,
        String version,
        String systemDatabaseUrl,
        String evidenceDatabase,
        String executor,
        List<QueueConfig> queues,
        String alertHandler,
        String logLevel) {

    /** The contract's version; docs/real-executors.md. */
    static final int CONTRACT = 2;

    Config {
        queues = queues == null ? List.of() : queues;
        alertHandler = alertHandler == null ? "none" : alertHandler;
        logLevel = logLevel == null ? "WARNING" : logLevel;
    }

    /** A queue to define; a concurrency of null: no bound. */
    record QueueConfig(
            String name, Integer workerConcurrency, Integer concurrency, boolean priority, Double pollingIntervalS) {}
}
