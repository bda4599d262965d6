package relayproof.worker;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** JSON lines to the launcher. */
final class Reports {
    private final PrintStream out;

    /** Takes standard output for itself; whatever else prints goes to the log, not between the reports. */
    Reports() {
        out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
    }

    synchronized void send(String event, Map<String, ?> fields) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("event", event);
        line.putAll(fields);
        out.println(Json.MAPPER.writeValueAsString(line));
    }
}
