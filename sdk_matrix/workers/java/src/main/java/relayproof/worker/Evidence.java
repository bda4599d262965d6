package relayproof.worker;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The harness's ledger of step executions. It has a connection of its own, each statement a transaction: what the SDK rolls back
 * or deletes stays written here.
 */
final class Evidence {
    private static final Logger LOG = LoggerFactory.getLogger(Evidence.class);
    private static final String INSERT = "INSERT INTO relayproof.step_runs(workflow, step, attempt, executor, phase, detail)"
            + " VALUES (?, ?, ?, ?, ?, ?)";
    private static final String SOCKET_TIMEOUT_S = "30"; // a connection that says nothing for so long is given up
    private static final long PAUSE_MS = 200;

    private record StepKey(String workflow, String step) {}

    /** One attempt of a step. */
    record Execution(String workflow, String step, int run, int retry, int attempt) {}

    private final Jdbc database;
    private final String label;
    private final Map<String, Integer> runs = new ConcurrentHashMap<>();
    private final Map<StepKey, Integer> attempts = new ConcurrentHashMap<>();
    private volatile String executorId = "";
    private Connection connection;

    Evidence(String url, String label) {
        this.database = Jdbc.of(url);
        this.label = label;
    }

    /** The id that the SDK made at its launch; known before the first command is carried out. */
    void executorId(String id) {
        executorId = id;
    }

    /** Number of this execution of the workflow within this process: 1, 2, ... */
    int run(String workflow) {
        return runs.merge(workflow, 1, Integer::sum);
    }

    /** Number of this execution of the step of the workflow within this process: 1, 2, ... */
    int attempt(String workflow, String step) {
        return attempts.merge(new StepKey(workflow, step), 1, Integer::sum);
    }

    /** Write a row, returning when it is durable; while it can't be written, the step is held up. */
    void add(String phase, Execution of, boolean failed) throws InterruptedException {
        Map<String, Object> detail = new LinkedHashMap<>();
        detail.put("run", of.run());
        detail.put("retry", of.retry());
        detail.put("executor_id", executorId);
        detail.put("at_ns", System.nanoTime()); // the host's monotonic clock
        if (failed) {
            detail.put("failed", true);
        }
        while (!insert(phase, of, Json.MAPPER.writeValueAsString(detail))) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        }
    }

    private synchronized boolean insert(String phase, Execution of, String detail) {
        try {
            if (connection == null) {
                connection = database.connect();
            }
            try (var row = connection.prepareStatement(INSERT)) {
                row.setString(1, of.workflow());
                row.setString(2, of.step());
                row.setInt(3, of.attempt());
                row.setString(4, label);
                row.setString(5, phase);
                row.setString(6, detail);
                row.executeUpdate();
            }
            return true;
        } catch (SQLException problem) {
            LOG.warn("a row of evidence could not be written, trying again: {}", problem.getMessage());
            disconnect();
            return false;
        }
    }

    private void disconnect() {
        Connection gone = connection;
        connection = null;
        if (gone != null) {
            try {
                gone.close();
            } catch (SQLException problem) {
                LOG.debug("a broken connection could not be closed: {}", problem.getMessage());
            }
        }
    }

    /** A {@code postgresql://user[:password]@host:port/database} in JDBC's terms. */
    record Jdbc(String url, String user, String password) {
        static Jdbc of(String url) {
            URI parts = URI.create(url);
            if (!"postgresql".equals(parts.getScheme()) && !"postgres".equals(parts.getScheme())) {
                throw new IllegalArgumentException(
                        "the database is \"%s:...\": this worker opens postgresql:// only".formatted(parts.getScheme()));
            }
            String[] login = parts.getRawUserInfo() == null ? new String[] {"postgres"} : parts.getRawUserInfo().split(":", 2);
            String query = parts.getRawQuery() == null ? "" : "?" + parts.getRawQuery();
            int port = parts.getPort() == -1 ? 5432 : parts.getPort();
            return new Jdbc(
                    "jdbc:postgresql://" + parts.getHost() + ":" + port + parts.getRawPath() + query,
                    decoded(login[0]),
                    login.length < 2 ? "" : decoded(login[1]));
        }

        Connection connect() throws SQLException {
            Properties how = new Properties();
            how.setProperty("user", user);
            how.setProperty("password", password);
            how.setProperty("socketTimeout", SOCKET_TIMEOUT_S);
            how.setProperty("ApplicationName", "relayproof-evidence");
            return DriverManager.getConnection(url, how);
        }

        private static String decoded(String part) {
            return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
        }
    }
}
