package relayproof.worker;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** A line of standard input; which fields count depends on {@code verb}. */
record Command(
        @JsonProperty("do") String verb,
        String workflow,
        List<Object> instructions,
        String queue,
        String deduplicationId,
        Integer priority,
        Double timeoutS,
        String forked,
        Integer fromStep,
        String schedule,
        String cron,
        String to,
        String topic,
        String message,
        double drainS) {

    /** The workflow or schedule that the answer names. */
    String subject() {
        String named = switch (verb) {
            case "fork" -> forked;
            case "schedule", "unschedule" -> schedule;
            case "send" -> to;
            default -> workflow;
        };
        return named == null ? "" : named;
    }
}
