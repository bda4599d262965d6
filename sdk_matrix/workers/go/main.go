// The Go worker: runs workloads that are data on the real SDK. Contract version 2 (docs/real-executors.md).
//
//	worker CONFIG.json
//
// It ends at once when its standard input ends: whoever launched it is gone.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
)

const (
	sdkModule     = "github.com/dbos-inc/dbos-transact-golang"
	interpretName = "interpret"
	scheduledName = "scheduled"
	exConfig      = 78 // sysexits.h: the configuration can't be used

	metadataOnlyField = "ConductorMetadataOnlyMode"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: worker CONFIG.json")
		os.Exit(exConfig)
	}
	out := &reports{out: os.Stdout}
	os.Stdout = os.Stderr // whatever else prints goes to the log, not between the reports
	asked, err := readConfig(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exConfig)
	}
	log := logger(asked.LogLevel)
	slog.SetDefault(log)
	commands := make(chan command)
	go read(os.Stdin, commands)
	c, err := launch(asked, log, out)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for next := range commands {
		if next.Do != "stop" {
			c.answer(next)
			continue
		}
		if c.stop(next) {
			os.Exit(0)
		}
	}
}

// read passes the launcher's lines on. The process ends with them, whatever it is at.
func read(in io.Reader, commands chan<- command) {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		var next command
		if err := json.Unmarshal(line, &next); err != nil {
			slog.Error("a line that is no command", "error", err)
			os.Exit(1)
		}
		commands <- next
	}
}

// launch brings the SDK up and reports that it is ready.
func launch(asked config, log *slog.Logger, out *reports) (*commander, error) {
	ledger, err := openEvidence(context.Background(), asked.EvidenceDatabase, asked.Executor)
	if err != nil {
		return nil, err
	}
	settings := dbos.Config{
		AppName:                   asked.Application,
		ApplicationVersion:        asked.Version,
		DatabaseURL:               asked.SystemDatabaseURL,
		ConductorURL:              asked.RelayURL,
		ConductorAPIKey:           asked.Key,
		ConductorExecutorMetadata: map[string]any{"name": asked.Executor},
		Logger:                    log,         // the SDK's own would write to standard output
		SchedulerPollingInterval:  time.Second, // a new schedule is seen after half a minute otherwise
	}
	unsupported := map[string]string{optionDrain: noDrain}
	if !setMetadataOnly(&settings, asked.MetadataOnly) {
		unsupported["config metadata_only"] = "this version of the SDK has no " + metadataOnlyField
	}
	sdk, err := dbos.NewContext(context.Background(), settings)
	if err != nil {
		return nil, fmt.Errorf("the SDK can't be configured: %w", err)
	}
	ledger.executor = dbos.GetExecutorID(sdk)
	in := &interpreter{evidence: ledger, queues: map[string]dbos.Queue{}}
	dbos.RegisterWorkflow(sdk, in.interpret, dbos.WithWorkflowName(interpretName))
	dbos.RegisterWorkflow(sdk, in.scheduled, dbos.WithWorkflowName(scheduledName))
	for _, queue := range asked.Queues {
		if in.queues[queue.Name], err = dbos.RegisterQueue(sdk, queue.Name, queueOptions(queue)...); err != nil {
			return nil, fmt.Errorf("queue %s: %w", queue.Name, err)
		}
	}
	if asked.AlertHandler != "none" {
		dbos.SetAlertHandler(sdk, alertHandler(out, asked.AlertHandler == "fails"))
	}
	if err := dbos.Launch(sdk); err != nil {
		return nil, fmt.Errorf("the SDK can't be launched: %w", err)
	}
	out.send("ready", map[string]any{
		"contract": contract, "language": "go", "sdk_version": sdkVersion(), "executor_id": ledger.executor,
		"pid": os.Getpid(), "unsupported": unsupported,
	})
	return &commander{sdk: sdk, interpreter: in, reports: out}, nil
}

// setMetadataOnly sets the SDK's mode of telling the relay no workflow data; false where the version has none (before 1.6).
func setMetadataOnly(settings *dbos.Config, on bool) bool {
	field := reflect.ValueOf(settings).Elem().FieldByName(metadataOnlyField)
	if field.IsValid() {
		field.SetBool(on)
	}
	return field.IsValid()
}

func queueOptions(queue queueConfig) []dbos.QueueOption {
	var options []dbos.QueueOption
	if queue.WorkerConcurrency != nil {
		options = append(options, dbos.WithWorkerConcurrency(*queue.WorkerConcurrency))
	}
	if queue.Concurrency != nil {
		options = append(options, dbos.WithGlobalConcurrency(*queue.Concurrency))
	}
	if queue.Priority {
		options = append(options, dbos.WithPriorityEnabled())
	}
	if queue.PollingIntervalS != nil {
		options = append(options, dbos.WithQueueBasePollingInterval(seconds(*queue.PollingIntervalS)))
	}
	return options
}

func alertHandler(out *reports, fails bool) dbos.AlertHandler {
	return func(name, message string, metadata map[string]string) {
		if metadata == nil {
			metadata = map[string]string{}
		}
		out.send("alert", map[string]any{"name": name, "message": message, "metadata": metadata})
		if fails {
			panic("planned failure of the alert handler") // the SDK's handler returns no error: this is how one fails
		}
	}
}

func logger(level string) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(strings.Replace(level, "WARNING", "WARN", 1))); err != nil {
		least = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: least}))
}

// sdkVersion is the version of the SDK in this binary, such as 1.6.0.
func sdkVersion() string {
	if built, ok := debug.ReadBuildInfo(); ok {
		for _, module := range built.Deps {
			if module.Path == sdkModule {
				return strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return "unknown"
}
