package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const contract = 2

// config is what a launcher tells once, in a JSON file. Unknown fields are ignored.
type config struct {
	Contract          int           `json:"contract"`
	RelayURL          string        `json:"relay_url"`
	Key               string        `json:"key"`
	Application       string        `json:"application"`
	Version           string        `json:"version"`
	SystemDatabaseURL string        `json:"system_database_url"`
	EvidenceDatabase  string        `json:"evidence_database"`
	Executor          string        `json:"executor"`
	Queues            []queueConfig `json:"queues"`
	AlertHandler      string        `json:"alert_handler"`
	MetadataOnly      bool          `json:"metadata_only"`
	LogLevel          string        `json:"log_level"`
}

type queueConfig struct {
	Name              string   `json:"name"`
	WorkerConcurrency *int     `json:"worker_concurrency"`
	Concurrency       *int     `json:"concurrency"`
	Priority          bool     `json:"priority"`
	PollingIntervalS  *float64 `json:"polling_interval_s"`
}

// readConfig refuses what this worker can't run on, with a sentence for the log.
func readConfig(path string) (config, error) {
	read := config{AlertHandler: "none", LogLevel: "WARNING"}
	text, err := os.ReadFile(path)
	if err != nil {
		return read, fmt.Errorf("the configuration can't be read: %w", err)
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return read, fmt.Errorf("%s is no configuration: %w", path, err)
	}
	if read.Contract != contract {
		return read, fmt.Errorf("%s: contract %d is asked for, this worker speaks %d", path, read.Contract, contract)
	}
	return read, nil
}

// command is a line of standard input; which fields count depends on Do.
type command struct {
	Do              string        `json:"do"`
	Workflow        string        `json:"workflow"`
	Instructions    []instruction `json:"instructions"`
	Queue           *string       `json:"queue"`
	DeduplicationID *string       `json:"deduplication_id"`
	Priority        *uint         `json:"priority"`
	TimeoutS        *float64      `json:"timeout_s"`
	Forked          string        `json:"forked"`
	FromStep        *uint         `json:"from_step"`
	Schedule        string        `json:"schedule"`
	Cron            string        `json:"cron"`
	To              string        `json:"to"`
	Topic           string        `json:"topic"`
	Message         string        `json:"message"`
	DrainS          float64       `json:"drain_s"`
}

// subject is the workflow or schedule that the answer names.
func (c command) subject() string {
	switch c.Do {
	case "fork":
		return c.Forked
	case "schedule", "unschedule":
		return c.Schedule
	case "send":
		return c.To
	default:
		return c.Workflow
	}
}

// instruction is one thing that a workflow does; which fields count depends on Op.
type instruction struct {
	Op           string        `json:"op"`
	Name         string        `json:"name,omitempty"`
	DurationS    float64       `json:"duration_s,omitempty"`
	PayloadBytes int           `json:"payload_bytes,omitempty"`
	FailsTimes   int           `json:"fails_times,omitempty"`
	Workflow     string        `json:"workflow,omitempty"`
	Instructions []instruction `json:"instructions,omitempty"`
	Queue        *string       `json:"queue,omitempty"`
	To           string        `json:"to,omitempty"`
	Topic        string        `json:"topic,omitempty"`
	Message      string        `json:"message,omitempty"`
	Key          string        `json:"key,omitempty"`
	Value        string        `json:"value,omitempty"`
	Values       []string      `json:"values,omitempty"`
	TimeoutS     *float64      `json:"timeout_s,omitempty"`
}

// timeout of a wait; a minute unless told.
func (i instruction) timeout() time.Duration {
	if i.TimeoutS == nil {
		return time.Minute
	}
	return seconds(*i.TimeoutS)
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second))
}

// reports writes JSON lines to the launcher.
type reports struct {
	mu  sync.Mutex
	out io.Writer
}

func (r *reports) send(event string, fields map[string]any) {
	line := map[string]any{"event": event}
	for name, value := range fields {
		line[name] = value
	}
	text, err := json.Marshal(line)
	if err != nil {
		panic(fmt.Sprintf("a report that is no JSON: %v", err)) // all fields are texts, numbers and maps of them
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.out.Write(append(text, '\n')); err != nil {
		os.Exit(0) // nobody reads: the launcher is gone
	}
}
