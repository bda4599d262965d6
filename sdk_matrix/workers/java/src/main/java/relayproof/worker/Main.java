package relayproof.worker;

import dev.dbos.transact.AlertHandler;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.execution.DBOSExecutor;
import dev.dbos.transact.workflow.Queue;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicReference;
import tools.jackson.core.JacksonException;

/**
 * The Java worker: runs workloads that are data on the real SDK. Contract version 2 (docs/real-executors.md).
 *
 * <p>{@code java -jar worker.jar CONFIG.json}. It ends at once when its standard input ends: whoever launched it is gone.
 */
public final class Main {
    private static final int EX_CONFIG = 78; // sysexits.h: the configuration can't be used
    private static final Map<String, String> LOG_LEVELS =
            Map.of("DEBUG", "debug", "INFO", "info", "WARNING", "warn", "ERROR", "error");

    private Main() {}

    public static void main(String[] arguments) {
        Reports reports = new Reports();
        Config config = configuration(arguments);
        try {
            serve(config, reports);
        } catch (Exception problem) { // whatever it is, the SDK's threads would keep the process alive
            System.err.println("the worker ends: " + problem);
            Runtime.getRuntime().halt(1);
        }
    }

    private static void serve(Config config, Reports reports) throws Exception {
        System.setProperty(
                "org.slf4j.simpleLogger.defaultLogLevel", LOG_LEVELS.getOrDefault(config.logLevel(), "warn"));
        SynchronousQueue<Command> commands = new SynchronousQueue<>();
        Thread reader = new Thread(() -> read(commands), "commands");
        reader.setDaemon(true);
        reader.start();
        Commander commander = launch(config, reports);
        while (true) {
            Command next = commands.take();
            if (next.verb().equals("stop")) {
                stop(commander, reports, next);
            } else {
                commander.answer(next);
            }
        }
    }

    private static void stop(Commander commander, Reports reports, Command asked) {
        try {
            if (commander.stop(asked)) {
                Runtime.getRuntime().halt(0); // steps that still run in threads die with their process
            }
        } catch (RuntimeException problem) { // without its database the SDK may fail to
            reports.send("refused", Map.of("do", "stop", "workflow", "", "error", problem.toString()));
            Runtime.getRuntime().halt(1);
        }
    }

    private static Config configuration(String[] arguments) {
        String problem;
        try {
            if (arguments.length == 1) {
                Config config = Json.MAPPER.readValue(Files.readString(Path.of(arguments[0])), Config.class);
                if (config.contract() == Config.CONTRACT) {
                    return config;
                }
                problem = "%s: contract %d is asked for, this worker speaks %d"
                        .formatted(arguments[0], config.contract(), Config.CONTRACT);
            } else {
                problem = "usage: worker CONFIG.json";
            }
        } catch (IOException | JacksonException unreadable) {
            problem = "%s is no configuration: %s".formatted(arguments[0], unreadable.getMessage());
        }
        System.err.println(problem);
        System.exit(EX_CONFIG);
        throw new AssertionError("the process has ended");
    }

    /** Pass the launcher's lines on. The process ends with them, whatever it is at. */
    private static void read(SynchronousQueue<Command> commands) {
        try (var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                commands.put(Json.MAPPER.readValue(line, Command.class));
            }
            Runtime.getRuntime().halt(0);
        } catch (IOException | JacksonException | InterruptedException problem) {
            System.err.println("no command could be read: " + problem.getMessage());
            Runtime.getRuntime().halt(1);
        }
    }

    /** Bring the SDK up and report that it is ready. */
    private static Commander launch(Config config, Reports reports) throws ReflectiveOperationException {
        Evidence evidence = new Evidence(config.evidenceDatabase(), config.executor());
        var database = Evidence.Jdbc.of(config.systemDatabaseUrl());
        DBOSConfig settings = DBOSConfig.defaults(config.application());
        if (!config.version().isEmpty()) { // the SDK computes one where none is given, and refuses an empty one
            settings = settings.withAppVersion(config.version());
        }
        DBOS dbos = new DBOS(settings
                .withDatabaseUrl(database.url())
                .withDbUser(database.user())
                .withDbPassword(database.password())
                .withConductorDomain(config.relayUrl())
                .withConductorKey(config.key())
                .withConductorExecutorMetadata(Map.of("name", config.executor()))
                .withSchedulerPollingInterval(Duration.ofSeconds(1)));
        Interpreter interpreter = new Interpreter(dbos, evidence);
        interpreter.proxy(dbos.registerProxy(Workflows.class, interpreter));
        Set<String> queues = new HashSet<>();
        for (var queue : config.queues()) {
            dbos.registerQueue(queue(queue));
            queues.add(queue.name());
        }
        if (!config.alertHandler().equals("none")) {
            dbos.registerAlertHandler(alertHandler(reports, config.alertHandler().equals("fails")));
        }
        dbos.launch();
        String executorId = executorId(dbos);
        evidence.executorId(executorId);
        reports.send("ready", Map.of(
                "contract", Config.CONTRACT,
                "language", "java",
                "sdk_version", DBOS.version(),
                "executor_id", executorId,
                "pid", ProcessHandle.current().pid(),
                "unsupported", Commander.UNSUPPORTED));
        return new Commander(dbos, interpreter, queues, reports);
    }

    private static Queue queue(Config.QueueConfig asked) {
        Queue queue = new Queue(asked.name())
                .withWorkerConcurrency(asked.workerConcurrency())
                .withConcurrency(asked.concurrency())
                .withPriorityEnabled(asked.priority());
        return asked.pollingIntervalS() == null
                ? queue
                : queue.withPollingInterval(Json.seconds(asked.pollingIntervalS()));
    }

    private static AlertHandler alertHandler(Reports reports, boolean fails) {
        return (name, message, metadata) -> {
            reports.send("alert", Map.of(
                    "name", name, "message", message, "metadata", metadata == null ? Map.of() : metadata));
            if (fails) {
                throw new IllegalStateException("planned failure of the alert handler");
            }
        };
    }

    /** The id that the SDK made at its launch. It tells it to nobody but the relay and its log, hence this look inside. */
    private static String executorId(DBOS dbos) throws ReflectiveOperationException {
        var field = DBOS.class.getDeclaredField("dbosExecutor");
        field.setAccessible(true);
        return ((DBOSExecutor) ((AtomicReference<?>) field.get(dbos)).get()).executorId();
    }
}
