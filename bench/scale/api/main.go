// Command api is a Kubernetes API server for measurements: it keeps objects in memory, answers LIST, WATCH and writes as
// kube-apiserver does, counts what it is asked, and moves its pods as kube-scheduler and kubelet would. It validates
// nothing and admits everything.
package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	latency := flag.Int("latency", 0, "milliseconds that each request takes before it is answered")
	flag.Parse()
	go endWithInput()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cluster := newCluster()
	mux := http.NewServeMux()
	mux.Handle("/bench/", control{cluster})
	mux.Handle("/", api{cluster, time.Duration(*latency) * time.Millisecond})
	// The starter reads the address from the first line.
	fmt.Printf("http://%s\n", listener.Addr())
	fmt.Fprintln(os.Stderr, http.Serve(listener, mux))
	os.Exit(1)
}

// endWithInput ends the process when its standard input closes: the starter holds the other end, and the kernel closes
// that however the starter ends, SIGKILL included.
func endWithInput() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}
