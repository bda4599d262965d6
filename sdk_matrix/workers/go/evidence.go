package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sys/unix"
)

const (
	insertRow  = `INSERT INTO relayproof.step_runs(workflow, step, attempt, executor, phase, detail) VALUES ($1, $2, $3, $4, $5, $6)`
	rowTimeout = 30 * time.Second // a connection that says nothing for so long is given up
	rowPause   = 200 * time.Millisecond

	maxConnections = 2 // a dozen workers share the server's hundred
)

// evidence is the harness's ledger of step executions. It has connections of its own, each statement a transaction:
// what the SDK rolls back or deletes stays written here.
type evidence struct {
	pool     *pgxpool.Pool
	label    string
	executor string // the id that the SDK made, set before the first workflow runs

	mu       sync.Mutex
	runs     map[string]int // executions of a workflow within this process
	attempts map[stepKey]int
}

type stepKey struct{ workflow, step string }

// execution is one attempt of a step.
type execution struct {
	workflow, step      string
	run, retry, attempt int
}

func openEvidence(ctx context.Context, url, label string) (*evidence, error) {
	if !strings.HasPrefix(url, "postgresql://") && !strings.HasPrefix(url, "postgres://") {
		return nil, fmt.Errorf("evidence_database is %q: this worker writes to postgresql:// only", url)
	}
	settings, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("evidence_database: %w", err)
	}
	settings.MaxConns = maxConnections
	settings.ConnConfig.RuntimeParams["application_name"] = "relayproof-evidence"
	pool, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return nil, fmt.Errorf("evidence_database: %w", err)
	}
	return &evidence{pool: pool, label: label, runs: map[string]int{}, attempts: map[stepKey]int{}}, nil
}

// run numbers this execution of the workflow within the process: 1, 2, ...
func (e *evidence) run(workflow string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.runs[workflow]++
	return e.runs[workflow]
}

// attempt numbers this execution of the step of the workflow within the process: 1, 2, ...
func (e *evidence) attempt(workflow, step string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := stepKey{workflow, step}
	e.attempts[key]++
	return e.attempts[key]
}

// add writes a row and returns when it is durable; while it can't, the step is held up.
func (e *evidence) add(phase string, of execution, failed bool) {
	detail := map[string]any{"run": of.run, "retry": of.retry, "executor_id": e.executor, "at_ns": monotonicNs()}
	if failed {
		detail["failed"] = true
	}
	text, err := json.Marshal(detail)
	if err != nil {
		panic(fmt.Sprintf("a detail that is no JSON: %v", err)) // it holds texts and numbers
	}
	for e.insert(of.workflow, of.step, of.attempt, e.label, phase, string(text)) != nil {
		time.Sleep(rowPause)
	}
}

func (e *evidence) insert(values ...any) error {
	ctx, cancel := context.WithTimeout(context.Background(), rowTimeout)
	defer cancel()
	_, err := e.pool.Exec(ctx, insertRow, values...)
	if err != nil {
		slog.Warn("a row of evidence could not be written, trying again", "error", err)
	}
	return err
}

// monotonicNs is the host's monotonic clock, which all processes of the host share.
func monotonicNs() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(fmt.Sprintf("no monotonic clock: %v", err))
	}
	return now.Nano()
}
